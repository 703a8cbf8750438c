// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/negatives.hpp>

namespace glt::detail {

/// Candidates for negatives that kernels can query one by one: a trivially copyable functor over views.
///
/// Models: `candidates_view`. Members are const and callable on the device.
///
/// - `c.num_numbers(end)`: see `candidate_source`
/// - `c.vertex(end, number)`: the vertex of a number
/// - `c.is_edge(source, destination)`
/// - `c.limited()`, `c.time(end, vertex)`: see `candidate_source`
template <class C, class Vertex>
concept resident_candidates =
    bytes_copyable<C> && requires(C const& c, pair_end end, std::int64_t number, Vertex vertex) {
      { c.num_numbers(end) } -> std::same_as<std::int64_t>;
      { c.vertex(end, number) } -> std::same_as<Vertex>;
      { c.is_edge(vertex, vertex) } -> std::same_as<bool>;
      { c.limited() } -> std::same_as<bool>;
      { c.time(end, vertex) } -> std::same_as<std::int64_t>;
    };

template <class Candidates, memory_space Space, class Vertex>
struct find_vertex {
  Candidates candidates;
  array_view<Space, std::int64_t const> numbers;
  array_view<Space, Vertex> vertices;
  array_view<Space, std::int64_t> times; // empty unless limited
  std::int64_t num_sources;              // numbers behind them stand for destinations
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const end = i < num_sources ? pair_end::source : pair_end::destination;
    vertices[i] = candidates.vertex(end, numbers[i]);
    if (!times.empty()) {
      times[i] = candidates.time(end, vertices[i]);
    }
  }
};
template <class Candidates, memory_space Space, class Vertex>
struct test_edge {
  Candidates candidates;
  array_view<Space, Vertex const> sources;
  array_view<Space, Vertex const> destinations;
  array_view<Space, std::uint8_t> found;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    found[i] = candidates.is_edge(sources[i], destinations[i]) ? 1 : 0;
  }
};

/// Resident candidates as a `candidate_source`, which answers many queries at once.
template <device_policy Policy, class Vertex, resident_candidates<Vertex> Candidates>
struct candidates_in_rounds {
  static constexpr memory_space space = Policy::space;

  Policy policy;
  Candidates candidates;

  [[nodiscard]] std::int64_t num_numbers(pair_end end) const { return candidates.num_numbers(end); }
  [[nodiscard]] bool limited() const { return candidates.limited(); }
  bool find(array_view<space, std::int64_t const> numbers, array_view<space, Vertex> vertices,
            array_view<space, std::int64_t> times, negative_mode mode) const {
    auto const num_sources = mode == negative_mode::binary ? numbers.size() / 2 : 0;
    policy.executor().for_each(
        numbers.size(), find_vertex<Candidates, space, Vertex>{candidates, numbers, vertices, times, num_sources});
    return !numbers.empty();
  }
  void test(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
            array_view<space, std::uint8_t> found) const {
    policy.executor().for_each(sources.size(),
                               test_edge<Candidates, space, Vertex>{candidates, sources, destinations, found});
  }
};

// Draws one negative until it is verified or the attempts are used up: the work of `negative_drawer` without rounds.
template <memory_space Space, class Vertex, resident_candidates<Vertex> Candidates>
struct draw_negative {
  Candidates candidates;
  seed_edges_view<Space, Vertex> positives;
  array_view<Space, random_key const> keys;
  array_view<Space, std::int64_t const> times; // of each source
  negative_options options;
  array_view<Space, Vertex> sources;
  array_view<Space, Vertex> destinations;
  array_view<Space, std::uint8_t> verified; // empty unless strict

  GLT_HOST_DEVICE void operator()(std::int64_t place) const {
    auto const [group, index] = place_of_negative(place, keys.size(), options);
    auto const key = keys[group].fold(static_cast<std::uint64_t>(index));
    int const attempts = options.strict ? options.attempts : 1;
    Vertex source = 0;
    Vertex destination = 0;
    bool good = false;
    for (int attempt = 0; attempt < attempts && !good; ++attempt) {
      random_stream draws(key, static_cast<std::uint64_t>(attempt));
      source = options.mode == negative_mode::binary ? drawn(draws, pair_end::source) : positives.sources[group];
      destination = drawn(draws, pair_end::destination);
      good = options.strict && (source != destination || options.self_pairs) &&
             !candidates.is_edge(source, destination) && !positives.contains(source, destination) &&
             exists(source, destination, group);
    }
    sources[place] = source;
    destinations[place] = destination;
    if (options.strict) {
      verified[place] = good ? 1 : 0;
    }
  }

private:
  // True if the drawn ends exist at the time of the group's source.
  [[nodiscard]] GLT_HOST_DEVICE bool exists(Vertex source, Vertex destination, std::int64_t group) const {
    if (!candidates.limited()) {
      return true;
    }
    auto const limit = times[positives.source_of(group, options.mode)];
    return candidates.time(pair_end::destination, destination) <= limit &&
           (options.mode == negative_mode::triplet || candidates.time(pair_end::source, source) <= limit);
  }
  [[nodiscard]] GLT_HOST_DEVICE Vertex drawn(random_stream& draws, pair_end end) const {
    auto const bound = static_cast<std::uint64_t>(candidates.num_numbers(end));
    return candidates.vertex(end, static_cast<std::int64_t>(draws.below(bound)));
  }
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/link/detail/draw_negatives.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/negatives.hpp>

namespace glt::detail {

/// Source of candidates for negatives and of edge checks, for candidates that kernels cannot query one by one as
/// `resident_candidates`.
///
/// Models: `dist::remote_candidates`. A random number below `num_numbers(end)` stands for a vertex: each vertex has one
/// number, or as many as its weight.
///
/// - `c.num_numbers(end)`
/// - `c.limited()`: true if vertices have times, from which on they exist; the same on all ranks
/// - `c.find(numbers, vertices, times, mode)`: writes the vertices of the numbers, with binary negatives of sources and
///   then of as many destinations, else of destinations, and if limited their times; false if no rank has any number,
///   and then no further call follows
/// - `c.test(sources, destinations, found)`: writes 1 for pairs that are edges, 0 for others
template <class C, class Policy, class Vertex>
concept candidate_source =
    requires(C& c, array_view<Policy::space, std::int64_t const> numbers, array_view<Policy::space, Vertex> vertices,
             array_view<Policy::space, std::int64_t> times, array_view<Policy::space, Vertex const> ends,
             array_view<Policy::space, std::uint8_t> found, pair_end end, negative_mode mode) {
      { c.num_numbers(end) } -> std::same_as<std::int64_t>;
      { c.limited() } -> std::same_as<bool>;
      { c.find(numbers, vertices, times, mode) } -> std::same_as<bool>;
      c.test(ends, ends, found);
    };

// Draws the numbers of the open places: of both ends, or of the destination only.
template <memory_space Space>
struct draw_candidate {
  array_view<Space, random_key const> keys; // [groups]
  array_view<Space, std::int64_t const> open;
  negative_options options;
  std::int64_t attempt;
  std::int64_t num_sources; // how many numbers stand for sources; likewise the next
  std::int64_t num_destinations;
  array_view<Space, std::int64_t> sources; // empty for triplets
  array_view<Space, std::int64_t> destinations;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const [group, index] = place_of_negative(open[i], keys.size(), options);
    random_stream draws(keys[group].fold(static_cast<std::uint64_t>(index)), static_cast<std::uint64_t>(attempt));
    if (options.mode == negative_mode::binary) {
      sources[i] = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(num_sources)));
    }
    destinations[i] = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(num_destinations)));
  }
};

// Writes the pairs of the open places, in their order and into the result.
template <memory_space Space, class Vertex>
struct write_candidate {
  array_view<Space, std::int64_t const> open;
  array_view<Space, Vertex const> drawn_sources; // empty for triplets
  array_view<Space, Vertex const> drawn_destinations;
  array_view<Space, Vertex const> sources_of_groups; // unused unless triplets
  negative_options options;
  array_view<Space, Vertex> sources;
  array_view<Space, Vertex> destinations;
  array_view<Space, Vertex> out_sources;
  array_view<Space, Vertex> out_destinations;
  array_view<Space, std::uint8_t> verified; // empty unless strict

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const place = open[i];
    bool const binary = options.mode == negative_mode::binary;
    sources[i] = out_sources[place] =
        binary ? drawn_sources[i]
               : sources_of_groups[place_of_negative(place, sources_of_groups.size(), options).group];
    destinations[i] = out_destinations[place] = drawn_destinations[i];
    if (!verified.empty()) {
      verified[place] = 1;
    }
  }
};

// Times of drawn vertices and of sources. Empty unless the ends must exist at the time of the source.
template <memory_space Space>
struct drawn_times {
  array_view<Space, std::int64_t const> sources; // of open places, empty for triplets; likewise the next
  array_view<Space, std::int64_t const> destinations;
  array_view<Space, std::int64_t const> open;
  array_view<Space, std::int64_t const> limits; // of each source
  negative_options options;

  template <class Vertex>
  [[nodiscard]] GLT_HOST_DEVICE bool too_late(seed_edges_view<Space, Vertex> const& positives, std::int64_t i) const {
    if (destinations.empty()) {
      return false;
    }
    auto const group = place_of_negative(open[i], positives.num_groups(options.mode), options).group;
    auto const limit = limits[positives.source_of(group, options.mode)];
    return destinations[i] > limit || (!sources.empty() && sources[i] > limit);
  }
};

// True for an edge, a positive, a vertex paired with itself, or one that does not exist yet.
template <memory_space Space, class Vertex>
struct is_rejected {
  array_view<Space, Vertex const> sources;
  array_view<Space, Vertex const> destinations;
  array_view<Space, std::uint8_t const> found;
  seed_edges_view<Space, Vertex> positives;
  bool self_pairs;
  drawn_times<Space> times;
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const {
    return found[i] != 0 || (sources[i] == destinations[i] && !self_pairs) ||
           positives.contains(sources[i], destinations[i]) || times.too_late(positives, i);
  }
};

template <memory_space Space>
struct keep_open {
  array_view<Space, std::int64_t const> rejected;
  array_view<Space, std::int64_t const> open;
  array_view<Space, std::int64_t> still_open;
  array_view<Space, std::uint8_t> verified;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    still_open[i] = open[rejected[i]];
    verified[still_open[i]] = 0;
  }
};

/// Batch of several whose negatives are drawn together.
///
/// @shape  keys [groups], as `key_of_group` · times [S], if candidates are limited
template <device_policy Policy, vertex_id Vertex>
struct negatives_to_draw {
  seed_edges<Policy, Vertex> const* positives = nullptr;
  array_view<Policy::space, random_key const> keys{};
  negative_pairs<Policy, Vertex>* out = nullptr;
  array_view<Policy::space, std::int64_t const> times{};
};

/// Drawer of the negatives of a batch until all are verified or the attempts are used up. If kernels reach the
/// candidates, all places draw at once, each by itself; else in rounds. Hosts are faster in rounds, because cache
/// misses overlap.
///
/// Serial and distributed negatives both use it, and draw the same candidates in the same order.
///
/// @source uniform negatives, Mikolov et al., NeurIPS 2013; strict by rejection
template <device_policy Policy, vertex_id Vertex>
class negative_drawer {
  static constexpr memory_space space = Policy::space;

public:
  explicit negative_drawer(negative_options options, Policy policy = {})
      : options_(options), policy_(policy), numbers_(0, policy), vertices_(0, policy), times_(0, policy),
        sources_(0, policy), destinations_(0, policy), found_(0, policy) {
    validate(options_);
  }

  [[nodiscard]] negative_options const& options() const noexcept { return options_; }

  /// Draws num_negatives(groups) pairs, in the order of `place_of_negative`.
  ///
  /// Pairs that could not be verified stay, flagged; the caller keeps them or leaves them out.
  ///
  /// @shape  keys [groups], as `key_of_group` · times [S], if candidates are limited
  /// @where  may only enqueue
  /// @cost   O(N) draws and tests; each place makes as many as it needs: 1 / (1 − density) on average
  template <class Candidates>
    requires requires(Candidates const& c) {
      { c.view() } -> resident_candidates<Vertex>;
    }
  void draw(Candidates const& candidates, seed_edges<Policy, Vertex> const& positives,
            array_view<space, random_key const> keys, negative_pairs<Policy, Vertex>& out,
            array_view<space, std::int64_t const> times = {}) {
    using view_type = decltype(candidates.view());
    if constexpr (host_policy<Policy>) {
      candidates_in_rounds<Policy, Vertex, view_type> source{policy_, candidates.view()};
      draw(source, positives, keys, out, times);
      return;
    }
    auto const size = start(positives, out);
    policy_.executor().for_each(size, draw_negative<space, Vertex, view_type>{
                                          candidates.view(), positives.view(), keys, times, options_,
                                          out.sources.view(), out.destinations.view(), out.verified.view()});
  }

  /// Draws in rounds.
  ///
  /// @comm   as `candidates`; the same number of rounds on every rank
  template <candidate_source<Policy, Vertex> Candidates>
  void draw(Candidates& candidates, seed_edges<Policy, Vertex> const& positives,
            array_view<space, random_key const> keys, negative_pairs<Policy, Vertex>& out,
            array_view<space, std::int64_t const> times = {}) {
    batch_type const batch{&positives, keys, &out, times};
    draw_bulk(candidates, std::span(&batch, 1));
  }
  /// Draws in rounds for several batches, whose open places share the rounds.
  template <candidate_source<Policy, Vertex> Candidates>
  void draw_bulk(Candidates& candidates, std::span<negatives_to_draw<Policy, Vertex> const> batches) {
    while (open_.size() < batches.size()) {
      open_.push_back({buffer<Policy, std::int64_t>(0, policy_), buffer<Policy, std::int64_t>(0, policy_)});
    }
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto& [open, still_open] = open_[b];
      open.resize(start(*batches[b].positives, *batches[b].out));
      still_open.reserve(open.size());
      policy_.executor().for_each(open.size(), count_up<space>{open.view()});
    }
    for (std::int64_t attempt = 0; attempt < (options_.strict ? options_.attempts : 1); ++attempt) {
      draw_numbers(candidates, batches, attempt);
      vertices_.resize(numbers_.size());
      times_.resize(candidates.limited() ? numbers_.size() : 0);
      if (!candidates.find(std::as_const(numbers_).view(), vertices_.view(), times_.view(), options_.mode)) {
        break;
      }
      write_candidates(batches);
      if (options_.strict) {
        reject(candidates, batches);
      }
    }
  }

private:
  using batch_type = negatives_to_draw<Policy, Vertex>;

  std::int64_t start(seed_edges<Policy, Vertex> const& positives, negative_pairs<Policy, Vertex>& out) {
    auto const size = num_negatives(positives.view().num_groups(options_.mode), options_);
    adopt_policy(policy_, out.sources, out.destinations, out.verified);
    out.sources.resize(size);
    out.destinations.resize(size);
    out.verified.resize(options_.strict ? size : 0);
    return size;
  }

  [[nodiscard]] std::int64_t num_open(std::size_t num_batches) const noexcept {
    std::int64_t sum = 0;
    for (std::size_t b = 0; b < num_batches; ++b) {
      sum += open_[b].now.size();
    }
    return sum;
  }
  // Calls f(batch, its open places, the first of them among the open places of all batches).
  template <class F>
  void for_each_batch(std::span<batch_type const> batches, F f) {
    std::int64_t first = 0;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto const size = open_[b].now.size();
      f(batches[b], open_[b], first);
      first += size;
    }
  }

  // The numbers of all sources come first, unless triplets share their sources; the numbers of destinations follow.
  template <class Candidates>
  void draw_numbers(Candidates& candidates, std::span<batch_type const> batches, std::int64_t attempt) {
    auto const sources = num_drawn_sources(batches.size());
    numbers_.resize(sources + num_open(batches.size()));
    for_each_batch(batches, [&](batch_type const& batch, open_places const& places, std::int64_t first) {
      auto const open = places.now.view();
      policy_.executor().for_each(open.size(),
                                  draw_candidate<space>{batch.keys, open, options_, attempt,
                                                        candidates.num_numbers(pair_end::source),
                                                        candidates.num_numbers(pair_end::destination),
                                                        sources_of(numbers_.view(), first, open.size()),
                                                        numbers_.view().subview(sources + first, open.size())});
    });
  }

  void write_candidates(std::span<batch_type const> batches) {
    auto const drawn = std::as_const(vertices_).view();
    auto const first_destination = num_drawn_sources(batches.size());
    sources_.resize(num_open(batches.size()));
    destinations_.resize(sources_.size());
    for_each_batch(batches, [&](batch_type const& batch, open_places const& places, std::int64_t first) {
      auto const open = places.now.view();
      auto& out = *batch.out;
      policy_.executor().for_each(open.size(), write_candidate<space, Vertex>{
                                                   open, sources_of(drawn, first, open.size()),
                                                   drawn.subview(first_destination + first, open.size()),
                                                   batch.positives->view().sources, options_,
                                                   sources_.view().subview(first, open.size()),
                                                   destinations_.view().subview(first, open.size()), out.sources.view(),
                                                   out.destinations.view(), out.verified.view()});
    });
  }

  // Keeps the places of rejected candidates open.
  template <class Candidates>
  void reject(Candidates& candidates, std::span<batch_type const> batches) {
    auto const ex = policy_.executor();
    auto const sources = std::as_const(sources_).view();
    auto const destinations = std::as_const(destinations_).view();
    auto const times = std::as_const(times_).view();
    auto const first_destination = num_drawn_sources(batches.size());
    found_.resize(sources.size());
    candidates.test(sources, destinations, found_.view());
    numbers_.resize(sources.size());
    for_each_batch(batches, [&](batch_type const& batch, open_places& places, std::int64_t first) {
      auto& [open, still_open] = places;
      auto const count = open.size();
      auto const rejected = numbers_.view().subview(first, count);
      drawn_times<space> late{};
      if (!times.empty()) {
        late = {sources_of(times, first, count), times.subview(first_destination + first, count),
                std::as_const(open).view(), batch.times, options_};
      }
      auto const size =
          ex.select_if(count,
                       is_rejected<space, Vertex>{sources.subview(first, count), destinations.subview(first, count),
                                                  std::as_const(found_).view().subview(first, count),
                                                  batch.positives->view(), options_.self_pairs, late},
                       rejected);
      still_open.resize(size);
      ex.for_each(
          size, keep_open<space>{rejected, std::as_const(open).view(), still_open.view(), batch.out->verified.view()});
      open.swap(still_open);
    });
  }

  [[nodiscard]] std::int64_t num_drawn_sources(std::size_t num_batches) const noexcept {
    return options_.mode == negative_mode::binary ? num_open(num_batches) : 0;
  }
  // Returns the part of some numbers or vertices that belongs to the sources of a batch; empty for triplets.
  template <class T>
  [[nodiscard]] array_view<space, T> sources_of(array_view<space, T> drawn, std::int64_t first, std::int64_t count) {
    return options_.mode == negative_mode::binary ? drawn.subview(first, count) : array_view<space, T>();
  }

  struct open_places {
    buffer<Policy, std::int64_t> now;
    buffer<Policy, std::int64_t> next;
  };

  negative_options options_;
  Policy policy_;
  std::vector<open_places> open_;        // by batch
  buffer<Policy, std::int64_t> numbers_; // of the open places of all batches; likewise the arrays below
  buffer<Policy, Vertex> vertices_;
  buffer<Policy, std::int64_t> times_; // empty unless candidates are limited
  buffer<Policy, Vertex> sources_;
  buffer<Policy, Vertex> destinations_;
  buffer<Policy, std::uint8_t> found_;
};

} // namespace glt::detail

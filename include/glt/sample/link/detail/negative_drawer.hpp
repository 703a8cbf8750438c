// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/link/detail/draw_negatives.hpp>
#include <glt/sample/link/detail/parallel_seed_edges.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/link/seed_edges.hpp>

#include <concepts>
#include <cstdint>
#include <numeric>
#include <utility>

namespace glt {

/// Where the candidates for negatives come from, and who knows the edges.
///
/// Models: `local_candidates`, `dist::remote_candidates`. A random number below `num_numbers()` stands for a
/// vertex: each vertex for one number, or for as many as it weighs.
///
/// - `c.num_numbers()`
/// - `c.find(numbers, vertices)`: writes the vertices of the numbers; false if no rank has any number, and
///   then nothing more is asked
/// - `c.test(sources, destinations, found)`: writes 1 for pairs that are edges, 0 for others
template <class C, class Policy, class Vertex>
concept candidate_source =
    requires(C& c, array_view<Policy::space, std::int64_t const> numbers, array_view<Policy::space, Vertex> vertices,
             array_view<Policy::space, Vertex const> ends, array_view<Policy::space, std::uint8_t> found) {
      { c.num_numbers() } -> std::same_as<std::int64_t>;
      { c.find(numbers, vertices) } -> std::same_as<bool>;
      c.test(ends, ends, found);
    };

namespace detail {

// The numbers of the open places: of both ends, or of the destination alone.
template <memory_space Space>
struct draw_candidate {
  array_view<Space, random_key const> keys; // [P]
  array_view<Space, std::int64_t const> open;
  negative_options options;
  std::int64_t attempt;
  std::int64_t num_numbers;
  array_view<Space, std::int64_t> numbers;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const [positive, index] = place_of_negative(open[i], keys.size(), options);
    random_stream draws(keys[positive].fold(static_cast<std::uint64_t>(index)), static_cast<std::uint64_t>(attempt));
    int const ends = options.mode == negative_mode::binary ? 2 : 1;
    for (int end = 0; end < ends; ++end) {
      numbers[ends * i + end] = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(num_numbers)));
    }
  }
};

} // namespace detail

/// Draws the negatives of a batch until all are verified or the attempts are used up: on the host round by round,
/// elsewhere all places at once, each by itself.
///
/// The one place where serial and distributed negatives meet: both draw the same candidates in the same
/// order.
///
/// @source uniform negatives, Mikolov et al., NeurIPS 2013; strict by rejection
template <device_policy Policy, vertex_id Vertex>
class negative_drawer {
  static constexpr memory_space space = Policy::space;

public:
  explicit negative_drawer(negative_options options, Policy policy = {})
      : options_(options), policy_(std::move(policy)) {
    validate(options_);
  }

  [[nodiscard]] negative_options const& options() const noexcept { return options_; }

  /// Draws num_negatives(P) pairs, in the order of `place_of_negative`.
  ///
  /// Pairs that could not be verified stay, marked; whoever assembles the batch leaves them out or not.
  ///
  /// @shape  keys [P], the `positive_key` of every positive
  /// @comm   that of `candidates`; as many rounds on every rank
  /// @cost   O(N) draws and tests a round, of which 1 / (1 − density) are needed on average
  template <candidate_source<Policy, Vertex> Candidates>
    requires(host_policy<Policy>)
  void draw(Candidates& candidates, seed_edges<Vertex> const& positives, array_view<space, random_key const> keys,
            negative_pairs<Policy, Vertex>& out) {
    auto const size = num_negatives(positives.size(), options_);
    out.sources.resize(size);
    out.destinations.resize(size);
    open_.resize(size);
    std::iota(open_.begin(), open_.end(), std::int64_t{0});
    for (std::int64_t attempt = 0; attempt < (options_.strict ? options_.attempts : 1); ++attempt) {
      auto const numbers = draw_numbers(candidates.num_numbers(), keys, attempt);
      vertices_.resize(numbers.size());
      if (!candidates.find(numbers, vertices_.view())) {
        break;
      }
      put_candidates(positives, out);
      if (options_.strict) {
        reject(candidates, positives, out);
      }
    }
    mark(out);
  }

  /// The same on a policy whose executor does not work for the host, with candidates that its kernels can reach.
  ///
  /// @where  may only enqueue
  /// @cost   O(N) draws and tests, of which each place makes as many as it needs
  template <class Candidates>
    requires(!host_policy<Policy> && requires(Candidates const& c) {
      { c.view() } -> resident_candidates<Vertex>;
    })
  void draw(Candidates const& candidates, parallel_seed_edges<Policy, Vertex> const& positives,
            array_view<space, random_key const> keys, negative_pairs<Policy, Vertex>& out) {
    auto const size = num_negatives(positives.size(), options_);
    detail::take_from(policy_, out.sources);
    detail::take_from(policy_, out.destinations);
    detail::take_from(policy_, out.verified);
    out.sources.resize(size);
    out.destinations.resize(size);
    out.verified.resize(options_.strict ? size : 0);
    policy_.executor().for_each(size, detail::draw_negative<space, Vertex, decltype(candidates.view())>{
                                          candidates.view(), positives.view(), keys, options_, out.sources.view(),
                                          out.destinations.view(), out.verified.view()});
  }

private:
  array_view<space, std::int64_t const> draw_numbers(std::int64_t num_numbers, array_view<space, random_key const> keys,
                                                     std::int64_t attempt) {
    numbers_.resize(open_.size() * ends());
    policy_.executor().for_each(
        open_.size(), detail::draw_candidate<space>{keys, std::as_const(open_).view(), options_, attempt, num_numbers,
                                                    numbers_.view()});
    return std::as_const(numbers_).view();
  }

  [[nodiscard]] std::int64_t ends() const noexcept { return options_.mode == negative_mode::binary ? 2 : 1; }

  void put_candidates(seed_edges<Vertex> const& positives, negative_pairs<Policy, Vertex>& out) {
    for (std::int64_t i = 0; i < open_.size(); ++i) {
      auto const place = open_[i];
      out.sources[place] = options_.mode == negative_mode::binary
                               ? vertices_[2 * i]
                               : positives[place_of_negative(place, positives.size(), options_).positive].source;
      out.destinations[place] = vertices_[ends() * i + ends() - 1];
    }
  }

  // Leaves open what is an edge, a positive or a vertex paired with itself.
  template <class Candidates>
  void reject(Candidates& candidates, seed_edges<Vertex> const& positives, negative_pairs<Policy, Vertex> const& out) {
    sources_.resize(open_.size());
    destinations_.resize(open_.size());
    for (std::int64_t i = 0; i < open_.size(); ++i) {
      sources_[i] = out.sources[open_[i]];
      destinations_[i] = out.destinations[open_[i]];
    }
    found_.resize(open_.size());
    candidates.test(std::as_const(sources_).view(), std::as_const(destinations_).view(), found_.view());
    std::int64_t still = 0;
    for (std::int64_t i = 0; i < open_.size(); ++i) {
      bool const self = sources_[i] == destinations_[i] && !options_.self_pairs;
      if (found_[i] != 0 || self || positives.contains({sources_[i], destinations_[i]})) {
        open_[still++] = open_[i];
      }
    }
    open_.resize(still);
  }

  void mark(negative_pairs<Policy, Vertex>& out) {
    out.verified.resize(options_.strict ? out.sources.size() : 0);
    for (auto& verified : out.verified) {
      verified = 1;
    }
    if (options_.strict) {
      for (auto const place : open_) {
        out.verified[place] = 0;
      }
    }
  }

  negative_options options_;
  Policy policy_;
  buffer<Policy, std::int64_t> open_;
  buffer<Policy, std::int64_t> numbers_;
  buffer<Policy, Vertex> vertices_;
  buffer<Policy, Vertex> sources_;
  buffer<Policy, Vertex> destinations_;
  buffer<Policy, std::uint8_t> found_;
};

} // namespace glt

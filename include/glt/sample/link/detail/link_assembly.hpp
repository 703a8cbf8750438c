// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/detail/adopt_policy.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/link_sample.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

// Flags the negatives in the result: all but those that were given up and are not padded.
template <memory_space Space>
struct flag_kept {
  array_view<Space, std::uint8_t const> verified; // empty: all are
  bool padding;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t n) const {
    return verified.empty() || padding || verified[n] != 0 ? 1 : 0;
  }
};

// Writes the seeds: sources of positives and, unless triplets, of kept negatives; then the destinations.
template <memory_space Space, class T>
struct write_positive_seeds {
  array_view<Space, T const> sources;
  array_view<Space, T const> destinations;
  std::int64_t first_destination;
  array_view<Space, T> seeds;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    seeds[i] = sources[i];
    seeds[first_destination + i] = destinations[i];
  }
};
template <memory_space Space, class Vertex>
struct write_negative_seeds {
  array_view<Space, Vertex const> sources;
  array_view<Space, Vertex const> destinations;
  array_view<Space, std::int64_t const> ranks; // [N + 1] among the kept negatives
  std::int64_t first_source;                   // −1 for triplets
  std::int64_t first_destination;
  array_view<Space, Vertex> seeds;
  array_view<Space, std::int64_t> places;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    if (ranks[n] == ranks[n + 1]) {
      places[n] = -1;
      return;
    }
    if (first_source >= 0) {
      seeds[first_source + ranks[n]] = sources[n];
    }
    places[n] = first_destination + ranks[n];
    seeds[places[n]] = destinations[n];
  }
};

// Writes the queries of the kept negatives: each has the query of its positive.
template <memory_space Space, class Query>
struct write_negative_queries {
  array_view<Space, Query const> of_positives;
  negative_options options;
  array_view<Space, std::int64_t const> ranks;
  array_view<Space, std::int64_t const> places;
  std::int64_t first_source; // −1 for triplets
  array_view<Space, Query> queries;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    if (places[n] >= 0) {
      auto const query = of_positives[place_of_negative(n, of_positives.size(), options).positive];
      queries[places[n]] = query;
      if (first_source >= 0) {
        queries[first_source + ranks[n]] = query;
      }
    }
  }
};

template <memory_space Space>
struct write_labels {
  array_view<Space, std::int64_t const> labels; // [P] or empty
  std::int64_t num_positives;
  std::int64_t shift;
  array_view<Space, std::int64_t> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    out[i] = i >= num_positives ? 0 : labels.empty() ? 1 : labels[i] + shift;
  }
};

template <memory_space Space>
struct write_negative_index {
  array_view<Space, std::int64_t const> places;
  array_view<Space, local_id const> seed_index;
  array_view<Space, local_id> out;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    out[n] = places[n] < 0 ? local_id{-1} : seed_index[places[n]];
  }
};

// Flags of all negatives, or of the kept ones.
template <memory_space Space>
struct write_verified {
  array_view<Space, std::uint8_t const> verified;
  array_view<Space, std::int64_t const> ranks;
  bool all;
  array_view<Space, std::uint8_t> out;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    if (all) {
      out[n] = verified[n];
    } else if (ranks[n] != ranks[n + 1]) {
      out[ranks[n]] = verified[n];
    }
  }
};

/// Assembly of a `link_sample`: turns positives and negatives into seeds, and takes the subgraph around the seeds.
///
/// Serial and distributed link samplers both use it, and pass the same pairs.
template <device_policy Policy, vertex_id Vertex, class Query = no_query>
class link_assembly {
  static constexpr memory_space space = Policy::space;

public:
  explicit link_assembly(negative_options options, Policy policy = {})
      : options_(options), policy_(policy), seeds_(0, policy), queries_(0, policy), ranks_(0, policy),
        places_(0, policy) {}

  /// Returns the seeds to sample around, in the order of the index tensors; valid until the next call.
  ///
  /// @where  waits for the number of kept negatives, unless all are kept
  /// @cost   O(P + N)
  array_view<space, Vertex const> seeds(seed_edges_view<space, Vertex> positives,
                                        negative_pairs<Policy, Vertex> const& negatives) {
    auto const ex = policy_.executor();
    auto const size = negatives.sources.size();
    ranks_.resize(size + 1);
    places_.resize(size);
    ex.exclusive_scan(size, flag_kept<space>{negatives.verified.view(), options_.padding}, ranks_.view());
    auto const ranks = std::as_const(ranks_).view();
    num_kept_ = negatives.verified.empty() || options_.padding ? size : read_element(policy_, ranks, size);
    seeds_.resize(first_destination(positives.size()) + positives.size() + num_kept_);
    ex.for_each(positives.size(),
                write_positive_seeds<space, Vertex>{positives.sources, positives.destinations,
                                                    first_destination(positives.size()), seeds_.view()});
    ex.for_each(size, write_negative_seeds<space, Vertex>{negatives.sources.view(), negatives.destinations.view(),
                                                          ranks, first_source(positives.size()),
                                                          first_destination(positives.size()) + positives.size(),
                                                          seeds_.view(), places_.view()});
    return std::as_const(seeds_).view();
  }

  /// Returns the queries of the last seeds: both ends of a positive and of its negatives have its query. None if the
  /// rule has no queries.
  ///
  /// @shape  of_positives [P] → [seeds]
  /// @where  enqueues only; valid until the next call
  /// @cost   O(P + N)
  array_view<space, Query const> queries(array_view<space, Query const> of_positives) {
    if constexpr (!std::is_same_v<Query, no_query>) {
      auto const ex = policy_.executor();
      auto const size = of_positives.size();
      queries_.resize(seeds_.size());
      ex.for_each(size, write_positive_seeds<space, Query>{of_positives, of_positives, first_destination(size),
                                                           queries_.view()});
      ex.for_each(places_.size(), write_negative_queries<space, Query>{
                                      of_positives, options_, std::as_const(ranks_).view(),
                                      std::as_const(places_).view(), first_source(size), queries_.view()});
    }
    return std::as_const(queries_).view();
  }

  /// Returns the subgraph that the sampler is to fill.
  [[nodiscard]] static sampled_subgraph<Policy, Vertex>& subgraph_of(link_sample<Policy, Vertex>& out) noexcept {
    return out.subgraph_;
  }

  /// Writes labels and indices after the subgraph around the seeds is sampled.
  ///
  /// @shape  labels [P] or empty
  /// @where  enqueues only
  /// @cost   O(P + N)
  void finish(seed_edges_view<space, Vertex> positives, negative_pairs<Policy, Vertex> const& negatives,
              array_view<space, std::int64_t const> labels, link_sample<Policy, Vertex>& out) {
    auto const ex = policy_.executor();
    bool const triplet = options_.mode == negative_mode::triplet;
    adopt_policy(policy_, out.edge_label_, out.dst_neg_index_, out.verified_);
    out.mode_ = options_.mode;
    out.num_positives_ = positives.size();
    out.num_negatives_ = triplet ? places_.size() : num_kept_;
    out.edge_label_.resize(triplet ? 0 : positives.size() + num_kept_);
    ex.for_each(out.edge_label_.size(),
                write_labels<space>{labels, positives.size(), options_.amount > 0 ? 1 : 0, out.edge_label_.view()});
    out.dst_neg_index_.resize(triplet ? places_.size() : 0);
    ex.for_each(out.dst_neg_index_.size(),
                write_negative_index<space>{std::as_const(places_).view(), out.subgraph_.seed_index(),
                                            out.dst_neg_index_.view()});
    out.verified_.resize(negatives.verified.empty() ? 0 : out.num_negatives_);
    ex.for_each(
        negatives.verified.size(),
        write_verified<space>{negatives.verified.view(), std::as_const(ranks_).view(), triplet, out.verified_.view()});
  }

private:
  // Returns the place of the first source of a negative, −1 for triplets, and of the first destination.
  [[nodiscard]] std::int64_t first_source(std::int64_t num_positives) const noexcept {
    return options_.mode == negative_mode::triplet ? -1 : num_positives;
  }
  [[nodiscard]] std::int64_t first_destination(std::int64_t num_positives) const noexcept {
    return num_positives + (options_.mode == negative_mode::triplet ? 0 : num_kept_);
  }

  negative_options options_;
  Policy policy_;
  buffer<Policy, Vertex> seeds_;
  buffer<Policy, Query> queries_;
  buffer<Policy, std::int64_t> ranks_;
  buffer<Policy, std::int64_t> places_; // [N] in seeds, −1 for negatives that are left out
  std::int64_t num_kept_ = 0;
};

} // namespace glt::detail

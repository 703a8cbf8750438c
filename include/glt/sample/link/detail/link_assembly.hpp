// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/convert.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/link_options.hpp>
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

// Writes the source of every group, or a value of the source.
template <memory_space Space, class Vertex, class T>
struct write_of_groups {
  seed_edges_view<Space, Vertex> positives;
  negative_mode mode;
  array_view<Space, T const> of_sources;
  array_view<Space, T> to;
  GLT_HOST_DEVICE void operator()(std::int64_t group) const {
    to[group] = of_sources[positives.source_of(group, mode)];
  }
};
// Writes the seeds of kept negatives: destinations and, unless triplets, sources.
template <memory_space Space, class Vertex>
struct write_negative_seeds {
  array_view<Space, Vertex const> sources;
  array_view<Space, Vertex const> destinations;
  array_view<Space, std::int64_t const> ranks; // [N + 1] among the kept negatives
  bool triplet;
  std::int64_t num_positives;
  array_view<Space, Vertex> source_seeds;
  array_view<Space, Vertex> destination_seeds;
  array_view<Space, std::int64_t> places;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    if (ranks[n] == ranks[n + 1]) {
      places[n] = -1;
      return;
    }
    places[n] = num_positives + ranks[n];
    if (!triplet) {
      source_seeds[places[n]] = sources[n];
    }
    destination_seeds[places[n]] = destinations[n];
  }
};

// Writes the queries of the kept negatives: each has the query of its group's source.
template <memory_space Space, class Vertex, class Query>
struct write_negative_queries {
  seed_edges_view<Space, Vertex> positives;
  array_view<Space, Query const> of_sources;
  negative_options options;
  array_view<Space, std::int64_t const> places;
  array_view<Space, Query> source_queries;
  array_view<Space, Query> destination_queries;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    if (places[n] >= 0) {
      auto const group = place_of_negative(n, positives.num_groups(options.mode), options).group;
      auto const query = of_sources[positives.source_of(group, options.mode)];
      destination_queries[places[n]] = query;
      if (options.mode == negative_mode::binary) {
        source_queries[places[n]] = query;
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
  array_view<Space, local_id const> destination_index;
  array_view<Space, local_id> out;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    out[n] = places[n] < 0 ? local_id{-1} : destination_index[places[n]];
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
template <device_policy Policy, vertex_id Vertex, class Query = no_query,
          class Subgraph = sampled_subgraph<Policy, Vertex>>
class link_assembly {
  static constexpr memory_space space = Policy::space;
  static constexpr bool has_types = !std::same_as<Subgraph, sampled_subgraph<Policy, Vertex>>;
  using list = array_view<space, Vertex const>;

public:
  using sample_type = link_sample<Policy, Vertex, Subgraph>;
  using seeds_type = std::conditional_t<has_types, std::span<list const>, list>;

  explicit link_assembly(negative_options options, Policy policy = {}, link_types types = {},
                         std::size_t num_node_types = 1)
      : options_(options), policy_(policy), types_(types), lists_(num_node_types), seeds_(0, policy),
        queries_(0, policy), ranks_(0, policy), places_(0, policy) {}

  /// Returns the seeds to sample around, in the order of the index tensors, with types a list per node type; valid
  /// until the next call.
  ///
  /// @where  waits for the number of kept negatives, unless all are kept
  /// @cost   O(P + N)
  seeds_type seeds(seed_edges_view<space, Vertex> positives, negative_pairs<Policy, Vertex> const& negatives) {
    auto const ex = policy_.executor();
    auto const size = negatives.sources.size();
    ranks_.resize(size + 1);
    places_.resize(size);
    ex.exclusive_scan(size, flag_kept<space>{negatives.verified.view(), options_.padding}, ranks_.view());
    auto const ranks = std::as_const(ranks_).view();
    num_kept_ = negatives.verified.empty() || options_.padding ? size : read_element(policy_, ranks, size);
    auto const groups = positives.num_groups(options_.mode);
    num_sources_ = is_triplet() ? groups : groups + num_kept_;
    num_destinations_ = positives.size() + num_kept_;
    seeds_.resize(num_sources_ + num_destinations_);
    auto const sources = seeds_.view().subview(0, num_sources_);
    auto const destinations = seeds_.view().subview(num_sources_, num_destinations_);
    ex.for_each(groups, write_of_groups<space, Vertex, Vertex>{positives, options_.mode, positives.sources, sources});
    ex.for_each(positives.size(), copy_elements<space, Vertex>{positives.destinations, destinations});
    ex.for_each(size, write_negative_seeds<space, Vertex>{negatives.sources.view(), negatives.destinations.view(),
                                                          ranks, is_triplet(), positives.size(), sources, destinations,
                                                          places_.view()});
    if constexpr (has_types) {
      lists_[static_cast<std::size_t>(types_.source)] = sources;
      lists_[static_cast<std::size_t>(types_.destination)] = destinations;
      if (types_.one_vertex_type()) {
        lists_[static_cast<std::size_t>(types_.source)] = std::as_const(seeds_).view();
      }
      return lists_;
    } else {
      return std::as_const(seeds_).view();
    }
  }

  /// Returns the queries of the last seeds, with types type after type: both ends of a positive and of its negatives
  /// have the query of its source. None if the rule has no queries.
  ///
  /// @shape  of_sources [S] → [seeds]
  /// @where  enqueues only; valid until the next call
  /// @cost   O(P + N)
  array_view<space, Query const> queries(seed_edges_view<space, Vertex> positives,
                                         array_view<space, Query const> of_sources) {
    if constexpr (!std::is_same_v<Query, no_query>) {
      auto const ex = policy_.executor();
      using write = write_of_groups<space, Vertex, Query>;
      queries_.resize(seeds_.size());
      bool const sources_first = types_.source <= types_.destination;
      auto const sources = queries_.view().subview(sources_first ? 0 : num_destinations_, num_sources_);
      auto const destinations = queries_.view().subview(sources_first ? num_sources_ : 0, num_destinations_);
      ex.for_each(positives.num_groups(options_.mode), write{positives, options_.mode, of_sources, sources});
      ex.for_each(positives.size(), write{positives, negative_mode::binary, of_sources, destinations});
      ex.for_each(places_.size(),
                  write_negative_queries<space, Vertex, Query>{positives, of_sources, options_,
                                                               std::as_const(places_).view(), sources, destinations});
    }
    return std::as_const(queries_).view();
  }

  /// Returns the subgraph that the sampler is to fill.
  [[nodiscard]] static Subgraph& subgraph_of(sample_type& out) noexcept { return out.subgraph_; }

  /// Writes labels and indices after the subgraph around the seeds is sampled.
  ///
  /// @shape  labels [P] or empty
  /// @where  enqueues only
  /// @cost   O(P + N)
  void finish(seed_edges_view<space, Vertex> positives, negative_pairs<Policy, Vertex> const& negatives,
              array_view<space, std::int64_t const> labels, sample_type& out) {
    auto const ex = policy_.executor();
    bool const triplet = is_triplet();
    adopt_policy(policy_, out.edge_label_, out.pos_offsets_, out.dst_neg_index_, out.verified_, out.typed_index_);
    if constexpr (has_types) {
      join_index(out);
    }
    out.num_positives_ = positives.size();
    out.num_sources_ = triplet ? num_sources_ : 0;
    out.num_negatives_ = triplet ? places_.size() : num_kept_;
    out.edge_label_.resize(triplet ? 0 : positives.size() + num_kept_);
    ex.for_each(out.edge_label_.size(),
                write_labels<space>{labels, positives.size(), options_.amount > 0 ? 1 : 0, out.edge_label_.view()});
    out.pos_offsets_.resize(positives.offsets.size());
    ex.for_each(out.pos_offsets_.size(),
                copy_elements<space, std::int64_t>{positives.offsets, out.pos_offsets_.view()});
    out.dst_neg_index_.resize(triplet ? places_.size() : 0);
    ex.for_each(out.dst_neg_index_.size(),
                write_negative_index<space>{std::as_const(places_).view(),
                                            out.index().subview(num_sources_, num_destinations_),
                                            out.dst_neg_index_.view()});
    out.verified_.resize(negatives.verified.empty() ? 0 : out.num_negatives_);
    ex.for_each(
        negatives.verified.size(),
        write_verified<space>{negatives.verified.view(), std::as_const(ranks_).view(), triplet, out.verified_.view()});
  }

private:
  [[nodiscard]] bool is_triplet() const noexcept { return options_.mode == negative_mode::triplet; }

  // Joins the positions of sources and destinations, which are nodes of two types, or already one list.
  void join_index(sample_type& out) {
    auto const ex = policy_.executor();
    out.typed_index_.resize(num_sources_ + num_destinations_);
    auto const index = out.typed_index_.view();
    auto const sources = out.subgraph_.seed_index(types_.source);
    ex.for_each(sources.size(), copy_elements<space, local_id>{sources, index.subview(0, sources.size())});
    if (!types_.one_vertex_type()) {
      ex.for_each(num_destinations_, copy_elements<space, local_id>{out.subgraph_.seed_index(types_.destination),
                                                                    index.subview(num_sources_, num_destinations_)});
    }
  }

  negative_options options_;
  Policy policy_;
  link_types types_;
  std::vector<list> lists_;      // of the seeds, by node type
  buffer<Policy, Vertex> seeds_; // sources, then destinations
  buffer<Policy, Query> queries_;
  buffer<Policy, std::int64_t> ranks_;
  buffer<Policy, std::int64_t> places_; // [N] among the destinations, −1 for negatives that are left out
  std::int64_t num_kept_ = 0;
  std::int64_t num_sources_ = 0; // among the seeds; likewise the next
  std::int64_t num_destinations_ = 0;
};

} // namespace glt::detail

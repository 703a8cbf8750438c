// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt {

namespace detail {
struct member_access;
template <device_policy Policy, vertex_id Vertex, class Query, class Subgraph>
class link_assembly;
} // namespace detail

/// Sample of P positive and N negative pairs, with one subgraph around all their ends. Reusable: sampling into it again
/// keeps the memory.
///
/// The first nodes of the subgraph are the distinct ends, in the order of the index tensors: sources before
/// destinations, positives before negatives. With types the subgraph is a `hetero_subgraph`; sources and destinations are
/// nodes of the types that the type of the seed edges joins.
///
/// The pairs of source i of the batch: its positives are elements pos_offsets()[i] to pos_offsets()[i + 1] of
/// dst_pos_index(), or such columns of edge_label_index(), and without offsets only element i. Its negatives are
/// dst_neg_index().row(i). Binary negatives go round the positives: without gaps, number n is of positive n mod P.
///
/// Concurrent calls: none while it is sampled into; const members may run concurrently.
///
/// @units  indices are positions in subgraph().nodes(), or with types in the nodes of the end's type
template <device_policy Policy, vertex_id Vertex = local_id, class Subgraph = sampled_subgraph<Policy, Vertex>>
class link_sample {
  static constexpr bool has_types = !std::same_as<Subgraph, sampled_subgraph<Policy, Vertex>>;

public:
  static constexpr memory_space space = Policy::space;
  using vertex_type = Vertex;

  [[nodiscard]] Subgraph const& subgraph() const noexcept { return subgraph_; }
  [[nodiscard]] std::int64_t num_positives() const noexcept { return num_positives_; }
  /// Returns the number of negatives in the result: fewer than requested if some were given up and are not padded.
  /// Triplets keep all places.
  [[nodiscard]] std::int64_t num_negatives() const noexcept { return num_negatives_; }

  /// Returns sources and destinations of all pairs, positives first; no columns for triplets.
  ///
  /// @shape  [2, P + N]
  [[nodiscard]] matrix_view<space, local_id const> edge_label_index() const noexcept {
    return {index().data(), 2, edge_label_.size()};
  }
  /// Returns the labels; empty for triplets. Without negatives: the given labels, or 1. With negatives: 0 for
  /// negatives, and for positives the given label + 1, or 1.
  ///
  /// @shape  [P + N]
  [[nodiscard]] array_view<space, std::int64_t const> edge_label() const noexcept { return edge_label_.view(); }

  /// Returns the first positive of every source, and P; empty if the seeds had no offsets, so one destination each.
  ///
  /// @shape  [S + 1]
  [[nodiscard]] array_view<space, std::int64_t const> pos_offsets() const noexcept { return pos_offsets_.view(); }

  /// Returns, for triplets, the S sources, which positives and negatives share; empty otherwise.
  ///
  /// @shape  [S]
  [[nodiscard]] array_view<space, local_id const> src_index() const noexcept {
    return index().subview(0, num_sources_);
  }
  /// Returns, for triplets, the destinations of the positives, source by source.
  ///
  /// @shape  [P]
  [[nodiscard]] array_view<space, local_id const> dst_pos_index() const noexcept {
    return index().subview(num_sources_, num_sources_ == 0 ? 0 : num_positives_);
  }
  /// Returns, for triplets, the destinations of the negatives; −1 if one was given up and is not padded.
  ///
  /// @shape  [S, amount]
  [[nodiscard]] matrix_view<space, local_id const> dst_neg_index() const noexcept {
    return {dst_neg_index_.data(), num_sources_, num_sources_ == 0 ? 0 : dst_neg_index_.size() / num_sources_};
  }

  /// Returns 1 for negatives that are verified, 0 for padding and gaps; empty if negatives are not strict.
  ///
  /// @shape  [N]
  [[nodiscard]] array_view<space, std::uint8_t const> verified() const noexcept { return verified_.view(); }

private:
  template <device_policy OfPolicy, vertex_id OfVertex, class Query, class OfSubgraph>
  friend class detail::link_assembly;
  friend struct detail::member_access;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    auto members = std::tie(self.subgraph_, self.num_sources_, self.num_positives_, self.num_negatives_,
                            self.edge_label_, self.pos_offsets_, self.dst_neg_index_, self.verified_);
    if constexpr (has_types) {
      return std::tuple_cat(members, std::tie(self.typed_index_));
    } else {
      return members;
    }
  }

  // Returns the positions of all sources, then of all destinations.
  [[nodiscard]] array_view<space, local_id const> index() const noexcept {
    if constexpr (has_types) {
      return typed_index_.view();
    } else {
      return subgraph_.seed_index();
    }
  }

  Subgraph subgraph_;
  std::int64_t num_sources_ = 0; // of triplets
  std::int64_t num_positives_ = 0;
  std::int64_t num_negatives_ = 0;
  buffer<Policy, std::int64_t> edge_label_;
  buffer<Policy, std::int64_t> pos_offsets_;
  buffer<Policy, local_id> dst_neg_index_;
  buffer<Policy, std::uint8_t> verified_;
  buffer<Policy, local_id> typed_index_; // empty without types: the subgraph then has it
};

} // namespace glt

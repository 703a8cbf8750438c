// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/cover/boundary_cover.hpp>
#include <glt/dist/full_batch/detail/row_sums.hpp>
#include <glt/dist/full_batch/shard.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Blocks that travel in a pass over a graph with a cover of its boundary. Between two ranks the cover is used if it
/// takes fewer bytes than the rows of all sources.
///
/// A block consists of rows and sums; backward, of rows and gradients. The weights of pushed edges follow if they
/// travel with it, and for extremes the chosen edges.
template <class Graph, class T>
class covered_blocks {
  using policy = typename Graph::policy_type;
  static constexpr memory_space space = policy::space;

public:
  using incoming_type = incoming_boundary<space>;
  using outgoing_type = outgoing_boundary<space>;

  template <class Value, class Number>
  struct block_parts {
    Value* rows;
    Value* sums;
    Value* weights;
    Number* chosen;
  };

  /// @param  weights  number of weights of an edge
  covered_blocks(Graph const& graph, std::int64_t columns, bool has_winners, std::int64_t weights)
      : graph_(&graph), rows_(graph.policy(), columns), winners_(has_winners ? columns : 0), weights_(weights) {}

  [[nodiscard]] row_sums<policy, T> const& rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t weights() const noexcept { return weights_; }

  [[nodiscard]] incoming_type incoming(std::int64_t k) const {
    auto const in = graph_->cover()->incoming(k);
    return size_of(in, weights_) < rows_.bytes(graph_->num_received(k))
               ? in
               : incoming_type{graph_->shard(k), graph_->transposed(k), {}, {}};
  }
  [[nodiscard]] outgoing_type outgoing(std::int64_t k) const {
    auto const out = graph_->cover()->outgoing(k);
    auto const all = graph_->sent_rows(k);
    return size_of(out, weights_) < rows_.bytes(all.size()) ? out : outgoing_type{all, {}, {}};
  }

  /// Returns the bytes of a block with `weights` weights for each pushed edge.
  template <class Boundary>
  [[nodiscard]] std::int64_t size_of(Boundary const& of, std::int64_t weights) const {
    auto const size = counts_of(of);
    return rows_.bytes(size.rows + size.sums) + size.edges * weights * static_cast<std::int64_t>(sizeof(T)) +
           size.sums * winners_ * static_cast<std::int64_t>(sizeof(local_id));
  }

  template <class Boundary>
  [[nodiscard]] block_parts<T, local_id> parts_of(std::byte* block, Boundary const& of, std::int64_t weights) const {
    auto const size = counts_of(of);
    auto* const rows = reinterpret_cast<T*>(block);
    auto* const sums = rows + size.rows * rows_.columns();
    auto* const behind = sums + size.sums * rows_.columns();
    return {rows, sums, behind, reinterpret_cast<local_id*>(behind + size.edges * weights)};
  }
  template <class Boundary>
  [[nodiscard]] block_parts<T const, local_id const> parts_of(std::byte const* block, Boundary const& of,
                                                              std::int64_t weights) const {
    auto const made = parts_of(const_cast<std::byte*>(block), of, weights);
    return {made.rows, made.sums, made.weights, made.chosen};
  }

private:
  // Contents of the blocks between two ranks.
  struct counts {
    std::int64_t rows;
    std::int64_t sums;
    std::int64_t edges;
  };
  [[nodiscard]] static counts counts_of(incoming_type const& in) {
    return {in.pulled.num_columns, in.summed.size(), in.pushed.size()};
  }
  [[nodiscard]] static counts counts_of(outgoing_type const& out) {
    return {out.sent.size(), out.pushed.num_rows, out.pushed.num_edges};
  }

  Graph const* graph_;
  row_sums<policy, T> rows_;
  std::int64_t winners_; // columns with winners
  std::int64_t weights_;
};

} // namespace glt::detail

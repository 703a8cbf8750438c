// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/sampling/detail/parallel_reply.hpp>
#include <glt/dist/sampling/detail/reply_slices.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/neighbors.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// Looks up where the edges of a slice begin.
///
/// @shape  slices [R + 1], their first edges written · offsets [n + 1]
template <memory_space Space>
struct find_first_edges {
  array_view<Space, reply_slice> slices;
  array_view<Space, edge_offset const> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t rank) const {
    slices[rank].first_edge = offsets[slices[rank].first_row];
  }
};

/// Draws for all ranks in one pass, the own one among them, and packs what the others get; reusable.
///
/// @where  memory of `Policy`, whose executor does all of it
template <device_policy Policy, vertex_id Vertex>
class parallel_serving {
  static constexpr memory_space space = Policy::space;

public:
  explicit parallel_serving(Policy policy)
      : policy_(std::move(policy)),
        counts_(0, policy_), drawn_{buffer<Policy, edge_offset>(0, policy_),
                                    buffer<Policy, Vertex>(0, policy_), buffer<Policy, edge_id>(0, policy_)},
        table_(0, policy_), messages_(0, policy_) {}

  /// Draws for a list of rows.
  ///
  /// @where  waits for the number of edges
  /// @pre    every row is in [0, graph.num_rows()); not checked
  template <class Graph, class Request>
  hop_sample<Policy, Vertex> const& draw(Graph const& graph, Request const& request, bool edge_ids) {
    count(graph, request);
    sample(graph, request, edge_ids, read_element(policy_, drawn_.offsets.view(), request.rows.size()));
    return drawn_;
  }

  /// Draws for the rows that ranks ask for, and packs a message for each but the own one.
  ///
  /// @shape  request.rows [n], rank by rank · first_rows [R + 1], of every rank
  /// @where  waits for the R + 1 numbers that the host needs
  /// @pre    every row is in [0, graph.num_rows()); not checked
  template <class Graph, class Request>
  void serve(Graph const& graph, Request const& request, std::span<std::int64_t const> first_rows, int self,
             bool edge_ids, aligned_reply_layout<Vertex> const& layout) {
    auto const ex = policy_.executor();
    count(graph, request);
    slices_.assign(first_rows.size(), {});
    for (std::size_t rank = 0; rank < first_rows.size(); ++rank) {
      slices_[rank].first_row = first_rows[rank];
    }
    table_.resize(static_cast<std::int64_t>(slices_.size()));
    copy_in(policy_, host_view<reply_slice const>(slices_), table_.view());
    ex.for_each(table_.size(), find_first_edges<space>{table_.view(), std::as_const(drawn_.offsets).view()});
    copy_out(policy_, table_.view(), host_view<reply_slice>(slices_));
    sample(graph, request, edge_ids, slices_.back().first_edge);
    edges_.assign(first_rows.size() - 1, 0);
    message_offsets_.assign(first_rows.size(), 0);
    for (std::size_t rank = 0; rank + 1 < slices_.size(); ++rank) {
      auto const rows = slices_[rank + 1].first_row - slices_[rank].first_row;
      edges_[rank] = slices_[rank + 1].first_edge - slices_[rank].first_edge;
      bool const answers = rows > 0 && static_cast<int>(rank) != self;
      message_offsets_[rank + 1] = message_offsets_[rank] + (answers ? layout.bytes(rows, edges_[rank]) : 0);
      slices_[rank + 1].message = message_offsets_[rank + 1];
    }
    messages_.resize(message_offsets_.back());
    copy_in(policy_, host_view<reply_slice const>(slices_), table_.view());
    ex.for_each(request.rows.size(), put_reply_counts<space, Vertex>{std::as_const(table_).view(), layout,
                                                                     std::as_const(drawn_.offsets).view(),
                                                                     messages_.data(), self});
    ex.for_each(drawn_.sources.size(), put_reply_edges<space, Vertex>{std::as_const(table_).view(), layout,
                                                                      std::as_const(drawn_.sources).view(),
                                                                      std::as_const(drawn_.edge_ids).view(),
                                                                      messages_.data(), self});
  }

  /// What was drawn, for all ranks.
  [[nodiscard]] hop_sample<Policy, Vertex> const& drawn() const noexcept { return drawn_; }
  /// Edges for every rank, and where their rows and edges begin among those that were drawn.
  ///
  /// @shape  edges [R] · slices [R + 1]
  [[nodiscard]] std::span<std::int64_t const> edges() const noexcept { return edges_; }
  [[nodiscard]] std::span<reply_slice const> slices() const noexcept { return slices_; }
  /// Messages to the ranks, and where each begins; that of the own one is empty.
  ///
  /// @shape  message_offsets [R + 1]
  [[nodiscard]] array_view<space, std::byte const> messages() const noexcept { return messages_.view(); }
  [[nodiscard]] std::span<std::int64_t const> message_offsets() const noexcept { return message_offsets_; }

private:
  template <class Graph, class Request>
  void count(Graph const& graph, Request const& request) {
    counts_.resize(request.rows.size());
    drawn_.offsets.resize(request.rows.size() + 1);
    count_neighbors(policy_.executor(), graph, request, counts_.view(), drawn_.offsets.view());
  }

  template <class Graph, class Request>
  void sample(Graph const& graph, Request const& request, bool edge_ids, std::int64_t num_edges) {
    drawn_.sources.resize(num_edges);
    drawn_.edge_ids.resize(edge_ids ? num_edges : 0);
    sample_neighbors(policy_.executor(), graph, request, std::as_const(drawn_.offsets).view(),
                     drawn_.sources.view(), drawn_.edge_ids.view());
  }

  Policy policy_;
  buffer<Policy, edge_offset> counts_;
  hop_sample<Policy, Vertex> drawn_;
  std::vector<reply_slice> slices_;
  buffer<Policy, reply_slice> table_; // `slices_` where the executor reads them
  std::vector<std::int64_t> edges_;
  std::vector<std::int64_t> message_offsets_;
  buffer<Policy, std::byte> messages_;
};

} // namespace glt::dist

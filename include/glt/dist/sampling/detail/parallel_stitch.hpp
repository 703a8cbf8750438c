// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/sampling/detail/parallel_reply.hpp>
#include <glt/dist/sampling/detail/parallel_serving.hpp>
#include <glt/dist/sampling/detail/reply_slices.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/sample/detail/batch/draw.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// Puts the draws of all ranks in the order of the list that was asked about; reusable.
///
/// @where  memory of `Policy`, whose executor does all of it; the host waits for nothing
template <device_policy Policy, vertex_id Vertex>
class parallel_stitch {
  static constexpr memory_space space = Policy::space;

public:
  explicit parallel_stitch(Policy policy)
      : policy_(std::move(policy)), table_(0, policy_), messages_(0, policy_), counts_(0, policy_),
        in_order_(0, policy_), first_edges_(0, policy_), stitched_{buffer<Policy, edge_offset>(0, policy_),
                                                                   buffer<Policy, Vertex>(0, policy_),
                                                                   buffer<Policy, edge_id>(0, policy_)} {}

  /// Makes room for all that does not depend on what the others answer, and for messages of that many bytes.
  ///
  /// @shape  n rows
  void reserve(std::int64_t num_rows, std::int64_t message_bytes) {
    counts_.resize(num_rows);
    in_order_.resize(num_rows);
    first_edges_.resize(num_rows + 1);
    stitched_.offsets.resize(num_rows + 1);
    messages_.reserve(message_bytes);
  }

  /// Makes room for the answers: what each rank says that it sends for the rows that it was asked for.
  ///
  /// @shape  first_rows [R + 1] · edges [R], of the own rank those that it drew for itself
  void expect(std::span<std::int64_t const> first_rows, std::span<std::int64_t const> edges, int self,
              aligned_reply_layout<Vertex> const& layout) {
    slices_.assign(first_rows.size(), {});
    message_offsets_.assign(first_rows.size(), 0);
    for (std::size_t rank = 0; rank + 1 < first_rows.size(); ++rank) {
      auto const rows = first_rows[rank + 1] - first_rows[rank];
      bool const answers = rows > 0 && static_cast<int>(rank) != self;
      message_offsets_[rank + 1] = message_offsets_[rank] + (answers ? layout.bytes(rows, edges[rank]) : 0);
      slices_[rank + 1] = {first_rows[rank + 1], slices_[rank].first_edge + edges[rank],
                           message_offsets_[rank + 1]};
    }
    messages_.resize(message_offsets_.back());
  }

  /// Where the messages are to be received.
  ///
  /// @shape  message_offsets [R + 1]
  [[nodiscard]] array_view<space, std::byte> messages() noexcept { return messages_.view(); }
  [[nodiscard]] std::span<std::int64_t const> message_offsets() const noexcept { return message_offsets_; }

  /// The draws in the order of the list; valid until the next call.
  ///
  /// @shape  places [n], of the rows in the order of asking
  /// @pre    the messages are there, and hold as many edges as their ranks said; not checked
  hop_sample<Policy, Vertex> const& run(array_view<space, std::int64_t const> places,
                                        parallel_serving<Policy, Vertex> const& own, int self, bool edge_ids,
                                        aligned_reply_layout<Vertex> const& layout) {
    auto const ex = policy_.executor();
    table_.resize(static_cast<std::int64_t>(slices_.size()));
    copy_in(policy_, host_view<reply_slice const>(slices_), table_.view());
    auto const& own_slice = own.slices()[static_cast<std::size_t>(self)];
    answers_view<space, Vertex> const answers{.slices = std::as_const(table_).view(),
                                              .layout = layout,
                                              .messages = messages_.data(),
                                              .offsets = own.drawn().offsets.view(),
                                              .sources = own.drawn().sources.data(),
                                              .edge_ids = own.drawn().edge_ids.data(),
                                              .self = self,
                                              .first_own_row = own_slice.first_row,
                                              .first_own_edge = own_slice.first_edge};
    ex.for_each(places.size(),
                take_reply_counts<space, Vertex>{answers, places, counts_.view(), in_order_.view()});
    ex.exclusive_scan(std::as_const(counts_).view(), first_edges_.view());
    ex.exclusive_scan(std::as_const(in_order_).view(), stitched_.offsets.view());
    stitched_.sources.resize(slices_.back().first_edge);
    stitched_.edge_ids.resize(edge_ids ? slices_.back().first_edge : 0);
    ex.for_each(places.size(),
                take_reply_edges<space, Vertex>{answers, places, std::as_const(first_edges_).view(),
                                                std::as_const(stitched_.offsets).view(),
                                                stitched_.sources.view(), stitched_.edge_ids.view()});
    return stitched_;
  }

private:
  Policy policy_;
  std::vector<reply_slice> slices_;
  std::vector<std::int64_t> message_offsets_;
  buffer<Policy, reply_slice> table_; // `slices_` where the executor reads them
  buffer<Policy, std::byte> messages_;
  buffer<Policy, edge_offset> counts_;      // in the order of asking
  buffer<Policy, edge_offset> in_order_;    // in that of the list
  buffer<Policy, edge_offset> first_edges_; // in the order of asking
  hop_sample<Policy, Vertex> stitched_;
};

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/ragged_replies.hpp>
#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/reply_layout.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Draws over one relation for one requester, and their places in the message to it.
template <vertex_id Vertex>
struct packed_slice {
  drawn_rows<Vertex> drawn;
  std::int64_t count_bytes = 0; // of a row
  std::byte* counts = nullptr;
  std::byte* sources = nullptr;
  std::byte* edge_ids = nullptr;
  std::int64_t first_row = 0;  // among the rows of all slices
  std::int64_t first_edge = 0; // among the edges of all slices

  GLT_HOST_DEVICE void write_row(std::int64_t row) const {
    write_count(counts, count_bytes, row, drawn.offsets[row + 1] - drawn.offsets[row]);
  }
  GLT_HOST_DEVICE void write_edge(std::int64_t edge) const {
    reinterpret_cast<Vertex*>(sources)[edge] = drawn.sources[drawn.first_edge + edge];
    if (drawn.edge_ids != nullptr) {
      reinterpret_cast<edge_id*>(edge_ids)[edge] = drawn.edge_ids[drawn.first_edge + edge];
    }
  }
};

template <memory_space Space, vertex_id Vertex>
struct pack_counts {
  array_view<Space, packed_slice<Vertex> const> slices;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const& slice = slices[slice_holding(slices.size(), i, [this](std::int64_t s) { return slices[s].first_row; })];
    slice.write_row(i - slice.first_row);
  }
};

template <memory_space Space, vertex_id Vertex>
struct pack_edges {
  array_view<Space, packed_slice<Vertex> const> slices;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const& slice =
        slices[slice_holding(slices.size(), i, [this](std::int64_t s) { return slices[s].first_edge; })];
    slice.write_edge(i - slice.first_edge);
  }
};

/// Packing of the draws for other ranks, one message per rank; reusable.
///
/// @where  memory of `Policy`
template <device_policy Policy, vertex_id Vertex>
class reply_packing {
  static constexpr memory_space space = Policy::space;

public:
  explicit reply_packing(Policy policy = {}) : policy_(policy), table_(0, policy) {}

  /// Writes drawn_of(rank, relation) to the message for each rank; the message for this rank is empty.
  ///
  /// @shape  count_bytes [relations], of a row
  /// @throws precondition_error  with host policies, if a row has more edges than its count can hold
  template <class DrawnOf>
  void pack(int num_ranks, int self, std::span<std::int64_t const> count_bytes, bool edge_ids, DrawnOf drawn_of,
            rank_messages<Policy>& messages) {
    plan(num_ranks, self, count_bytes, edge_ids, drawn_of, messages);
    if constexpr (host_policy<Policy>) {
      for (auto const& slice : slices_) {
        pack_on_host(slice);
      }
    } else {
      table_.resize(std::ssize(slices_));
      copy_in(policy_, host_view<packed_slice<Vertex> const>(slices_), table_.view());
      auto const slices = std::as_const(table_).view();
      policy_.executor().for_each(num_rows_, pack_counts<space, Vertex>{slices});
      policy_.executor().for_each(num_edges_, pack_edges<space, Vertex>{slices});
    }
  }

private:
  template <class DrawnOf>
  void plan(int num_ranks, int self, std::span<std::int64_t const> count_bytes, bool edge_ids, DrawnOf drawn_of,
            rank_messages<Policy>& messages) {
    slices_.clear();
    layouts_.clear();
    messages.clear();
    num_rows_ = 0;
    num_edges_ = 0;
    for (int rank = 0; rank < num_ranks; ++rank) {
      reply_layout<Policy, Vertex> layout{.edge_ids = edge_ids};
      for (std::size_t e = 0; rank != self && e < count_bytes.size(); ++e) {
        auto const drawn = drawn_of(static_cast<std::size_t>(rank), e);
        if (drawn.num_rows > 0) {
          slices_.push_back(
              {.drawn = drawn, .count_bytes = count_bytes[e], .first_row = num_rows_, .first_edge = num_edges_});
          layout.count_bytes += drawn.num_rows * count_bytes[e];
          layout.num_edges += drawn.num_edges;
          num_rows_ += drawn.num_rows;
          num_edges_ += drawn.num_edges;
        }
      }
      layouts_.push_back({layout, slices_.size()});
      messages.append(layout.bytes());
    }
    std::size_t s = 0;
    for (std::size_t rank = 0; rank < layouts_.size(); ++rank) {
      auto const& [layout, end] = layouts_[rank];
      auto* const message = messages.data(rank);
      auto* counts = message;
      for (std::int64_t edges = 0; s < end; ++s) {
        auto& slice = slices_[s];
        slice.counts = counts;
        slice.sources = message + layout.sources() + edges * layout.source_bytes;
        slice.edge_ids = message + layout.ids() + edges * static_cast<std::int64_t>(sizeof(edge_id));
        counts += slice.drawn.num_rows * slice.count_bytes;
        edges += slice.drawn.num_edges;
      }
    }
  }

  static void pack_on_host(packed_slice<Vertex> const& slice) {
    auto const& drawn = slice.drawn;
    auto* out = slice.counts;
    for (std::int64_t row = 0; row < drawn.num_rows; ++row) {
      auto const count =
          narrow<std::uint32_t>(drawn.offsets[row + 1] - drawn.offsets[row], "number of neighbours of a vertex");
      if (slice.count_bytes < 4 && (count >> (8 * slice.count_bytes)) != 0) {
        throw precondition_error(message("a rule took ", count, " edges of a row, more than the fanout; give the rule ",
                                         "may_exceed_fanout = true"));
      }
      for (std::int64_t b = 0; b < slice.count_bytes; ++b) {
        *out++ = static_cast<std::byte>((count >> (8 * b)) & 0xFFU);
      }
    }
    copy_bytes(slice.sources, drawn.sources + drawn.first_edge,
               drawn.num_edges * static_cast<std::int64_t>(sizeof(Vertex)));
    if (drawn.edge_ids != nullptr) {
      copy_bytes(slice.edge_ids, drawn.edge_ids + drawn.first_edge,
                 drawn.num_edges * static_cast<std::int64_t>(sizeof(edge_id)));
    }
  }

  struct message_plan {
    reply_layout<Policy, Vertex> layout;
    std::size_t end_slice;
  };

  Policy policy_;
  std::vector<packed_slice<Vertex>> slices_;
  std::vector<message_plan> layouts_; // [R]
  std::int64_t num_rows_ = 0;
  std::int64_t num_edges_ = 0;
  buffer<Policy, packed_slice<Vertex>> table_; // `slices_` in memory of the executor
};

} // namespace glt::detail

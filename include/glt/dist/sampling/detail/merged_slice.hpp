// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/sampling/detail/reply_layout.hpp>
#include <glt/dist/sampling/detail/slice_search.hpp>
#include <glt/dist/sampling/detail/type_places.hpp>

namespace glt::detail {

/// Draws of one rank over one relation, drawn here or received in a message.
///
/// Its sources and edge ids are contiguous; the pointers point to the edges of row `zero_row`.
struct merged_slice {
  std::int64_t relation = 0;
  frontier_places rows;
  edge_offset const* offsets = nullptr; // local draws
  std::byte const* counts = nullptr;    // received draws
  std::int64_t count_bytes = 0;
  std::byte const* sources = nullptr;
  std::byte const* edge_ids = nullptr; // null if not requested
  std::int64_t message = -1;           // its number; −1 for local draws
  std::int64_t first_row = 0;          // among the rows of all slices
  std::int64_t zero_row = 0;           // likewise

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count(std::int64_t i) const {
    return offsets != nullptr ? offsets[i + 1] - offsets[i] : read_count(counts, count_bytes, i);
  }
};

/// Arrays into which the draws over a relation are merged.
template <vertex_id Vertex>
struct merged_relation {
  edge_offset* counts = nullptr; // in the order of the frontier
  edge_offset const* offsets = nullptr;
  Vertex* sources = nullptr;
  edge_id* edge_ids = nullptr; // null if not requested
};

template <memory_space Space>
[[nodiscard]] GLT_HOST_DEVICE merged_slice const& slice_of_row(array_view<Space, merged_slice const> slices,
                                                               std::int64_t i) {
  return slices[slice_holding(slices.size(), i, [&](std::int64_t s) { return slices[s].first_row; })];
}

template <memory_space Space, vertex_id Vertex>
struct merge_counts {
  array_view<Space, merged_slice const> slices;
  array_view<Space, merged_relation<Vertex> const> relations;
  array_view<Space, edge_offset> counts; // in the order of the slices
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const& slice = slice_of_row(slices, i);
    auto const row = i - slice.first_row;
    counts[i] = slice.count(row);
    relations[slice.relation].counts[slice.rows[row]] = counts[i];
  }
};

template <memory_space Space, vertex_id Vertex>
struct merge_edges {
  array_view<Space, merged_slice const> slices;
  array_view<Space, merged_relation<Vertex> const> relations;
  array_view<Space, edge_offset const> offsets; // in the order of the slices
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const& slice = slice_of_row(slices, i);
    auto const& relation = relations[slice.relation];
    auto const first = offsets[i] - offsets[slice.zero_row];
    auto const count = offsets[i + 1] - offsets[i];
    auto const to = relation.offsets[slice.rows[i - slice.first_row]];
    auto const* const sources = reinterpret_cast<Vertex const*>(slice.sources) + first;
    for (std::int64_t j = 0; j < count; ++j) {
      relation.sources[to + j] = sources[j];
    }
    if (relation.edge_ids != nullptr) {
      auto const* const ids = reinterpret_cast<edge_id const*>(slice.edge_ids) + first;
      for (std::int64_t j = 0; j < count; ++j) {
        relation.edge_ids[to + j] = ids[j];
      }
    }
  }
};

} // namespace glt::detail

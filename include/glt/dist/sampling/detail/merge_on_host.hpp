// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/sampling/detail/merged_slice.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>

#include <span>

namespace glt::detail {

/// Writes the number of edges of every row to the offsets, one place behind the row. Calls told(message, num_edges) for
/// every message.
///
/// @shape  slices, slices of one message in succession · merged [relations]
template <host_policy Policy, vertex_id Vertex, class Told>
void merge_counts_on_host(std::span<merged_slice const> slices, std::span<hop_sample<Policy, Vertex>> merged,
                          Told told) {
  for (std::size_t s = 0; s < slices.size();) {
    auto const message = slices[s].message;
    std::int64_t num_edges = 0;
    do {
      auto const slice = slices[s];
      auto* const counts = merged[static_cast<std::size_t>(slice.relation)].offsets.data() + 1;
      for (std::int64_t i = 0; i < slice.rows.size; ++i) {
        auto const count = slice.count(i);
        counts[slice.rows[i]] = count;
        num_edges += count;
      }
    } while (++s < slices.size() && message >= 0 && slices[s].message == message);
    if (message >= 0) {
      told(static_cast<std::size_t>(message), num_edges);
    }
  }
}

/// Copies consecutive rows, of any alignment, to their places, and moves the pointers behind these rows.
template <host_policy Policy, vertex_id Vertex>
void merge_slice_on_host(merged_slice const& slice, std::byte const*& sources, std::byte const*& ids,
                         hop_sample<Policy, Vertex>& to) {
  for (std::int64_t i = 0; i < slice.rows.size; ++i) {
    auto const begin = to.offsets[slice.rows[i]];
    auto const count = to.offsets[slice.rows[i] + 1] - begin;
    auto const source_bytes = count * static_cast<std::int64_t>(sizeof(Vertex));
    copy_bytes(to.sources.data() + begin, sources, source_bytes);
    sources += source_bytes;
    if (ids != nullptr) {
      auto const id_bytes = count * static_cast<std::int64_t>(sizeof(edge_id));
      copy_bytes(to.edge_ids.data() + begin, ids, id_bytes);
      ids += id_bytes;
    }
  }
}

/// Copies the edges of all slices to their places.
///
/// @pre    the offsets are known and there is room; not checked
template <host_policy Policy, vertex_id Vertex>
void merge_edges_on_host(std::span<merged_slice const> slices, std::span<hop_sample<Policy, Vertex>> merged) {
  std::byte const* sources = nullptr; // behind the previous slice of the same message
  std::byte const* ids = nullptr;
  std::int64_t message = -1;
  for (auto const& slice : slices) {
    if (slice.message < 0 || slice.message != message) {
      message = slice.message;
      sources = slice.sources;
      ids = slice.edge_ids;
    }
    merge_slice_on_host(slice, sources, ids, merged[static_cast<std::size_t>(slice.relation)]);
  }
}

} // namespace glt::detail

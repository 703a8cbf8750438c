// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Loads element i of a list in a message, aligned or not.
template <class T>
[[nodiscard]] GLT_HOST_DEVICE inline T load_element(std::byte const* elements, std::int64_t i) noexcept {
  T value;
  copy_bytes(&value, elements + i * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

/// Layout of the edges of some rows in a message: the number of edges of every row, their sources as places in the
/// requester's set, and their ids if requested.
///
/// @shape  counts [n] · sources [E] · edge ids [E] or none
struct induced_edges_layout {
  std::int64_t num_rows = 0;
  bool edge_ids = false;

  [[nodiscard]] std::int64_t bytes(std::int64_t num_edges) const noexcept { return sources() + num_edges * per_edge(); }
  [[nodiscard]] std::int64_t num_edges(std::int64_t bytes) const noexcept { return (bytes - sources()) / per_edge(); }
  /// Returns the offset of the sources in the message.
  [[nodiscard]] std::int64_t sources() const noexcept { return num_rows * std::int64_t{sizeof(local_id)}; }
  [[nodiscard]] std::int64_t ids(std::int64_t num_edges) const noexcept {
    return sources() + num_edges * std::int64_t{sizeof(local_id)};
  }

private:
  [[nodiscard]] std::int64_t per_edge() const noexcept {
    return static_cast<std::int64_t>(sizeof(local_id) + (edge_ids ? sizeof(edge_id) : 0));
  }
};

template <memory_space Space>
struct write_known_counts {
  array_view<Space, edge_offset const> offsets;
  local_id* counts; // in the message
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    counts[i] = static_cast<local_id>(offsets[i + 1] - offsets[i]);
  }
};

/// Reads the counts of one reply, in the order of the reply and in the order of the requested vertices.
template <memory_space Space>
struct read_known_counts {
  std::byte const* reply;
  array_view<Space, std::int64_t const> places; // in the set
  std::int64_t first;                           // first requested place
  array_view<Space, edge_offset> of_reply;
  array_view<Space, edge_offset> of_all;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    of_reply[i] = of_all[places[i] - first] = load_element<local_id>(reply, i);
  }
};

/// Copies the edges of one reply for a set to their places in the result.
template <memory_space Space>
struct merge_induced_edges {
  std::byte const* sources;
  std::byte const* ids;
  array_view<Space, edge_offset const> begins; // of the rows of the reply, among the rows of all replies
  std::int64_t first_row;                      // of this set in the reply
  array_view<Space, std::int64_t const> places;
  std::int64_t first;
  array_view<Space, std::int64_t const> place_in_set; // of the words that travelled
  array_view<Space, edge_offset const> offsets;
  array_view<Space, local_id> out_sources;
  array_view<Space, edge_id> out_ids; // or empty
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const to = offsets[places[i] - first];
    auto const row = first_row + i;
    auto const from = begins[row] - begins[0];
    auto const count = begins[row + 1] - begins[row];
    for (std::int64_t e = 0; e < count; ++e) {
      out_sources[to + e] = static_cast<local_id>(place_in_set[load_element<local_id>(sources, from + e)]);
      if (!out_ids.empty()) {
        out_ids[to + e] = load_element<edge_id>(ids, from + e);
      }
    }
  }
};

} // namespace glt::detail

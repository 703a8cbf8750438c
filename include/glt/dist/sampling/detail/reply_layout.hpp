// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Returns the bytes for one row's number of edges in a message: as few as the fanout allows.
[[nodiscard]] constexpr std::int64_t count_bytes_of(std::int64_t fanout) noexcept {
  return fanout < 0                                            ? 4
         : fanout <= std::numeric_limits<std::uint8_t>::max()  ? 1
         : fanout <= std::numeric_limits<std::uint16_t>::max() ? 2
                                                               : 4;
}

/// Writes the number of edges of a row, low bytes first: a narrower count is a prefix of a wider one.
///
/// @pre    the count fits; not checked
GLT_HOST_DEVICE constexpr void write_count(std::byte* counts, std::int64_t count_bytes, std::int64_t row,
                                           std::int64_t count) noexcept {
  for (std::int64_t b = 0; b < count_bytes; ++b) {
    counts[row * count_bytes + b] = static_cast<std::byte>((count >> (8 * b)) & 0xFF);
  }
}

[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t read_count(std::byte const* counts, std::int64_t count_bytes,
                                                                std::int64_t row) noexcept {
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < count_bytes; ++b) {
    count |= static_cast<std::int64_t>(counts[row * count_bytes + b]) << (8 * b);
  }
  return count;
}

/// Layout of the draws for one requester in a message: the counts of all rows, relation by relation, then all edge ids
/// if requested, then all sources.
///
/// The requester knows the destinations, so they do not travel. On devices, where many threads read and write at once,
/// edge ids and sources are aligned; host policies leave no gaps.
template <device_policy Policy, vertex_id Vertex>
struct reply_layout {
  static constexpr std::int64_t alignment = host_policy<Policy> ? 1 : 8;
  static constexpr auto source_bytes = static_cast<std::int64_t>(sizeof(Vertex));

  std::int64_t count_bytes = 0; // of all rows
  std::int64_t num_edges = 0;
  bool edge_ids = false;

  [[nodiscard]] constexpr std::int64_t ids() const noexcept {
    return (count_bytes + alignment - 1) / alignment * alignment;
  }
  [[nodiscard]] constexpr std::int64_t sources() const noexcept { return ids() + num_edges * id_bytes(); }
  /// Returns the length of the message; 0 without rows.
  [[nodiscard]] constexpr std::int64_t bytes() const noexcept {
    return count_bytes == 0 ? 0 : sources() + num_edges * source_bytes;
  }

  /// Returns the layout of a message of `bytes` bytes; if there is none, `bytes()` of the result differs.
  [[nodiscard]] static constexpr reply_layout of_size(std::int64_t bytes, std::int64_t count_bytes,
                                                      bool edge_ids) noexcept {
    reply_layout layout{count_bytes, 0, edge_ids};
    layout.num_edges = bytes < layout.ids() ? 0 : (bytes - layout.ids()) / (source_bytes + layout.id_bytes());
    return layout;
  }

private:
  [[nodiscard]] constexpr std::int64_t id_bytes() const noexcept {
    return edge_ids ? static_cast<std::int64_t>(sizeof(edge_id)) : 0;
  }
};

} // namespace glt::detail

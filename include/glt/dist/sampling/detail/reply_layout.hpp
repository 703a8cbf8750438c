// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace glt::detail {

/// How many bytes the number of edges of a row takes in a message: as few as the fanout allows.
[[nodiscard]] constexpr std::int64_t count_bytes_of(std::int64_t fanout) noexcept {
  return fanout < 0                                            ? 4
         : fanout <= std::numeric_limits<std::uint8_t>::max()  ? 1
         : fanout <= std::numeric_limits<std::uint16_t>::max() ? 2
                                                               : 4;
}

/// Writes the number of edges of a row, low bytes first, so that a narrower count is a prefix of a wider one.
///
/// @pre    the count fits; not checked
GLT_HOST_DEVICE constexpr void write_count(std::byte* counts, std::int64_t count_bytes, std::int64_t row,
                                           std::int64_t count) noexcept {
  for (std::int64_t b = 0; b < count_bytes; ++b) {
    counts[row * count_bytes + b] = static_cast<std::byte>((count >> (8 * b)) & 0xFF);
  }
}

[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t
read_count(std::byte const* counts, std::int64_t count_bytes, std::int64_t row) noexcept {
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < count_bytes; ++b) {
    count |= static_cast<std::int64_t>(counts[row * count_bytes + b]) << (8 * b);
  }
  return count;
}

/// How the draws for one requester lie in a message: the counts of all rows, relation by relation, then all sources,
/// then all edge ids, if asked for.
///
/// Destinations are known to the requester and do not travel. Where many threads read and write at once, sources and
/// edge ids are aligned; hosts leave no gaps.
template <device_policy Policy, vertex_id Vertex>
struct reply_layout {
  static constexpr std::int64_t alignment = host_policy<Policy> ? 1 : 8;
  static constexpr auto source_bytes = static_cast<std::int64_t>(sizeof(Vertex));

  std::int64_t count_bytes = 0; // of all rows
  std::int64_t num_edges = 0;
  bool edge_ids = false;

  [[nodiscard]] constexpr std::int64_t sources() const noexcept { return aligned(count_bytes); }
  [[nodiscard]] constexpr std::int64_t ids() const noexcept {
    return aligned(sources() + num_edges * source_bytes);
  }
  /// Length of the message; none without rows.
  [[nodiscard]] constexpr std::int64_t bytes() const noexcept {
    auto const id_bytes = edge_ids ? num_edges * static_cast<std::int64_t>(sizeof(edge_id)) : 0;
    return count_bytes == 0 ? 0 : ids() + id_bytes;
  }

  /// The layout of a message of a host that has so many bytes; `bytes()` differs if there is none.
  [[nodiscard]] static constexpr reply_layout of_size(std::int64_t bytes, std::int64_t count_bytes,
                                                      bool edge_ids) noexcept {
    auto const edge_bytes = source_bytes + (edge_ids ? static_cast<std::int64_t>(sizeof(edge_id)) : 0);
    return {count_bytes, bytes < count_bytes ? 0 : (bytes - count_bytes) / edge_bytes, edge_ids};
  }

private:
  static constexpr std::int64_t aligned(std::int64_t bytes) noexcept {
    return (bytes + alignment - 1) / alignment * alignment;
  }
};

} // namespace glt::detail

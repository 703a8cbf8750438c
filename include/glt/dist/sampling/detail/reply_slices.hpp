// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace glt::dist {

/// Where the rows and edges of one rank begin among those of all, and where its message does.
///
/// @shape  [R + 1] of them; the last one ends what the others begin
struct reply_slice {
  std::int64_t first_row = 0;
  std::int64_t first_edge = 0;
  std::int64_t message = 0; ///< in bytes
};

/// The slice that row i is in: the last one that begins at or before it.
///
/// @pre    i is in [0, slices.back().first_row); not checked
/// @cost   O(log R)
template <memory_space Space>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t slice_of_row(array_view<Space, reply_slice const> slices,
                                                                  std::int64_t i) noexcept {
  std::int64_t first = 0;
  for (auto last = slices.size(); last - first > 1;) {
    auto const middle = first + (last - first) / 2;
    (slices[middle].first_row <= i ? first : last) = middle;
  }
  return first;
}

/// The slice that edge e is in.
///
/// @pre    e is in [0, slices.back().first_edge); not checked
/// @cost   O(log R)
template <memory_space Space>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t
slice_of_edge(array_view<Space, reply_slice const> slices, std::int64_t e) noexcept {
  std::int64_t first = 0;
  for (auto last = slices.size(); last - first > 1;) {
    auto const middle = first + (last - first) / 2;
    (slices[middle].first_edge <= e ? first : last) = middle;
  }
  return first;
}

/// How the draws for one requester lie in a message that many threads write and read at once: all edge ids if asked
/// for, then all sources, then all counts, so that every element is aligned.
///
/// A count takes as few bytes as the fanout allows; destinations are known to the requester and do not travel.
///
/// @shape  edge ids [E], if asked for · sources [E] · counts [n]
template <vertex_id Vertex>
class aligned_reply_layout {
public:
  /// Messages begin at multiples of this.
  static constexpr std::int64_t alignment = 16;

  aligned_reply_layout(std::int64_t fanout, bool edge_ids) noexcept
      : count_bytes_(fanout < 0                                            ? 4
                     : fanout <= std::numeric_limits<std::uint8_t>::max()  ? 1
                     : fanout <= std::numeric_limits<std::uint16_t>::max() ? 2
                                                                           : 4),
        id_bytes_(edge_ids ? static_cast<std::int64_t>(sizeof(edge_id)) : 0) {}

  /// Length of a message, padding included.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t bytes(std::int64_t num_rows,
                                                             std::int64_t num_edges) const noexcept {
    return (counts_at(num_edges) + num_rows * count_bytes_ + alignment - 1) / alignment * alignment;
  }

  [[nodiscard]] GLT_HOST_DEVICE edge_id* edge_ids(std::byte* message) const noexcept {
    return reinterpret_cast<edge_id*>(message);
  }
  [[nodiscard]] GLT_HOST_DEVICE edge_id const* edge_ids(std::byte const* message) const noexcept {
    return reinterpret_cast<edge_id const*>(message);
  }
  [[nodiscard]] GLT_HOST_DEVICE Vertex* sources(std::byte* message, std::int64_t num_edges) const noexcept {
    return reinterpret_cast<Vertex*>(message + num_edges * id_bytes_);
  }
  [[nodiscard]] GLT_HOST_DEVICE Vertex const* sources(std::byte const* message,
                                                      std::int64_t num_edges) const noexcept {
    return reinterpret_cast<Vertex const*>(message + num_edges * id_bytes_);
  }

  /// @pre    the count is not above the fanout; not checked
  GLT_HOST_DEVICE void put_count(std::byte* message, std::int64_t num_edges, std::int64_t row,
                                 std::int64_t count) const noexcept {
    auto* const counts = message + counts_at(num_edges);
    if (count_bytes_ == 1) {
      reinterpret_cast<std::uint8_t*>(counts)[row] = static_cast<std::uint8_t>(count);
    } else if (count_bytes_ == 2) {
      reinterpret_cast<std::uint16_t*>(counts)[row] = static_cast<std::uint16_t>(count);
    } else {
      reinterpret_cast<std::uint32_t*>(counts)[row] = static_cast<std::uint32_t>(count);
    }
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count(std::byte const* message, std::int64_t num_edges,
                                                   std::int64_t row) const noexcept {
    auto const* const counts = message + counts_at(num_edges);
    return count_bytes_ == 1   ? std::int64_t{reinterpret_cast<std::uint8_t const*>(counts)[row]}
           : count_bytes_ == 2 ? std::int64_t{reinterpret_cast<std::uint16_t const*>(counts)[row]}
                               : std::int64_t{reinterpret_cast<std::uint32_t const*>(counts)[row]};
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t counts_at(std::int64_t num_edges) const noexcept {
    return num_edges * (id_bytes_ + static_cast<std::int64_t>(sizeof(Vertex)));
  }

  std::int64_t count_bytes_;
  std::int64_t id_bytes_;
};

} // namespace glt::dist

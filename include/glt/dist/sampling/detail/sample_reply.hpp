// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/bytes.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/detail/narrow.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace glt::dist {

/// How the draws for one requester lie in a message: all counts, then all sources, then all edge ids.
///
/// A count takes as few bytes as the fanout allows; destinations are known to the requester and do not
/// travel.
///
/// @shape  counts [n] of count_bytes() · sources [E] of `Vertex` · edge ids [E] of 8 bytes, if asked for
template <vertex_id Vertex>
class sample_reply_layout {
public:
  sample_reply_layout(std::int64_t fanout, bool edge_ids) noexcept
      : count_bytes_(fanout < 0                                            ? 4
                     : fanout <= std::numeric_limits<std::uint8_t>::max()  ? 1
                     : fanout <= std::numeric_limits<std::uint16_t>::max() ? 2
                                                                           : 4),
        edge_bytes_(static_cast<std::int64_t>(sizeof(Vertex) + (edge_ids ? sizeof(edge_id) : 0))) {}

  [[nodiscard]] std::int64_t count_bytes() const noexcept { return count_bytes_; }

  [[nodiscard]] std::int64_t bytes(std::int64_t num_rows, std::int64_t num_edges) const noexcept {
    return num_rows * count_bytes_ + num_edges * edge_bytes_;
  }

  /// Writes what was drawn for the rows between consecutive offsets; `out` has room for bytes(rows, edges).
  ///
  /// @shape  offsets [n + 1], positions in sources and edge_ids
  /// @throws precondition_error  if a row gave more edges than the layout was made for
  void pack(std::span<edge_offset const> offsets, Vertex const* sources, edge_id const* edge_ids,
            std::byte* out) const {
    auto const num_rows = offsets.size() - 1;
    for (std::size_t i = 0; i < num_rows; ++i) {
      // Little-endian: the low bytes of the count come first, so that a narrower count is a prefix of a wider
      // one.
      auto const count = detail::narrow<std::uint32_t>(offsets[i + 1] - offsets[i], "number of neighbours of a vertex");
      if (count_bytes_ < 4 && (count >> (8 * count_bytes_)) != 0) {
        throw precondition_error(detail::message("a rule took ", count, " edges of a row, more than the fanout; give ",
                                                 "the rule may_exceed_fanout = true"));
      }
      for (std::int64_t b = 0; b < count_bytes_; ++b) {
        *out++ = static_cast<std::byte>((count >> (8 * b)) & 0xFFU);
      }
    }
    auto const num_edges = offsets.back() - offsets.front();
    auto const source_bytes = num_edges * static_cast<std::int64_t>(sizeof(Vertex));
    detail::copy_bytes(out, sources + offsets.front(), source_bytes);
    if (edge_bytes_ > static_cast<std::int64_t>(sizeof(Vertex))) {
      detail::copy_bytes(out + source_bytes, edge_ids + offsets.front(), num_edges * static_cast<std::int64_t>(sizeof(edge_id)));
    }
  }

  [[nodiscard]] std::int64_t count(std::byte const* reply, std::int64_t row) const noexcept {
    std::uint32_t count = 0;
    for (std::int64_t b = 0; b < count_bytes_; ++b) {
      count |= std::to_integer<std::uint32_t>(reply[row * count_bytes_ + b]) << (8 * b);
    }
    return count;
  }

private:
  std::int64_t count_bytes_;
  std::int64_t edge_bytes_;
};

} // namespace glt::dist

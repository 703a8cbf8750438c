// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace glt::io::detail {

/// Limits on the text that a reader takes.
///
/// @units  bytes of the unpacked text
struct text_limits {
  std::int64_t piece_bytes = std::int64_t{1} << 20; ///< in memory at a time, for every thread
  std::int64_t line_bytes = std::int64_t{1} << 28;  ///< a longer line is refused, up to a piece
  std::int64_t text_bytes = std::int64_t{1} << 44;  ///< a longer text is refused
};

// Counts line ends in [at, end), in blocks whose count fits a byte: compilers turn the loop into vector instructions.
inline std::int64_t count_lines(char const* at, char const* end) noexcept {
  constexpr std::ptrdiff_t block = 128;
  std::int64_t count = 0;
  for (; end - at >= block; at += block) {
    std::uint8_t found = 0;
    for (std::ptrdiff_t i = 0; i < block; ++i) {
      found = static_cast<std::uint8_t>(found + (at[i] == '\n' ? 1 : 0));
    }
    count += found;
  }
  return count + std::count(at, end, '\n');
}

/// Place in a text.
struct text_place {
  std::int64_t offset = 0; ///< in bytes of the unpacked text
  std::int64_t line = 1;
};

} // namespace glt::io::detail

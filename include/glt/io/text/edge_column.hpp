// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt::io {

/// What a column behind source and destination of an edge holds.
enum class edge_column : std::uint8_t {
  weight, ///< a number, kept as float
  time,   ///< an integer
  ignored ///< any word
};

} // namespace glt::io

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt::io::detail {

/// Content of a column after source and destination of an edge.
enum class edge_column : std::uint8_t {
  weight, ///< a number, kept as float
  time,   ///< an integer
  ignored ///< any word
};

} // namespace glt::io::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt::io::detail {

/// Content of a column of an edge list.
enum class edge_column : std::uint8_t {
  source,      ///< number of a vertex
  destination, ///< number of a vertex
  weight,      ///< a number, kept as float
  time,        ///< an integer
  ignored      ///< any word
};

} // namespace glt::io::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Rows that a pass over one relation reads and writes.
///
/// @shape  from and to are [n, F], with the same F
template <memory_space Space, class T>
struct relation_rows {
  matrix_view<Space, T const> from;
  matrix_view<Space, T> to;
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>

namespace glt::detail {

/// Returns the slice that contains item i: the last slice that begins at or before it.
///
/// @pre    begin_of(slice) ascends, and begin_of(0) <= i; not checked
/// @cost   O(log num_slices)
template <class BeginOf>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t slice_holding(std::int64_t num_slices, std::int64_t i,
                                                                   BeginOf begin_of) {
  return first_where(1, num_slices, [&](std::int64_t slice) { return begin_of(slice) > i; }) - 1;
}

} // namespace glt::detail

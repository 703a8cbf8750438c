// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Size that is known only where the work is done. The host may know only an upper bound, by which it makes room and
/// starts work.
///
/// @shape  exact [1], in [0, bound], or empty if the bound is exact
template <memory_space Space>
struct bounded_size {
  std::int64_t bound = 0;
  array_view<Space, std::int64_t const> exact{};

  /// Returns the exact size, for code that can access `Space`.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t operator()() const noexcept {
    return exact.empty() ? bound : exact[0];
  }
};

} // namespace glt::detail

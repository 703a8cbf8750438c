// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Borrowed offsets of a `partition_book` in memory of `Space`; finds the owner of a vertex on a GPU, too.
///
/// Trivially copyable; pass it by value.
///
/// @shape  offsets [P + 1]
template <memory_space Space>
class book_view {
public:
  constexpr book_view() noexcept = default;
  GLT_HOST_DEVICE constexpr explicit book_view(array_view<Space, global_id const> offsets) noexcept
      : offsets_(offsets) {}

  [[nodiscard]] GLT_HOST_DEVICE constexpr int num_parts() const noexcept {
    return static_cast<int>(offsets_.size()) - 1;
  }
  /// Returns the first global id of a part; @pre part is in [0, num_parts()), not checked.
  [[nodiscard]] GLT_HOST_DEVICE constexpr global_id begin(int part) const noexcept { return offsets_[part]; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_vertices() const noexcept { return offsets_[num_parts()]; }

  /// Returns the part that owns a vertex; num_parts() if the vertex is not in [0, V).
  ///
  /// @cost   O(log P)
  [[nodiscard]] GLT_HOST_DEVICE constexpr int owner(global_id vertex) const noexcept {
    if (vertex < 0) {
      return num_parts();
    }
    int first = 0; // the first offset above the vertex is in (first, last]
    int last = num_parts() + 1;
    while (last - first > 1) {
      auto const middle = first + (last - first) / 2;
      (offsets_[middle] <= vertex ? first : last) = middle;
    }
    return first;
  }

private:
  array_view<Space, global_id const> offsets_;
};

} // namespace glt::detail

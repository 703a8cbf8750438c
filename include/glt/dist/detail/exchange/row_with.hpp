// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include <cstddef>
#include <cstdint>

namespace glt::detail {

/// The number of a vertex in its part, with a value, as they travel to the owner: without gaps.
template <bytes_copyable T>
class row_with {
public:
  row_with() = default;
  GLT_HOST_DEVICE row_with(local_id row, T value) noexcept {
    copy_bytes(bytes_, &row, sizeof(row));
    copy_bytes(bytes_ + sizeof(row), &value, sizeof(value));
  }

  [[nodiscard]] GLT_HOST_DEVICE local_id row() const noexcept { return at<local_id>(0); }
  [[nodiscard]] GLT_HOST_DEVICE T value() const noexcept { return at<T>(sizeof(local_id)); }

private:
  template <class U>
  [[nodiscard]] GLT_HOST_DEVICE U at(std::size_t offset) const noexcept {
    U value;
    copy_bytes(&value, bytes_ + offset, sizeof(U));
    return value;
  }

  std::byte bytes_[sizeof(local_id) + sizeof(T)];
};

/// Routes the values of a list with their rows.
template <memory_space Space, class T>
struct make_row_with {
  array_view<Space, T const> values;
  GLT_HOST_DEVICE row_with<T> operator()(std::int64_t i, local_id row) const { return {row, values[i]}; }
};

} // namespace glt::detail

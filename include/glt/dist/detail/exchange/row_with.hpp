// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Number of a vertex in its part, flagged or not, with a value, as sent to the owner: without gaps, in a multiple of 4
/// bytes.
template <bytes_copyable T>
class row_with {
public:
  row_with() = default;
  GLT_HOST_DEVICE row_with(local_id row, T value) noexcept : row_(row) { copy_bytes(words_, &value, sizeof(value)); }

  [[nodiscard]] GLT_HOST_DEVICE local_id row() const noexcept { return row_; }
  [[nodiscard]] GLT_HOST_DEVICE T value() const noexcept {
    T value;
    copy_bytes(&value, words_, sizeof(value));
    return value;
  }

private:
  local_id row_;
  local_id words_[(sizeof(T) + 3) / 4]; // the alignment of a value may be larger
};

/// Functor that makes items of rows with the values of a list.
template <memory_space Space, class T>
struct make_row_with {
  array_view<Space, T const> values;
  GLT_HOST_DEVICE row_with<T> operator()(std::int64_t i, local_id row) const { return {row, values[i]}; }
};

} // namespace glt::detail

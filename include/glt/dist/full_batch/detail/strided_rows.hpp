// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>

#include <cstdint>

namespace glt::detail {

/// Rows with gaps between them, by number or by a number's place in a list of rows.
template <class T>
struct strided_rows {
  T* data = nullptr;
  std::int64_t stride = 0;
  local_id const* places = nullptr; // of row i; null: i itself

  [[nodiscard]] GLT_HOST_DEVICE T* row(std::int64_t i) const { return data + (places ? places[i] : i) * stride; }
};

/// to.row(i) = (or +=) from.row(i), in `pieces.columns` columns.
template <bool Add, class T>
struct move_rows {
  strided_rows<T const> from;
  strided_rows<T> to;
  column_pieces pieces;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const begin = pieces.first_column(i);
    T const* const source = from.row(pieces.row(i)) + begin;
    T* const target = to.row(pieces.row(i)) + begin;
    for (std::int64_t c = 0; c < pieces.width; ++c) {
      target[c] = Add ? target[c] + source[c] : source[c];
    }
  }
};

} // namespace glt::detail

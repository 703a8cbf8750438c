// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/prefetch.hpp>

namespace glt::detail {

/// Map for copies in which item i is row i.
struct rows_in_order {
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return i; }
};

/// Map for copies in which item i is the row that element i of an array names.
template <class Id>
struct rows_listed {
  Id const* ids;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return ids[i]; }
};

/// Prefetcher of rows at random places of a large memory. It asks for several rows ahead, so that their reads overlap.
template <class From>
struct row_prefetcher {
  std::byte const* rows;
  std::int64_t row_bytes;
  From from;

  /// Prefetches a later row; call it before item i of items up to `last` is read.
  GLT_HOST_DEVICE void operator()(std::int64_t i, std::int64_t last) const {
    if constexpr (!std::is_same_v<From, rows_in_order>) { // in order, the processor prefetches by itself
      auto const* const row = rows + from(std::min(i + rows_ahead, last - 1)) * row_bytes;
      auto const asked = row_bytes < ahead_bytes ? row_bytes : ahead_bytes;
      for (std::int64_t byte = 0; byte < asked; byte += line_bytes) {
        prefetch(row + byte);
      }
    }
  }

private:
  static constexpr std::int64_t rows_ahead = 8;
  static constexpr std::int64_t line_bytes = 64;
  static constexpr std::int64_t ahead_bytes = 8 * line_bytes; // the processor prefetches the rest of a longer row
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Rows with gaps between them, by number or by place in a list of rows.
template <class T>
struct strided_rows {
  T* data = nullptr;
  std::int64_t stride = 0;
  local_id const* places = nullptr; // of row i; null: i itself

  [[nodiscard]] GLT_HOST_DEVICE T* row(std::int64_t i) const { return data + (places ? places[i] : i) * stride; }
  /// Prefetches a listed row that comes soon; called before row i of `count` is used.
  GLT_HOST_DEVICE void prefetch_after(std::int64_t i, std::int64_t count) const {
    if (places) {
      prefetch_row(
          reinterpret_cast<std::byte const*>(row(i + prefetched_rows < count ? i + prefetched_rows : count - 1)),
          stride * static_cast<std::int64_t>(sizeof(T)));
    }
  }
};

/// Item i of some rows, cut into slices of `width` of their `total` columns or heads. Slices are whole rows on hosts.
/// On devices they are single columns, so that neighbouring threads read neighbouring addresses.
struct sliced_rows {
  std::int64_t total;
  std::int64_t width;

  template <device_policy Policy>
  [[nodiscard]] static sliced_rows of(std::int64_t total) {
    return {total, host_policy<Policy> ? total : 1};
  }
  [[nodiscard]] std::int64_t count(std::int64_t rows) const { return total == 0 ? 0 : rows * (total / width); }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row(std::int64_t i) const { return i / (total / width); }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t first(std::int64_t i) const { return i % (total / width) * width; }
};

/// Returns a number as another type; 16-bit types go through float.
template <class To, class From>
[[nodiscard]] GLT_HOST_DEVICE To as_number(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (sizeof(To) == 2) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(static_cast<float>(value));
  }
}

/// to.row(i) = (or +=) from.row(i), in `pieces.total` columns.
template <bool Add, class From, class To = From>
struct move_rows {
  strided_rows<From const> from;
  strided_rows<To> to;
  sliced_rows pieces;
  std::int64_t num_rows;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    if (pieces.width > 1) {
      from.prefetch_after(pieces.row(i), num_rows);
      to.prefetch_after(pieces.row(i), num_rows);
    }
    auto const begin = pieces.first(i);
    From const* const source = from.row(pieces.row(i)) + begin;
    To* const target = to.row(pieces.row(i)) + begin;
    for (std::int64_t c = 0; c < pieces.width; ++c) {
      if constexpr (Add) {
        target[c] += as_number<To>(source[c]);
      } else {
        target[c] = as_number<To>(source[c]);
      }
    }
  }
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/core/types.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <type_traits>

namespace glt::detail {

/// Rows with gaps between them, by number or by a number's place in a list of rows.
template <class T>
struct strided_rows {
  T* data = nullptr;
  std::int64_t stride = 0;
  local_id const* places = nullptr; // of row i; null: i itself

  [[nodiscard]] GLT_HOST_DEVICE T* row(std::int64_t i) const {
    return data + (places ? places[i] : i) * stride;
  }
};

template <class T>
inline constexpr std::int64_t elements_of_line = 64 / static_cast<std::int64_t>(sizeof(T));

/// Elements of a row that are asked for: the hardware sees on its own how a longer one goes on.
template <class T>
inline constexpr std::int64_t most_prefetched = 8 * elements_of_line<T>;

/// Asks for a row that comes soon.
template <class T>
[[gnu::always_inline]] GLT_HOST_DEVICE inline void prefetch_row(T const* row, std::int64_t columns) {
  auto const asked = columns < most_prefetched<T> ? columns : most_prefetched<T>;
  for (std::int64_t c = 0; c < asked; c += elements_of_line<T>) {
    prefetch(row + c);
  }
}

/// How many listed rows, between which there may be gaps, are asked for ahead of the one in use.
inline constexpr std::int64_t listed_rows_ahead = 8;

/// Item i of some rows, cut into slices of `width` of their `total` columns or heads: whole rows on hosts, single ones on
/// devices, where neighbouring threads then read neighbouring addresses.
struct sliced_rows {
  std::int64_t total;
  std::int64_t width;

  template <device_policy Policy>
  [[nodiscard]] static sliced_rows of(std::int64_t total) {
    return {total, host_policy<Policy> ? total : 1};
  }
  [[nodiscard]] std::int64_t count(std::int64_t rows) const {
    return total == 0 ? 0 : rows * (total / width);
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row(std::int64_t i) const { return i / (total / width); }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t first(std::int64_t i) const {
    return i % (total / width) * width;
  }
};

/// A number as another type; those of 16 bits go through float.
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
    auto const row = pieces.row(i);
    auto const begin = pieces.first(i);
    From const* const source = from.row(row) + begin;
    To* const target = to.row(row) + begin;
    if (pieces.width > 1 && row + listed_rows_ahead < num_rows) {
      from.places ? prefetch_row(from.row(row + listed_rows_ahead), pieces.width) : void();
      to.places ? prefetch_row(to.row(row + listed_rows_ahead), pieces.width) : void();
    }
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/bytes.hpp>
#include <glt/core/config.hpp>
#include <glt/core/prefetch.hpp>
#include <glt/feature/stream_bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace glt::detail {

/// Item i of a copy is row i.
struct rows_in_order {
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return i; }
};

/// Item i of a copy is the row that element i of an array names.
template <class Id>
struct rows_listed {
  Id const* ids;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const noexcept { return ids[i]; }
};

/// Rows are written through the cache.
struct cached_writes {
  GLT_HOST_DEVICE static void copy(std::byte* to, std::byte const* from, std::int64_t bytes) noexcept {
    copy_bytes(to, from, bytes);
  }
  GLT_HOST_DEVICE static void finish() noexcept {}
};

/// Rows are written past the cache: faster where several ranks or threads share the memory's bandwidth.
struct streamed_writes {
  GLT_HOST_DEVICE static void copy(std::byte* to, std::byte const* from, std::int64_t bytes) noexcept {
    stream_bytes(to, from, bytes);
  }
  GLT_HOST_DEVICE static void finish() noexcept { finish_streams(); }
};

/// Copies rows from(i) of one matrix to rows to(i) of another, for the i of a range: what `for_ranges` is
/// given.
///
/// Rows come from random places of a large memory: the lines of a row are asked for some rows before it is
/// copied, so that several are on their way at a time.
///
/// @cost   one read and one write of every byte
template <class From, class To, class Writes = cached_writes>
struct copy_rows {
  std::byte const* in;
  std::byte* out;
  std::int64_t row_bytes;
  From from;
  To to;

  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    for (auto i = first; i < last; ++i) {
      if constexpr (!std::is_same_v<From, rows_in_order>) { // in order, the processor is ahead by itself
        prefetch_row(std::min(i + rows_ahead, last - 1));
      }
      Writes::copy(out + to(i) * row_bytes, in + from(i) * row_bytes, row_bytes);
    }
    Writes::finish();
  }

private:
  static constexpr std::int64_t rows_ahead = 8;
  static constexpr std::int64_t line_bytes = 64;
  static constexpr std::int64_t ahead_bytes = 8 * line_bytes; // the processor follows the rest of a longer row

  GLT_HOST_DEVICE void prefetch_row(std::int64_t i) const {
    auto const* const row = in + from(i) * row_bytes;
    for (std::int64_t byte = 0; byte < std::min(row_bytes, ahead_bytes); byte += line_bytes) {
      prefetch(row + byte);
    }
  }
};

/// The fewest rows that are worth a turn of a thread.
inline constexpr std::int64_t copied_rows_per_range = 64;

} // namespace glt::detail

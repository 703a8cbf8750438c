// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/stream_bytes.hpp>

namespace glt::detail {

/// Writes of rows through the cache.
struct cached_writes {
  GLT_HOST_DEVICE static void copy(std::byte* to, std::byte const* from, std::int64_t bytes) noexcept {
    copy_bytes(to, from, bytes);
  }
  GLT_HOST_DEVICE static void finish() noexcept {}
};

/// Writes of rows past the cache: faster if several ranks or threads share the memory's bandwidth.
struct streamed_writes {
  GLT_HOST_DEVICE static void copy(std::byte* to, std::byte const* from, std::int64_t bytes) noexcept {
    stream_bytes(to, from, bytes);
  }
  GLT_HOST_DEVICE static void finish() noexcept { finish_streams(); }
};

/// Functor for `for_ranges` that copies row from(i) of one matrix to row to(i) of another.
/// @cost   one read and one write of every byte
template <class From, class To, class Writes = cached_writes>
struct copy_rows {
  std::byte const* in;
  std::byte* out;
  std::int64_t row_bytes;
  From from;
  To to;

  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    row_prefetcher<From> const ahead{in, row_bytes, from};
    for (auto i = first; i < last; ++i) {
      ahead(i, last);
      Writes::copy(out + to(i) * row_bytes, in + from(i) * row_bytes, row_bytes);
    }
    Writes::finish();
  }
};

/// Fewest rows that are worth a separate range.
inline constexpr std::int64_t copied_rows_per_range = 64;

} // namespace glt::detail

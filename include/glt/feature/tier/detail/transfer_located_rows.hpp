// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/prefetch.hpp>
#include <glt/feature/detail/chunk_grid.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/row_chunks.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Functor for `for_ranges` of a host executor that transfers one row after the other, for the i of a range.
///
/// `WriteRow` writes the bytes of a row.
template <class From, class To, class WriteRow>
struct transfer_row_range {
  From from;
  To to;
  std::int64_t row_bytes; // as they are read
  WriteRow write_row;

  void operator()(std::int64_t first, std::int64_t last) const {
    for (auto i = first; i < last; ++i) {
      auto const* const next = from(std::min(i + rows_ahead, last - 1));
      for (std::int64_t byte = 0; byte < std::min(row_bytes, ahead_bytes); byte += line_bytes) {
        prefetch(next + byte);
      }
      write_row(from(i), to(i));
    }
  }

private:
  static constexpr std::int64_t rows_ahead = 8;
  static constexpr std::int64_t line_bytes = 64;
  static constexpr std::int64_t ahead_bytes = 8 * line_bytes;
};

struct copy_row_bytes {
  std::int64_t bytes;
  void operator()(std::byte const* in, std::byte* out) const noexcept { copy_bytes(out, in, bytes); }
};

template <class In, class Out, class Convert>
struct convert_row {
  std::int64_t columns;
  Convert convert;
  void operator()(std::byte const* in, std::byte* out) const {
    convert_rows<In, Out, rows_in_order, rows_in_order, Convert>{in, out, columns, {}, {}, convert}(0, 1);
  }
};

/// As `transfer_rows`, for rows that begin at from(i) and to(i), which may lie in several memories.
///
/// @shape  scales [F], or null
/// @where  memory that the executor reaches; `in` and `out` are the addresses of all those memories, or-ed
/// @cost   O(count · F)
template <class In, class Out, executor Executor, class From, class To>
void transfer_located_rows(Executor const& ex, std::int64_t count, std::int64_t columns, float const* scales, From from,
                           To to, std::uintptr_t in, std::uintptr_t out) {
  auto const row_bytes = columns * static_cast<std::int64_t>(sizeof(In));
  auto const convert = [&]<class Convert>(Convert element) {
    if constexpr (host_executor<Executor>) {
      using write_row = convert_row<In, Out, Convert>;
      ex.for_ranges(count, copied_rows_per_range,
                    transfer_row_range<From, To, write_row>{from, to, row_bytes, {columns, element}});
    } else {
      using chunks = convert_chunks<In, Out, From, To, Convert>;
      auto const access = chunks::access_of(columns, in, out);
      for_each_chunk(ex, groups_of_rows(count), access == element_access::runs ? columns / chunks::run_size : columns,
                     chunks{from, to, count, access, element});
    }
  };
  if constexpr (std::is_same_v<In, Out>) {
    if constexpr (host_executor<Executor>) {
      ex.for_ranges(count, copied_rows_per_range,
                    transfer_row_range<From, To, copy_row_bytes>{from, to, row_bytes, {row_bytes}});
    } else {
      auto const chunk_bytes = common_alignment(in | out, row_bytes);
      for_each_chunk(ex, groups_of_rows(count), row_bytes / chunk_bytes,
                     copy_chunks<From, To>{from, to, count, chunk_bytes});
    }
  } else {
    if constexpr (std::is_integral_v<In>) {
      if (scales != nullptr) {
        convert(scale_element<In, Out>{scales});
        return;
      }
    }
    convert(cast_element<In, Out>{});
  }
}

} // namespace glt::detail

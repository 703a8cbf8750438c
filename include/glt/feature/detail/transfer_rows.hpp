// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/row_chunks.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/tier/detail/transfer_located_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Puts rows from(i) of a feature view into rows to(i) of a result, for the i in [0, count). Elements of the same type
/// are copied byte by byte; others are converted, with the scale of their column if there are scales. View and result
/// have as many columns. The rows may lie at any byte.
///
/// @shape  out [V', F], V' > to(i)
/// @where  memory that the executor reaches; `out`, `from` and `to` may be of another space than `in`
/// @cost   O(count · F)
template <class Writes = cached_writes, executor Executor, memory_space Space, class T, class From, class To, class Out>
  requires(reaches<Executor, Space> && gathers_as<T, Out>)
void transfer_rows(Executor const& ex, std::int64_t count, feature_view<Space, T> in, From from, To to, Out* out) {
  auto const columns = in.num_columns();
  auto const* const source = reinterpret_cast<std::byte const*>(in.features.data());
  auto* const result = reinterpret_cast<std::byte*>(out);
  if constexpr (!host_executor<Executor>) {
    auto const in_row = columns * static_cast<std::int64_t>(sizeof(T));
    auto const out_row = columns * static_cast<std::int64_t>(sizeof(Out));
    transfer_located_rows<T, Out>(ex, count, columns, in.scales.empty() ? nullptr : in.scales.data(),
                                  rows_at<std::byte const, From>{source, in_row, from},
                                  rows_at<std::byte, To>{result, out_row, to}, reinterpret_cast<std::uintptr_t>(source),
                                  reinterpret_cast<std::uintptr_t>(result));
  } else {
    auto const convert = [&](auto element) {
      using conversion = convert_rows<T, Out, From, To, decltype(element), Writes>;
      ex.for_ranges(count, copied_rows_per_range, conversion{source, result, columns, from, to, element});
    };
    if constexpr (std::is_same_v<T, Out>) {
      ex.for_ranges(
          count, copied_rows_per_range,
          copy_rows<From, To, Writes>{source, result, columns * static_cast<std::int64_t>(sizeof(T)), from, to});
    } else {
      if constexpr (std::is_integral_v<T>) {
        if (!in.scales.empty()) {
          convert(scale_element<T, Out>{in.scales.data()});
          return;
        }
      }
      convert(cast_element<T, Out>{});
    }
  }
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/io/array/array.hpp>
#include <glt/memory/memory.hpp>
#include <glt/outofcore/detail/scratch_array.hpp>

#include <filesystem>

namespace glt::io::detail {

// Does the same as `cut_rows`, into a file.
inline array cut_rows_to_scratch(array const& from, host_view<std::int64_t const> rows,
                                 std::filesystem::path const& path) {
  auto const row_bytes = from.columns() * glt::detail::size_of(from.type());
  scratch_array<std::byte> made(path);
  for (auto const row : rows) {
    made.append(from.bytes().subview(row * row_bytes, row_bytes));
  }
  auto shape = from.shape();
  shape[0] = rows.size();
  return {from.type(), std::move(shape), std::move(made).take()};
}

// Does the same as `cut_values`, into a file.
template <class T>
buffer<device::cpu, T> cut_values_to_scratch(host_view<T const> from, host_view<std::int64_t const> rows,
                                             std::filesystem::path const& path) {
  if (from.empty()) {
    return {};
  }
  scratch_array<T> made(path);
  for (auto const row : rows) {
    made.append(from.subview(row, 1));
  }
  return std::move(made).take();
}

} // namespace glt::io::detail

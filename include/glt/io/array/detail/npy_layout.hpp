// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/detail/npy_header.hpp>
#include <glt/memory/memory.hpp>

namespace glt::io::detail {

/// True if the elements of a file are stored with the highest byte first.
[[nodiscard]] inline bool is_big_endian(npy_header const& header) {
  return header.type.starts_with('>');
}

/// Returns NumPy's name of the element type in the byte order of this machine.
[[nodiscard]] inline std::string native_type(npy_header const& header) {
  return is_big_endian(header) ? "<" + header.type.substr(1) : header.type;
}

/// True if rows must be put together from columns: the array is in Fortran order and has two sides above 1.
[[nodiscard]] inline bool has_columns_first(npy_header const& header) {
  return header.fortran_order && std::ranges::count_if(header.shape, [](auto side) { return side > 1; }) > 1;
}

/// Reverses the bytes of every element.
inline void reverse_elements(std::byte* bytes, std::int64_t count, std::int64_t element_bytes) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::reverse(bytes + i * element_bytes, bytes + (i + 1) * element_bytes);
  }
}

// Transposes as `copy_rows` does, for one element size; works on blocks of rows so that the output stays in a cache.
template <std::size_t Size>
void copy_rows_of(std::byte const* columns_first, std::span<std::int64_t const> shape, std::byte* rows_first) {
  constexpr std::int64_t block_bytes = std::int64_t{1} << 18;
  auto const rows = shape[0];
  std::int64_t columns = 1;
  for (auto const side : shape.subspan(1)) {
    columns *= side;
  }
  constexpr auto size = static_cast<std::int64_t>(Size);
  auto const block = std::max<std::int64_t>(block_bytes / (columns * size), 16);
  std::vector<std::int64_t> index(shape.size()); // of a column; the first side is ignored
  for (std::int64_t first = 0; first < rows; first += block) {
    auto const last = std::min(first + block, rows);
    std::ranges::fill(index, 0);
    for (std::int64_t column = 0; column < columns; ++column) {
      std::int64_t stored = 0; // its number where the second side varies fastest
      for (auto side = shape.size(); side-- > 1;) {
        stored = stored * shape[side] + index[side];
      }
      auto const* from = columns_first + (stored * rows + first) * size;
      auto* to = rows_first + (first * columns + column) * size;
      for (auto row = first; row < last; ++row, from += size, to += columns * size) {
        std::memcpy(to, from, Size);
      }
      for (auto side = shape.size(); side-- > 1 && ++index[side] == shape[side];) {
        index[side] = 0;
      }
    }
  }
}

/// Copies an array in Fortran order to one of the same shape in C order.
///
/// @pre    elements have 1, 2, 4 or 8 bytes, and there are some; not checked
inline void copy_rows(std::byte const* columns_first, std::span<std::int64_t const> shape, std::int64_t element_bytes,
                      std::byte* rows_first) {
  switch (element_bytes) {
  case 1:
    return copy_rows_of<1>(columns_first, shape, rows_first);
  case 2:
    return copy_rows_of<2>(columns_first, shape, rows_first);
  case 4:
    return copy_rows_of<4>(columns_first, shape, rows_first);
  default:
    return copy_rows_of<8>(columns_first, shape, rows_first);
  }
}

/// Converts the elements of a file to the order in memory: rows contiguous, lowest byte first.
///
/// @shape  bytes: the bytes of the file first, and any room behind them
/// @where  memory of the array once more while it is transposed
template <class Element>
void make_native(npy_header const& header, std::int64_t count, std::int64_t stored_bytes,
                 buffer<device::cpu, Element>& elements) {
  auto* const bytes = reinterpret_cast<std::byte*>(elements.data());
  if (is_big_endian(header)) {
    reverse_elements(bytes, count, stored_bytes);
  }
  if (count > 0 && has_columns_first(header)) {
    buffer<device::cpu, Element> rows(elements.size());
    copy_rows(bytes, header.shape, stored_bytes, reinterpret_cast<std::byte*>(rows.data()));
    elements = std::move(rows);
  }
}

} // namespace glt::io::detail

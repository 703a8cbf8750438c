// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/detail/npy_layout.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>

namespace glt::io {

namespace detail {

/// Array as read from a file, rows contiguous.
///
/// @shape  data [product of shape]
template <detail::npy_element T>
struct npy_array {
  std::vector<std::int64_t> shape;
  buffer<device::cpu, T> data;

  /// @pre    the array has two dimensions; not checked
  [[nodiscard]] host_matrix<T const> matrix() const { return {data.data(), shape[0], shape[1]}; }
};

} // namespace detail

/// Reads a whole array of elements of type T, which must be the file's type. Rows are contiguous and bytes are in this
/// machine's order, whatever the order in the file.
///
/// @throws io_error  if there is no such file, it is not an .npy file, its elements are of another type, or its length
///                   contradicts its shape
/// @cost   one read of the file, and one transposition if it is in Fortran order; the length is checked before memory
///         is allocated
template <detail::npy_element T>
[[nodiscard]] detail::npy_array<T> read_npy(std::filesystem::path const& path) {
  detail::input_file file(path);
  auto header = detail::read_npy_header(file);
  if (detail::native_type(header) != detail::npy_type<T>()) {
    file.fail(0, glt::detail::message("holds elements of type '", header.type, "', not '", detail::npy_type<T>(),
                                      "'; convert it with NumPy's astype"));
  }
  auto const count = detail::count_elements(header.shape);
  auto const available = file.size() - header.data_offset;
  constexpr auto element = static_cast<std::int64_t>(sizeof(T));
  if (!count || *count > available / element) {
    file.fail(file.size(),
              glt::detail::message("ends after ", available, " bytes of data, too few for an array of shape ",
                                   detail::shape_text(header.shape), "; make it again"));
  }
  if (*count * element != available) {
    file.fail(header.data_offset + *count * element,
              glt::detail::message("goes on for ", available - *count * element, " bytes behind an array of shape ",
                                   detail::shape_text(header.shape), "; make it again"));
  }
  buffer<device::cpu, T> elements(*count);
  file.read(elements.data(), available);
  detail::make_native(header, *count, element, elements);
  return {std::move(header.shape), std::move(elements)};
}

/// Reads an array and checks its number of dimensions.
///
/// @throws io_error  as `read_npy` does, and if the array has another number of dimensions
template <detail::npy_element T>
[[nodiscard]] detail::npy_array<T> read_npy(std::filesystem::path const& path, int dimensions) {
  auto array = read_npy<T>(path);
  if (array.shape.size() != static_cast<std::size_t>(dimensions)) {
    throw io_error(path.string(), 0,
                   glt::detail::message("has the shape ", detail::shape_text(array.shape), "; an array of ", dimensions,
                                        dimensions == 1 ? " dimension" : " dimensions", " belongs here"));
  }
  return array;
}

/// Writes an array in C order; replaces a file of the same name. A failed call leaves no new file.
///
/// @shape  values [product of shape], any contiguous range of the host
/// @throws precondition_error  if the number of values contradicts the shape, or the shape is too long for a
///                             header
/// @throws io_error            if the file cannot be written
template <std::ranges::contiguous_range Range>
  requires detail::npy_element<std::ranges::range_value_t<Range>>
void write_npy(std::filesystem::path const& path, Range const& values, std::span<std::int64_t const> shape) {
  using element = std::ranges::range_value_t<Range>;
  auto const count = static_cast<std::int64_t>(std::ranges::size(values));
  if (detail::count_elements(shape) != count) {
    throw precondition_error(glt::detail::message(path.string(), ": ", count, " values do not make an array of shape ",
                                                  detail::shape_text(shape)));
  }
  auto const head = detail::npy_start(detail::npy_type<element>(), shape);
  if (!head) {
    throw precondition_error(glt::detail::message(path.string(), ": a shape of ", shape.size(),
                                                  " dimensions does not fit an .npy header; give fewer"));
  }
  glt::detail::atomic_file file(path);
  file.write(head->data(), static_cast<std::int64_t>(head->size()));
  file.write(std::ranges::data(values), count * static_cast<std::int64_t>(sizeof(element)));
  file.commit();
}

/// Writes an array of one dimension.
template <std::ranges::contiguous_range Range>
  requires detail::npy_element<std::ranges::range_value_t<Range>>
void write_npy(std::filesystem::path const& path, Range const& values) {
  std::array const shape{static_cast<std::int64_t>(std::ranges::size(values))};
  write_npy(path, values, shape);
}

/// Writes a matrix.
template <class T>
  requires detail::npy_element<std::remove_const_t<T>>
void write_npy(std::filesystem::path const& path, host_matrix<T> values) {
  std::array const shape{values.rows(), values.columns()};
  write_npy(path, values.flat(), shape);
}

} // namespace glt::io

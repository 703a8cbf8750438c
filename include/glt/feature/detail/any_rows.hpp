// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/tier/detail/row_tier.hpp>

namespace glt::detail {

/// Borrowed rows of elements whose type is known only at run time.
///
/// With a tier, `data` holds only the cold rows.
///
/// @shape  data [num_rows, num_columns] elements of `type`, row-major · scales [num_columns] or empty
template <memory_space Space>
struct any_rows {
  element_type type = element_type::float32;
  std::byte const* data = nullptr;
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  array_view<Space, float const> scales{};
  row_tier<Space> tier{};

  [[nodiscard]] std::int64_t row_bytes() const noexcept { return num_columns * size_of(type); }

  /// Returns the stored elements; scales, if there are any, are not applied.
  ///
  /// @shape  [num_rows, num_columns]
  /// @throws precondition_error  if T is not the type of the elements
  template <detail::element T>
  [[nodiscard]] matrix_view<Space, T const> as() const {
    if (element_type_of<T> != type) {
      throw precondition_error(detail::message("rows of ", name_of(type), " read as ", name_of(element_type_of<T>),
                                               "; read them as ", name_of(type), ", or have them converted"));
    }
    return {reinterpret_cast<T const*>(data), num_rows, num_columns};
  }
};

// Returns the type in which elements are stored: types without an `element_type` are stored as bytes.
template <bytes_copyable T>
[[nodiscard]] constexpr element_type stored_type() noexcept {
  if constexpr (element<T>) {
    return element_type_of<T>;
  } else {
    return element_type::uint8;
  }
}

// Number of stored elements per element.
template <bytes_copyable T>
inline constexpr std::int64_t stored_elements = element<T> ? 1 : static_cast<std::int64_t>(sizeof(T));

/// Returns the rows of features without their type; types without an `element_type` count as bytes.
template <memory_space Space, bytes_copyable T>
[[nodiscard]] any_rows<Space> without_type(feature_view<Space, T> rows) noexcept {
  return {detail::stored_type<T>(),
          reinterpret_cast<std::byte const*>(rows.features.data()),
          rows.num_vertices(),
          rows.num_columns() * detail::stored_elements<T>,
          rows.scales,
          {}};
}

} // namespace glt::detail

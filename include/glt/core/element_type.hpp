// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace glt {

/// Element type of an array that is known only at run time, such as an array from a file.
enum class element_type : std::uint8_t { int8, uint8, int16, int32, int64, float16, bfloat16, float32, float64 };

namespace detail {

struct element_traits {
  std::string_view name;
  std::int64_t size;
};

// In the order of `element_type`.
inline constexpr std::array<element_traits, 9> element_table{{{"int8", 1},
                                                              {"uint8", 1},
                                                              {"int16", 2},
                                                              {"int32", 4},
                                                              {"int64", 8},
                                                              {"float16", 2},
                                                              {"bfloat16", 2},
                                                              {"float32", 4},
                                                              {"float64", 8}}};

/// Returns NumPy's name of an element type, such as "float32"; "bfloat16" as well, which NumPy does not have.
[[nodiscard]] constexpr std::string_view name_of(element_type type) noexcept {
  return detail::element_table[static_cast<std::size_t>(type)].name;
}

/// Returns the bytes of an element.
[[nodiscard]] constexpr std::int64_t size_of(element_type type) noexcept {
  return detail::element_table[static_cast<std::size_t>(type)].size;
}

/// Returns the element type of a name that `name_of` gives; nothing for other names.
[[nodiscard]] constexpr std::optional<element_type> find_element_type(std::string_view name) noexcept {
  for (std::size_t i = 0; i < detail::element_table.size(); ++i) {
    if (detail::element_table[i].name == name) {
      return static_cast<element_type>(i);
    }
  }
  return std::nullopt;
}

/// The element type of a C++ type.
template <class T>
inline constexpr element_type element_type_of = [] {
  if constexpr (std::same_as<T, std::int8_t>) {
    return element_type::int8;
  } else if constexpr (std::same_as<T, std::uint8_t>) {
    return element_type::uint8;
  } else if constexpr (std::same_as<T, std::int16_t>) {
    return element_type::int16;
  } else if constexpr (std::same_as<T, std::int32_t>) {
    return element_type::int32;
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return element_type::int64;
  } else if constexpr (std::same_as<T, float>) {
    return element_type::float32;
  } else {
    static_assert(std::same_as<T, double>, "no element type of this name; specialise element_type_of");
    return element_type::float64;
  }
}();

} // namespace detail

} // namespace glt

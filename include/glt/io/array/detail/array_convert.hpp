// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/memory/memory.hpp>

namespace glt::io::detail {

template <class From, class T>
buffer<device::cpu, T> convert_elements(array const& from) {
  auto const elements = from.values<From>();
  buffer<device::cpu, T> made(elements.size());
  for (std::int64_t i = 0; i < made.size(); ++i) {
    if constexpr (std::same_as<From, float16> || std::same_as<From, bfloat16>) {
      made[i] = static_cast<T>(static_cast<float>(elements[i]));
    } else {
      made[i] = static_cast<T>(elements[i]);
    }
  }
  return made;
}

/// Converts the elements of an array as C++ does; without a copy if they have type T already.
///
/// @pre    values fit T; not checked
template <class T>
[[nodiscard]] buffer<device::cpu, T> convert(array from) {
  if (from.shape().empty() && from.empty()) {
    return {};
  }
  if (from.type() == glt::detail::element_type_of<T>) {
    return std::move(from).template take<T>();
  }
  switch (from.type()) {
  case element_type::int8:
    return convert_elements<std::int8_t, T>(from);
  case element_type::uint8:
    return convert_elements<std::uint8_t, T>(from);
  case element_type::int16:
    return convert_elements<std::int16_t, T>(from);
  case element_type::int32:
    return convert_elements<std::int32_t, T>(from);
  case element_type::int64:
    return convert_elements<std::int64_t, T>(from);
  case element_type::float16:
    return convert_elements<float16, T>(from);
  case element_type::bfloat16:
    return convert_elements<bfloat16, T>(from);
  case element_type::float32:
    return convert_elements<float, T>(from);
  case element_type::float64:
    break;
  }
  return convert_elements<double, T>(from);
}

} // namespace glt::io::detail

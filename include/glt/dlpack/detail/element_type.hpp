// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/dlpack/tensor.hpp>

namespace glt::detail {

/// Returns DLPack's type of an element type.
[[nodiscard]] constexpr DLDataType dlpack_type(element_type type) noexcept {
  auto code = kDLFloat;
  switch (type) {
  case element_type::int8:
  case element_type::int16:
  case element_type::int32:
  case element_type::int64:
    code = kDLInt;
    break;
  case element_type::uint8:
    code = kDLUInt;
    break;
  case element_type::bfloat16:
    code = kDLBfloat;
    break;
  case element_type::float16:
  case element_type::float32:
  case element_type::float64:
    break;
  }
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(type)), 1};
}

/// Returns the element type of a DLPack type; nothing for vectors, complex numbers, unsigned numbers of several bytes.
[[nodiscard]] constexpr std::optional<element_type> find_element_type(DLDataType type) noexcept {
  for (std::size_t i = 0; i < element_table.size(); ++i) {
    auto const candidate = static_cast<element_type>(i);
    auto const [code, bits, lanes] = dlpack_type(candidate);
    if (type.code == code && type.bits == bits && type.lanes == lanes) {
      return candidate;
    }
  }
  return std::nullopt;
}

/// Returns a type of DLPack as text, such as "float32" or "uint64x4".
[[nodiscard]] inline std::string to_string(DLDataType type) {
  constexpr std::array names{"int", "uint", "float", "handle", "bfloat", "complex"};
  auto const name = type.code < names.size() ? std::string(names[type.code]) : message("type ", int{type.code}, " of ");
  return message(name, int{type.bits}, type.lanes == 1 ? "" : message("x", type.lanes));
}

} // namespace glt::detail

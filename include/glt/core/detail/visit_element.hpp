// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Calls visit(std::type_identity<T>{}) with the C++ type of an element type, and returns its result.
template <class Visitor>
constexpr decltype(auto) visit_element(element_type type, Visitor&& visit) {
  switch (type) {
  case element_type::int8:
    return visit(std::type_identity<std::int8_t>{});
  case element_type::uint8:
    return visit(std::type_identity<std::uint8_t>{});
  case element_type::int16:
    return visit(std::type_identity<std::int16_t>{});
  case element_type::int32:
    return visit(std::type_identity<std::int32_t>{});
  case element_type::int64:
    return visit(std::type_identity<std::int64_t>{});
  case element_type::float16:
    return visit(std::type_identity<float16>{});
  case element_type::bfloat16:
    return visit(std::type_identity<bfloat16>{});
  case element_type::float32:
    return visit(std::type_identity<float>{});
  case element_type::float64:
    break;
  }
  return visit(std::type_identity<double>{});
}

} // namespace glt::detail

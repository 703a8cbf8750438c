// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/element_type.hpp>

#include <cstdint>
#include <type_traits>

TEST_CASE("every element type is visited with its C++ type") {
  for (std::uint8_t i = 0; i < 9; ++i) {
    auto const type = static_cast<glt::element_type>(i);
    auto const seen = glt::detail::visit_element(
        type, []<class T>(std::type_identity<T>) { return glt::detail::element_type_of<T>; });
    CHECK(seen == type);
    auto const size = glt::detail::visit_element(
        type, []<class T>(std::type_identity<T>) { return static_cast<std::int64_t>(sizeof(T)); });
    CHECK(size == glt::detail::size_of(type));
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/element_type.hpp>

#include <cstdint>

TEST_CASE("element types are found by their names and have the sizes of C++") {
  using glt::element_type;
  for (auto const type :
       {element_type::int8, element_type::uint8, element_type::int16, element_type::int32, element_type::int64,
        element_type::float16, element_type::bfloat16, element_type::float32, element_type::float64}) {
    CHECK(glt::detail::find_element_type(glt::detail::name_of(type)) == type);
  }
  CHECK(!glt::detail::find_element_type("complex64"));
  CHECK(glt::detail::name_of(glt::detail::element_type_of<float>) == "float32");
  CHECK(glt::detail::name_of(glt::detail::element_type_of<std::int64_t>) == "int64");
  CHECK(glt::detail::size_of(element_type::bfloat16) == 2);
  CHECK(glt::detail::size_of(glt::detail::element_type_of<double>) == sizeof(double));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dlpack/tensor.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

using glt::element_type;

namespace {

bool is(DLDataType type, int code, int bits) {
  return type.code == code && type.bits == bits && type.lanes == 1;
}

} // namespace

TEST_CASE("every element type has its words in DLPack") {
  CHECK(is(glt::detail::dlpack_type(element_type::int8), kDLInt, 8));
  CHECK(is(glt::detail::dlpack_type(element_type::uint8), kDLUInt, 8));
  CHECK(is(glt::detail::dlpack_type(element_type::int16), kDLInt, 16));
  CHECK(is(glt::detail::dlpack_type(element_type::int32), kDLInt, 32));
  CHECK(is(glt::detail::dlpack_type(element_type::int64), kDLInt, 64));
  CHECK(is(glt::detail::dlpack_type(element_type::float16), kDLFloat, 16));
  CHECK(is(glt::detail::dlpack_type(element_type::bfloat16), kDLBfloat, 16));
  CHECK(is(glt::detail::dlpack_type(element_type::float32), kDLFloat, 32));
  CHECK(is(glt::detail::dlpack_type(element_type::float64), kDLFloat, 64));
}

TEST_CASE("an element type is found by its words, and others are not") {
  for (int i = 0; i <= static_cast<int>(element_type::float64); ++i) {
    auto const type = static_cast<element_type>(i);
    CHECK(glt::detail::find_element_type(glt::detail::dlpack_type(type)) == type);
  }
  for (DLDataType const other : {DLDataType{kDLFloat, 32, 4}, DLDataType{kDLUInt, 32, 1}, DLDataType{kDLComplex, 64, 1},
                                 DLDataType{kDLFloat, 8, 1}, DLDataType{200, 8, 1}, DLDataType{kDLInt, 32, 0}}) {
    CHECK(glt::detail::find_element_type(other) == std::nullopt);
  }
}

TEST_CASE("types of DLPack in words") {
  CHECK(glt::detail::to_string(DLDataType{kDLFloat, 32, 1}) == "float32");
  CHECK(glt::detail::to_string(DLDataType{kDLBfloat, 16, 2}) == "bfloat16x2");
  CHECK(glt::detail::to_string(DLDataType{77, 8, 1}) == "type 77 of 8");
}

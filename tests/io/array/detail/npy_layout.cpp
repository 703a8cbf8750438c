// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/array/detail/npy_header.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace glt;
using namespace glt::io::detail;

namespace {

// The number of an element in Fortran order, by its number in C order.
std::int64_t stored_place(std::int64_t place, std::vector<std::int64_t> const& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (auto side = shape.size(); side-- > 0;) {
    index[side] = place % shape[side];
    place /= shape[side];
  }
  std::int64_t stored = 0;
  std::int64_t stride = 1;
  for (std::size_t side = 0; side < shape.size(); ++side) {
    stored += index[side] * stride;
    stride *= shape[side];
  }
  return stored;
}

template <class T>
void check_rows(std::vector<std::int64_t> const& shape) {
  auto const count = *count_elements(shape);
  buffer<device::cpu, T> elements(count);
  for (std::int64_t i = 0; i < count; ++i) {
    elements[i] = static_cast<T>(i);
  }
  make_native({.type = "<i8", .shape = shape, .fortran_order = true}, count, sizeof(T), elements);
  bool same = true;
  for (std::int64_t i = 0; i < count; ++i) {
    same = same && elements[i] == static_cast<T>(stored_place(i, shape));
  }
  CHECK(same);
}

} // namespace

TEST_CASE("arrays in Fortran order get contiguous rows") {
  for (std::vector<std::int64_t> const& shape :
       std::vector<std::vector<std::int64_t>>{{0, 3}, {1, 1}, {1, 7}, {7, 1}, {3, 5}, {2, 3, 4}, {5, 1, 3, 2}, {9}}) {
    check_rows<std::uint8_t>(shape);
    check_rows<std::int16_t>(shape);
    check_rows<float>(shape);
    check_rows<std::int64_t>(shape);
  }
  check_rows<std::int64_t>({3001, 70}); // several blocks of rows
}

TEST_CASE("bytes of big-endian elements are turned round, others stay") {
  std::vector<std::uint32_t> const values{1, 0x01020304};
  for (bool const big : {true, false}) {
    buffer<device::cpu, std::uint32_t> elements(2);
    for (std::int64_t i = 0; i < 2; ++i) {
      auto const value = values[static_cast<std::size_t>(i)];
      elements[i] = big ? __builtin_bswap32(value) : value;
    }
    npy_header const header{.type = big ? ">u4" : "<u4", .shape = {2}};
    CHECK(is_big_endian(header) == big);
    CHECK(native_type(header) == "<u4");
    make_native(header, 2, 4, elements);
    CHECK(elements[0] == values[0]);
    CHECK(elements[1] == values[1]);
  }
}

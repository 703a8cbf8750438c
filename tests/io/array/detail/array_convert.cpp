// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/array/array.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

using namespace glt;

namespace {

template <class From>
void check_from(std::vector<From> const& values) {
  auto const floats = io::detail::convert<float>(io::array::of<From>(values, {2, 2}));
  auto const longs = io::detail::convert<std::int64_t>(io::array::of<From>(values, {4}));
  REQUIRE(floats.size() == 4);
  REQUIRE(longs.size() == 4);
  for (std::int64_t i = 0; i < 4; ++i) {
    CHECK(floats[i] == static_cast<float>(values[static_cast<std::size_t>(i)]));
    CHECK(longs[i] == static_cast<std::int64_t>(static_cast<float>(values[static_cast<std::size_t>(i)])));
  }
}

} // namespace

TEST_CASE("elements of every type convert by value") {
  check_from<std::int8_t>({-128, 127, 0, 3});
  check_from<std::uint8_t>({255, 1, 0, 3});
  check_from<std::int16_t>({-32768, 32767, 0, 3});
  check_from<std::int32_t>({-65536, 65535, 0, 3});
  check_from<std::int64_t>({-65536, 65535, 0, 3});
  check_from<float>({-1.5F, 1e6F, 0, 3});
  check_from<double>({-1.5, 1e6, 0, 3});
  check_from<float16>({float16(-1.5F), float16(2048), float16(0), float16(3)});
  check_from<bfloat16>({bfloat16(-1.5F), bfloat16(2048), bfloat16(0), bfloat16(3)});
}

TEST_CASE("nothing is copied if the type is that of the array already") {
  auto made = io::array::of<float>(std::vector<float>{1, 2, 3});
  auto const* const place = made.values<float>().data();
  CHECK(io::detail::convert<float>(std::move(made)).data() == place);
}

TEST_CASE("no array becomes no elements, a number one") {
  CHECK(io::detail::convert<float>(io::array()).empty());
  CHECK(io::detail::convert<float>(io::array::of<std::int32_t>(std::vector<std::int32_t>{}, {0, 3})).empty());
  CHECK(io::detail::convert<float>(io::array::of<std::int32_t>(std::vector<std::int32_t>{7}, {}))[0] == 7);
}

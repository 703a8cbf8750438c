// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/array/detail/array_values.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class T>
io::array array_of(std::vector<T> const& values) {
  return io::array::of(host_view<T const>(values));
}

io::array halves(element_type type, std::vector<std::uint16_t> const& bits) {
  buffer<device::cpu, std::byte> bytes(std::ssize(bits) * 2);
  std::memcpy(bytes.data(), bits.data(), bits.size() * 2);
  return {type, {std::ssize(bits)}, std::move(bytes)};
}

template <class T>
void check_numbers() {
  auto const values = array_of<T>({T(0), T(1), T(100), T(7)});
  CHECK(io::detail::integers_of(values, "a") == std::vector<std::int64_t>{0, 1, 100, 7});
  CHECK(io::detail::floats_of(values, "a") == std::vector<float>{0, 1, 100, 7});
  CHECK(io::detail::count_not_finite(values) == 0);
  CHECK(io::detail::integers_of(array_of<T>({}), "a").empty());
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("elements of every type become integers and floats") {
  check_numbers<std::int8_t>();
  check_numbers<std::uint8_t>();
  check_numbers<std::int16_t>();
  check_numbers<std::int32_t>();
  check_numbers<std::int64_t>();
  check_numbers<float>();
  check_numbers<double>();
  CHECK(io::detail::integers_of(array_of<std::int64_t>({INT64_MIN, INT64_MAX}), "a") ==
        std::vector<std::int64_t>{INT64_MIN, INT64_MAX});
  CHECK(io::detail::integers_of(array_of<double>({-9007199254740992.0}), "a") ==
        std::vector<std::int64_t>{-9007199254740992});
}

TEST_CASE("numbers of 16 bits become integers and floats") {
  auto const halved = halves(element_type::float16, {0x3C00, 0xC000, 0});
  CHECK(io::detail::integers_of(halved, "a") == std::vector<std::int64_t>{1, -2, 0});
  auto const brain = halves(element_type::bfloat16, {0x3FC0, 0xC000});
  CHECK(io::detail::floats_of(brain, "a") == std::vector<float>{1.5, -2});
}

TEST_CASE("a row of a matrix becomes integers") {
  std::array<std::int32_t, 6> const values{1, 2, 3, 4, 5, 6};
  auto const matrix = io::array::of(host_view<std::int32_t const>(values), {2, 3});
  CHECK(io::detail::integers_of_row(matrix, 0, "a") == std::vector<std::int64_t>{1, 2, 3});
  CHECK(io::detail::integers_of_row(matrix, 1, "a") == std::vector<std::int64_t>{4, 5, 6});
}

TEST_CASE("what is no whole number is refused as an integer") {
  for (double const bad : {0.5, not_a_number, infinite, -infinite, 1e300, 9007199254740994.0}) {
    CAPTURE(bad);
    CHECK(names(
        thrown<io_error>([&] { static_cast<void>(io::detail::integers_of(array_of<double>({1, bad}), "ids.npy")); }),
        "ids.npy", "element 1 is", "whole number", "int64"));
  }
  auto const halved = halves(element_type::float16, {0x3800});
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::integers_of(halved, "ids.npy")); }),
              "element 0 is 0.5"));
}

TEST_CASE("a number that is larger than any float is refused as one, what is not finite is not") {
  for (double const bad : {1e300, -1e300, 3.5e38}) {
    CAPTURE(bad);
    CHECK(names(thrown<io_error>([&] {
                  static_cast<void>(io::detail::floats_of(array_of<double>({1, infinite, bad}), "weights.npy"));
                }),
                "weights.npy", "element 2 is", "larger than any float32"));
  }
  constexpr double most = std::numeric_limits<float>::max();
  auto const kept = io::detail::floats_of(array_of<double>({most, -most, infinite, not_a_number, 1e-300}), "a");
  CHECK(kept[0] == std::numeric_limits<float>::max());
  CHECK(kept[1] == std::numeric_limits<float>::lowest());
  CHECK(kept[2] == std::numeric_limits<float>::infinity());
  CHECK(kept[3] != kept[3]);
  CHECK(kept[4] == 0);
}

TEST_CASE("whole numbers that no float equals are counted") {
  constexpr std::int64_t limit = 1 << 24;
  CHECK(io::detail::count_rounded(array_of<std::int64_t>({0, 1, -1, limit, -limit, 2 * limit, INT64_MIN})) == 0);
  CHECK(io::detail::count_rounded(array_of<std::int64_t>({limit + 1, -limit - 1, 2 * limit + 2, INT64_MAX})) == 4);
  CHECK(io::detail::count_rounded(array_of<std::int32_t>({16777217, 16777218, INT32_MAX})) == 2);
  CHECK(io::detail::count_rounded(array_of<double>({0.1, 16777217})) == 0); // of floats, rounding is usual
  CHECK(io::detail::count_rounded(halves(element_type::float16, {0x3C00})) == 0);
}

TEST_CASE("elements that are not finite are counted in every type") {
  CHECK(io::detail::count_not_finite(array_of<double>({1, not_a_number, infinite, -infinite, 0, -not_a_number})) == 4);
  CHECK(io::detail::count_not_finite(array_of<float>({1, std::numeric_limits<float>::quiet_NaN(), 3e38F})) == 1);
  CHECK(io::detail::count_not_finite(halves(element_type::float16, {0x3C00, 0x7C00, 0xFC00, 0x7E00, 0x7BFF})) == 3);
  CHECK(io::detail::count_not_finite(halves(element_type::bfloat16, {0x3F80, 0x7F80, 0xFF80, 0x7FC0, 0x7F7F})) == 3);
  CHECK(io::detail::count_not_finite(array_of<std::int64_t>({-1})) == 0);
  CHECK(io::detail::count_not_finite(io::array()) == 0);
  CHECK(io::detail::find_not_finite(array_of<double>({1, 2, infinite, not_a_number})) == 2);
  CHECK(io::detail::find_not_finite(halves(element_type::bfloat16, {0x3F80, 0x7F80, 0xFF80})) == 1);
  CHECK_FALSE(io::detail::find_not_finite(halves(element_type::float16, {0x3C00, 0x7BFF})));
}

TEST_CASE("weights that a float32 cannot tell from 0 are refused, 0 and features are not") {
  for (double const bad : {1e-60, -1e-60, 1e-40, 5e-324}) {
    CAPTURE(bad);
    CHECK(names(thrown<io_error>([&] {
                  static_cast<void>(io::detail::weights_of(array_of<double>({1, bad, 3e-60}), "edge_weight.npy"));
                }),
                "edge_weight.npy", "element 1 is", "too small for a float32", "multiply all by a number"));
  }
  CHECK(io::detail::weights_of(array_of<double>({0, -0.0, 1.25e-37, 2}), "a") ==
        std::vector<float>{0, 0, 1.25e-37F, 2});
  CHECK(io::detail::weights_of(array_of<float>({1e-40F}), "a") == std::vector<float>{1e-40F});
  CHECK(io::detail::floats_of(array_of<double>({1e-60}), "a") == std::vector<float>{0});
}

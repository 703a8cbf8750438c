// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/core/element_type.hpp>
#include <glt/io/array/array.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("an array has the type, shape and elements it was made of") {
  std::vector<std::int32_t> const values{1, 2, 3, 4, 5, 6};
  auto const made = io::array::of<std::int32_t>(values, {2, 3, 1});
  CHECK(made.type() == element_type::int32);
  CHECK(made.shape() == std::vector<std::int64_t>{2, 3, 1});
  CHECK(made.rows() == 2);
  CHECK(made.columns() == 3);
  CHECK(made.bytes().size() == 24);
  CHECK(made.matrix<std::int32_t>()(1, 0) == 4);
  CHECK(made.values<std::int32_t>().size() == 6);
  auto const line = io::array::of<std::int32_t>(values);
  CHECK(line.shape() == std::vector<std::int64_t>{6});
  CHECK(line.columns() == 1);
  auto const none = io::array::of<float>(std::vector<float>(), {0, 5});
  CHECK(none.empty());
  CHECK(none.columns() == 5);
  CHECK(io::array().rows() == 0);
  CHECK(io::array().shape().empty());
}

TEST_CASE("an array whose bytes are not those of its shape is refused") {
  auto const fault = [](std::vector<std::int64_t> shape, std::int64_t bytes) {
    return thrown<precondition_error>(
        [&] { static_cast<void>(io::array(element_type::int32, shape, buffer<device::cpu, std::byte>(bytes))); });
  };
  CHECK(names(fault({2, 3}, 23), "6 elements of int32 in 23 bytes", "24"));
  CHECK(names(fault({2, -3}, 0), "side of -3"));
}

TEST_CASE("elements are read in their own type only") {
  auto const made = io::array::of<float>(std::vector<float>{1, 2});
  CHECK(
      names(thrown<precondition_error>([&] { static_cast<void>(made.values<double>()); }), "float32 read as float64"));
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(made.matrix<std::int32_t>()); }),
              "float32 read as int32"));
}

TEST_CASE("elements are handed over without a copy") {
  for (std::int64_t const n : {0, 1, 1001}) {
    std::vector<double> values(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      values[static_cast<std::size_t>(i)] = static_cast<double>(i) / 2;
    }
    auto made = io::array::of<double>(values);
    auto const* const place = made.values<double>().data();
    CHECK_THROWS_AS(static_cast<void>(std::move(made).take<float>()), precondition_error);
    CHECK(made.values<double>().size() == n);
    auto taken = std::move(made).take<double>();
    CHECK(taken.data() == place);
    CHECK(std::vector<double>(taken.begin(), taken.end()) == values);
    taken.resize(n + 1);
    CHECK(taken.size() == n + 1);
  }
}

TEST_CASE("some rows of an array are kept without a copy") {
  auto made = io::array::of<std::int32_t>(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}, {3, 2});
  auto const* const second = made.values<std::int32_t>().data() + 2;
  made.keep_rows(0, 3);
  made.keep_rows(1, 2);
  CHECK(made.shape() == std::vector<std::int64_t>{2, 2});
  CHECK(made.values<std::int32_t>().data() == second);
  made.keep_rows(1, 1);
  CHECK(made.matrix<std::int32_t>()(0, 1) == 6);
  made.keep_rows(1, 0);
  CHECK(made.shape() == std::vector<std::int64_t>{0, 2});
  CHECK(made.empty());
  CHECK(names(thrown<precondition_error>([&] { made.keep_rows(0, 1); }), "rows [0, 0 + 1) of an array of 0"));
  CHECK_THROWS_AS(made.keep_rows(-1, 0), precondition_error);
}

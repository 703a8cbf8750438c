// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/exec/sequential.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

using namespace glt;

TEST_CASE("indices come in ascending order") {
  static_assert(std::is_empty_v<exec::sequential>);
  std::vector<std::int64_t> order;
  exec::sequential{}.for_each(5, [&](std::int64_t i) { order.push_back(i); });
  CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("values combine from left to right, after the initial one") {
  auto const value = [](std::int64_t i) { return 10.0 + static_cast<double>(i); };
  auto const minus = [](double a, double b) { return a - b; };
  CHECK(exec::sequential{}.reduce(3, 100.0, value, minus) == 100.0 - 10.0 - 11.0 - 12.0);
}

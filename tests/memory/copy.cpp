// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/memory/buffer.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a buffer is made from any contiguous range") {
  std::vector<int> const values{4, 5, 6};
  CHECK(to_vector(make_buffer<device::cpu>(values)) == values);
  CHECK(to_vector(make_buffer<device::cpu>(std::span(values).subspan(1))) == std::vector<int>{5, 6});
  CHECK(to_vector(make_buffer<device::cpu>(host_view<int const>(values))) == values);
  CHECK(to_vector(make_buffer<minimal_policy>(std::array<double, 2>{0.5, 1.5})) == std::vector<double>{0.5, 1.5});
  CHECK(make_buffer<device::cpu>(std::vector<float>{}).empty());
}

TEST_CASE("elements travel between spaces that the host reaches") {
  auto const pinned = make_buffer<minimal_policy>(std::vector<std::int64_t>{7, 8, 9});
  std::vector<std::int64_t> back(3, 0);
  copy(pinned.view(), host_view<std::int64_t>(back));
  CHECK(back == std::vector<std::int64_t>{7, 8, 9});
  CHECK_NOTHROW(copy(host_view<std::int64_t>{}, host_view<std::int64_t>{}));
}

TEST_CASE("views of different lengths are refused, and nothing is written") {
  std::vector<int> const from{1, 2, 3};
  std::vector<int> to{9, 9};
  auto const text = thrown<precondition_error>([&] { copy(host_view<int const>(from), host_view<int>(to)); });
  CHECK(names(text, "3", "2"));
  CHECK(to == std::vector<int>{9, 9});
}

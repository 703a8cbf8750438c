// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/partition/stream/detail/vertex_stream.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <limits>

using glt::detail::vertex_capacity;
using glt_test::names;
using glt_test::thrown;

TEST_CASE("A part may have its share of the vertices and the slack, rounded up") {
  CHECK(vertex_capacity("LDG", 0, 0.05, 4) == 0);
  CHECK(vertex_capacity("LDG", 1, 0, 4) == 1);
  CHECK(vertex_capacity("LDG", 8, 0, 4) == 2);
  CHECK(vertex_capacity("LDG", 9, 0, 4) == 3);
  CHECK(vertex_capacity("LDG", 100, 0.1, 4) == 28);
  CHECK(vertex_capacity("LDG", 5, 0.5, 1) >= 5);
}

TEST_CASE("No parts and a slack that is negative or no number are refused, by the name of the method") {
  CHECK_THROWS_AS(static_cast<void>(vertex_capacity("LDG", 5, 0, 0)), glt::precondition_error);
  for (double const slack : {-0.1, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(vertex_capacity("Fennel", 5, slack, 2)); }),
                "Fennel"));
  }
}

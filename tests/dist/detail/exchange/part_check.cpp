// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/detail/exchange/part_check.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <string>

using glt::detail::check_own_part;

namespace {

struct one_of_three {
  [[nodiscard]] int rank() const { return 1; }
  [[nodiscard]] int size() const { return 3; }
};

std::string refused(int part, int num_parts) {
  return glt_test::thrown<glt::precondition_error>(
      [&] { check_own_part(one_of_three(), part, num_parts, "edges of part", "tested by"); });
}

} // namespace

TEST_CASE("A rank takes its own part of as many as there are ranks, and no other") {
  CHECK_NOTHROW(check_own_part(one_of_three(), 1, 3, "part", "walked by"));
  CHECK(refused(0, 3) ==
        "edges of part 0 of 3 tested by rank 1 of 3; use the communicator that the graph was made with");
  CHECK(refused(1, 2) ==
        "edges of part 1 of 2 tested by rank 1 of 3; use the communicator that the graph was made with");
}

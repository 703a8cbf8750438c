// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/arguments.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <vector>

TEST_CASE("the first id that is no vertex is named with its place and the range") {
  auto const refused = [](std::vector<std::int64_t> const& ids, std::int64_t vertices) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { glt::detail::validate_vertices("seed", glt::host_view<std::int64_t const>(ids), vertices); });
  };
  CHECK(glt_test::names(refused({0, 4, 5, -1}, 5), "seed 2 is 5", "[0, 5)"));
  CHECK(glt_test::names(refused({0, -1, 5}, 5), "seed 1 is -1", "[0, 5)"));
  CHECK(glt_test::names(refused({0}, 0), "seed 0 is 0", "[0, 0)"));
  CHECK(refused({0, 4}, 5) == "(nothing was thrown)");
  CHECK(refused({}, 0) == "(nothing was thrown)");
}

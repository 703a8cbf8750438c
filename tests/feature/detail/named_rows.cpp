// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/feature/detail/any_rows.hpp>

#include "support/errors.hpp"

#include <vector>

TEST_CASE("a tensor is found by its name, and a name that is not there is told with those that are") {
  using rows = glt::detail::named_rows<glt::memory_space::host>;
  std::vector<rows> const all{{"title", {.num_rows = 1}}, {"", {.num_rows = 2}}, {"year", {.num_rows = 3}}};
  CHECK(&glt::detail::find_named(all, "year") == &all[2]);
  CHECK(glt::detail::find_named(all, "").rows.num_rows == 2);
  auto const error = [](std::vector<rows> const& list) {
    return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(glt::detail::find_named(list, "Year")); });
  };
  CHECK(glt_test::names(error(all), "no features \"Year\"", "\"title\", \"\", \"year\""));
  CHECK(glt_test::names(error({}), "there are none"));
}

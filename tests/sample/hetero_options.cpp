// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/hetero_options.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <vector>

namespace {

glt::hetero_schema const schema({{"a", 2}, {"b", 3}}, {{"a", "x", "b"}, {"b", "y", "a"}});

} // namespace

TEST_CASE("fanouts of every edge type, zero included") {
  CHECK(glt::same_fanouts(schema, {3, 2}) == std::vector<std::vector<std::int64_t>>{{3, 2}, {3, 2}});
  CHECK(glt::detail::num_hops({.fanouts = glt::same_fanouts(schema, {3, 2, 1})}) == 3);
  CHECK(glt::detail::num_hops(glt::hetero_options{}) == 0);
  CHECK_NOTHROW(glt::detail::validate({.fanouts = {{3, 0}, {-1, 0}}}, schema));
  CHECK_NOTHROW(glt::detail::validate({.fanouts = {{0}, {0}}, .replace = true}, schema));
  CHECK_NOTHROW(glt::detail::validate({}, glt::hetero_schema{}));
}

TEST_CASE("wrong fanouts are refused by edge type and hop") {
  auto const refused = [](glt::hetero_options const& options) {
    return glt_test::thrown<glt::precondition_error>([&] { glt::detail::validate(options, schema); });
  };
  CHECK(glt_test::names(refused({}), "0 lists", "2 edge types"));
  CHECK(glt_test::names(refused({.fanouts = {{1}, {1}, {1}}}), "3 lists"));
  CHECK(glt_test::names(refused({.fanouts = {{}, {}}}), "0 fanouts of (a, x, b)"));
  CHECK(glt_test::names(refused({.fanouts = {{1, 2}, {1}}}), "1 fanouts of (b, y, a)", "2 of (a, x, b)"));
  CHECK(glt_test::names(refused({.fanouts = {{1, 2}, {1, -2}}}), "fanout -2", "hop 1 of (b, y, a)"));
  CHECK(glt_test::names(refused({.fanouts = {{-1}, {1}}, .replace = true}), "fanout -1", "hop 0 of (a, x, b)",
                        "replacement"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/walks.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"

#include <cstdint>
#include <utility>

TEST_CASE("walks have a row each, and edge ids if asked for") {
  glt::walks<glt::device::cpu> walks;
  CHECK(walks.num_walks() == 0);
  CHECK(walks.vertices().rows() == 0);
  walks.resize(3, 2, 4, true);
  CHECK(walks.num_walks() == 6);
  CHECK(walks.length() == 4);
  CHECK(walks.vertices().rows() == 6);
  CHECK(walks.vertices().columns() == 5);
  CHECK(std::as_const(walks).edge_ids().rows() == 6);
  CHECK(std::as_const(walks).edge_ids().columns() == 4);
  walks.resize(3, 2, 4, false);
  CHECK(walks.edge_ids().rows() == 0);
  walks.resize(glt::device::cpu(), 0, 2, 4, true);
  CHECK(walks.vertices().rows() == 0);
  CHECK(walks.edge_ids().rows() == 0);
}

TEST_CASE("walks reuse their memory and refuse to be more than can be counted") {
  glt::walks<glt_test::minimal_policy> walks(glt_test::minimal_policy{});
  walks.resize(10, 3, 7, true);
  auto const* const data = walks.vertices().data();
  glt_test::counting_resource::counts().allocations_left = 0;
  walks.resize(30, 1, 5, true);
  glt_test::counting_resource::counts().allocations_left = -1;
  CHECK(walks.vertices().data() == data);
  auto const refused = glt_test::thrown<glt::precondition_error>(
      [&] { walks.resize(std::int64_t{1} << 31, std::int64_t{1} << 30, std::int64_t{1} << 30, false); });
  CHECK(glt_test::names(refused, "1073741824 walks", "1073741824 steps", "2147483648 starts"));
}

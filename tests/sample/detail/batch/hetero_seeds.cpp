// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/hetero_builder.hpp>

#include "support/errors.hpp"

#include <vector>

TEST_CASE("seeds are checked against their own type, and one type is completed by empty ones") {
  glt::hetero_schema const schema({{"a", 2}, {"b", 5}, {"c", 0}}, {});
  glt::detail::hetero_seeds<glt::memory_space::host, glt::local_id> seeds(schema);
  std::vector<glt::local_id> const ids{1, 4};
  auto const lists = seeds.of_one_type(1, ids);
  CHECK(lists.size() == 3);
  CHECK(lists[0].empty());
  CHECK(lists[1].data() == ids.data());
  CHECK(lists[2].empty());
  CHECK_NOTHROW(seeds.check(glt::device::cpu(), lists));
  auto const fault = [&](auto&& f) { return glt_test::thrown<glt::precondition_error>(f); };
  CHECK(glt_test::names(fault([&] { seeds.check(glt::device::cpu(), seeds.of_one_type(0, ids)); }), "a seed 1 is 4",
                        "[0, 2)"));
  CHECK(glt_test::names(fault([&] { seeds.check(glt::device::cpu(), seeds.of_one_type(2, ids)); }), "c seed 0 is 1",
                        "[0, 0)"));
  CHECK(glt_test::names(fault([&] { static_cast<void>(seeds.of_one_type(3, ids)); }), "node type 3 of 3"));
  CHECK(glt_test::names(fault([&] { static_cast<void>(seeds.of_one_type(-1, ids)); }), "node type -1"));
  CHECK(glt_test::names(fault([&] { seeds.check(glt::device::cpu(), lists.subspan(1)); }), "2 node types", "3"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/serial.hpp>
#include <glt/dist/roles/detail/part_router.hpp>

#include "support/errors.hpp"

#include <vector>

using glt::detail::agreed_number_of_parts;
using glt::detail::holders_of_parts;
using lists = std::vector<std::vector<int>>;

TEST_CASE("holders of a part are in ascending order") {
  auto const holders = holders_of_parts(3, {{2, 0}, {}, {1, 2}});
  CHECK(holders.fault.empty());
  CHECK(holders.of_part == lists{{0}, {2}, {0, 2}});
}

TEST_CASE("what is wrong with the parts of a rank is found") {
  auto const fails = [](int parts, lists const& held, int rank, char const* text) {
    auto const holders = holders_of_parts(parts, held);
    CHECK(holders.faulty_rank == rank);
    CHECK(holders.fault == text);
  };
  fails(3, {{0}, {2}}, 0, "finds no rank that holds part 1; load every part on at least one rank");
  fails(2, {{0}, {1, 2}}, 1, "holds part 2; parts are 0 to 1");
  fails(2, {{0}, {-1}}, 1, "holds part -1; parts are 0 to 1");
  fails(2, {{0}, {1}, {1, 0, 1}}, 2, "holds part 1 twice; name every part that it holds once");
  fails(0, {{}}, 0, "routes to 0 parts; pass the number of parts");
}

TEST_CASE("ranks agree on the number of parts; those that do not know it say 0") {
  CHECK(agreed_number_of_parts(glt::serial_comm(), {{0}, {4, 1, 2}, {0}, {4}}) == 4);
  CHECK(agreed_number_of_parts(glt::serial_comm(), {{0}, {0}}) == 0);
  CHECK(glt_test::names(glt_test::thrown<glt::collective_error>(
                            [] { static_cast<void>(agreed_number_of_parts(glt::serial_comm(), {{0}, {4}, {5}})); }),
                        "rank 2", "5 parts", "has 4"));
}

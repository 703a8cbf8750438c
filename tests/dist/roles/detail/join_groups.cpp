// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/serial.hpp>
#include <glt/dist/roles/context.hpp>

#include "support/errors.hpp"

#include <string>
#include <string_view>
#include <vector>

using glt::dist::role;

namespace {

std::string introduction(role what, std::string_view group) {
  return std::string(1, static_cast<char>(what)) + std::string(group);
}

std::string refusal(std::vector<std::string> const& introductions) {
  return glt_test::thrown<glt::collective_error>(
      [&] { static_cast<void>(glt::detail::groups_of(glt::serial_comm(), introductions)); });
}

} // namespace

TEST_CASE("groups are ordered by their lowest ranks") {
  auto const groups =
      glt::detail::groups_of(glt::serial_comm(), {introduction(role::client, "b"), introduction(role::server, "a"),
                                                  introduction(role::client, "b"), introduction(role::client, "c")});
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].role == role::client);
  CHECK(groups[0].name == "b");
  CHECK(groups[0].ranks == std::vector<int>{0, 2});
  CHECK(groups[1].role == role::server);
  CHECK(groups[1].ranks == std::vector<int>{1});
  CHECK(groups[2].name == "c");
  CHECK(groups[2].ranks == std::vector<int>{3});
}

TEST_CASE("a rank that cannot be in a group is named") {
  auto const first = introduction(role::server, "servers");
  CHECK(refusal({first, introduction(role::client, "servers")}) ==
        "rank 1: joins group \"servers\" as client, but rank 0 as server; give groups of different roles "
        "different "
        "names");
  CHECK(refusal({first, first, introduction(role::client, "")}) ==
        "rank 2: joins as client of a group without a name; name the group");
  CHECK(glt_test::names(refusal({first, introduction(static_cast<role>(4), "x")}), "rank 1", "unknown role"));
}

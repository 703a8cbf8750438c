// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/assignment.hpp>

using glt::dist::role;

TEST_CASE("roles have names") {
  CHECK(glt::dist::to_string(role::trainer) == "trainer");
  CHECK(glt::dist::to_string(role::worker) == "worker");
  CHECK(glt::dist::to_string(role::server) == "server");
  CHECK(glt::dist::to_string(static_cast<role>(9)) == "unknown role");
  CHECK(glt::dist::to_string(role::client) == "client");
}

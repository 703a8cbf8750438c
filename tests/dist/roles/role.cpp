// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/assignment.hpp>

#include "support/errors.hpp"

using glt::dist::role;

TEST_CASE("roles have names") {
  for (auto const what : {role::trainer, role::worker, role::server, role::client}) {
    CHECK(glt::detail::role_named(glt::dist::to_string(what)) == what);
  }
  CHECK(glt::dist::to_string(role::server) == "server");
  CHECK(glt::dist::to_string(static_cast<role>(9)) == "unknown role");
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([] { static_cast<void>(glt::detail::role_named("Server")); }),
      "\"Server\" is not a role", "server or client"));
}

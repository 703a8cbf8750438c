// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/roles/assignment.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/server.hpp>

namespace glt_test {

/// Roles of which the first ranks are servers.
template <class Comm>
glt::dist::role_context<Comm> joined(Comm comm, int servers) {
  return {comm, servers};
}

inline constexpr auto is_server = [](auto const& roles) { return roles.role() == glt::dist::role::server; };

/// Runs `serve(server)` on the first ranks, and `train(client)` on the others.
template <class Comm, class Serve, class Train>
void on_roles(Comm comm, int servers, Serve const& serve, Train const& train) {
  auto roles = joined(comm, servers);
  if (is_server(roles)) {
    glt::dist::server server(roles);
    serve(server);
  } else {
    glt::dist::client client(roles);
    train(client);
  }
}

} // namespace glt_test

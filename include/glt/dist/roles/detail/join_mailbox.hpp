// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/roles/context.hpp>

namespace glt::detail {

/// Makes the mailbox of servers and their clients; fails on all of them if a rank failed before.
///
/// @comm   collective over the world; one header exchange and the exchanges of `make_mailbox`
/// @throws collective_error  on every rank, if a rank failed or makes another call
template <communicator Comm>
  requires mailing<Comm>
[[nodiscard]] auto join_mailbox(dist::role_context<Comm>& roles) {
  exchange_values(host_comm(roles.world()), {.what = operation::join_roles, .hop = 1}, {});
  return roles.world().make_mailbox();
}

} // namespace glt::detail

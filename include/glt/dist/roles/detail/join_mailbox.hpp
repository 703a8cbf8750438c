// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/roles/context.hpp>

namespace glt::detail {

/// The mailbox of servers and their clients; a rank that has failed before is known to all of them then.
///
/// @comm   collective over the world; one header exchange and that of `make_mailbox`
/// @throws collective_error  on every rank, if one has failed or does something else
template <communicator Comm>
  requires mailing<Comm>
[[nodiscard]] auto join_mailbox(dist::role_context<Comm>& roles) {
  exchange_values(host_comm(roles.world()), {.what = operation::join_roles, .hop = 1}, {});
  return roles.world().make_mailbox();
}

} // namespace glt::detail

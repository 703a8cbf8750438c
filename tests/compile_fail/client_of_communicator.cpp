// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: servers_and_clients_take_the_role_context_of_the_ranks
#include <glt/comm/threads.hpp>
#include <glt/dist/roles/client.hpp>

void use(glt::threads_comm comm, glt::dist::role_context<glt::threads_comm>& roles) {
  glt::dist::client good(roles);
  static_cast<void>(comm);
#ifdef GLT_FAIL
  glt::dist::client bad(comm);
#endif
}

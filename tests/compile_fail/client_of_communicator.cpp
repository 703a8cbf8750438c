// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: takes the roles of the ranks.*role_context
#include <glt/comm/threads.hpp>
#include <glt/dist/roles/client.hpp>

void use(glt::threads_comm comm, glt::dist::role_context<glt::threads_comm>& roles) {
  glt::dist::client good(roles);
  static_cast<void>(comm);
#ifdef GLT_FAIL
  glt::dist::client bad(comm);
#endif
}

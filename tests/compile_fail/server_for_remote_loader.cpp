// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a_remote_loader_is_made_by_a_client
#include <glt/comm/threads.hpp>
#include <glt/dist/loading/link_batches.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/remote_loader.hpp>

#include <vector>

using glt::device::cpu;
using recipe_type = glt::dist::neighbor_batches<cpu, glt::global_id>;
using loader_type = glt::dist::remote_loader<glt::threads_comm, recipe_type>;
#include <glt/dist/roles/server.hpp>

void use(glt::dist::client<glt::threads_comm>& client, glt::dist::server<glt::threads_comm>& server,
         std::vector<glt::global_id> const& seeds) {
  loader_type good(client, "papers", seeds, {.fanouts = {5}});
  static_cast<void>(server);
#ifdef GLT_FAIL
  loader_type bad(server, "papers", seeds, {.fanouts = {5}});
#endif
}

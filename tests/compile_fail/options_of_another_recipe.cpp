// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the_options_are_not_those_of_the_recipe
#include <glt/comm/threads.hpp>
#include <glt/dist/loading/link_batches.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/remote_loader.hpp>

#include <vector>

using glt::device::cpu;
using recipe_type = glt::dist::neighbor_batches<cpu, glt::global_id>;
using loader_type = glt::dist::remote_loader<glt::threads_comm, recipe_type>;

void use(glt::dist::client<glt::threads_comm>& client, std::vector<glt::global_id> const& seeds) {
#ifdef GLT_FAIL
  loader_type bad(client, "papers", seeds, glt::link_options{});
#else
  loader_type good(client, "papers", seeds, {.fanouts = {5}});
#endif
}

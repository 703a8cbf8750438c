// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank owns the graph and makes batches, all others only train on them: mpirun -np 3 server_client
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <iostream>
#include <numeric>
#include <vector>

namespace dist = glt::dist;
using glt::device::cpu;
using recipe_type = dist::neighbor_batches<cpu, glt::global_id>;

void serve(dist::role_context<glt::mpi_comm>& roles) {
  auto const whole = glt::make_csr<cpu>(glt::make_rmat<glt::local_id>({.scale = 12, .edge_factor = 8}).view());
  auto const part_of = glt::random_partitioner{.seed = 1}(whole.view(), roles.group_size()); // of the servers
  auto const names = glt::make_relabelling(part_of.view(), roles.group_size());
  dist::graph const graph(roles.group(), glt::split_graph(whole.view(), names, roles.group_rank()));
  auto const rows = graph.local().num_rows();
  glt::buffer<cpu, float> values(rows * 16);
  std::iota(values.begin(), values.end(), 0.0F);
  dist::feature_store const features(roles.group(), graph.book(),
                                     glt::feature_store<cpu, float>(rows, 16, std::move(values)));

  dist::server server(roles);
  server.offer("neighbours", recipe_type(graph, features, {}));
  server.run(); // until the clients are gone
}

void train(dist::role_context<glt::mpi_comm>& roles) {
  std::vector<glt::global_id> seeds(500);
  std::iota(seeds.begin(), seeds.end(), 500 * roles.group_rank());
  dist::client client(roles);
  glt::run_collectively(roles.group(), [&] { // what one client fails with, all do
    dist::remote_loader<glt::mpi_comm, recipe_type> loader(client, "neighbours", seeds, {.fanouts = {15, 10}},
                                                           {.batch_size = 128, .shuffle = true, .prefetch = 4});
    for (auto const& batch : loader.epoch(0)) {
      std::cout << roles.name_of(roles.world_rank()) << " step " << batch.step << ": " << batch.num_seeds << " seeds, "
                << batch.subgraph.row().size() << " edges, " << batch.features().rows() << " feature rows\n";
    }
  });
}

void run(glt::mpi_comm world) {
  if (world.size() == 1) {
    std::cout << "start two ranks or more: mpirun -np 3 server_client\n";
    return;
  }
  dist::role_context roles(world, 1); // the first rank is the server
  roles.role() == dist::role::server ? serve(roles) : train(roles);
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first rank of each machine trains; the others make its batches, in memory that they share: mpirun -np 3 workers
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/node.hpp>
#include <glt/mpi/program.hpp>

#include <iostream>
#include <numeric>
#include <vector>

namespace dist = glt::dist;
using roles_type = dist::role_context<glt::mpi_comm>;
using recipe_type = dist::neighbor_batches<glt::device::cpu, glt::global_id>;

constexpr glt::local_id graph_size = 4096;

void make_batches(roles_type& roles, glt::mpi_node const& node) {
  auto const whole =
      glt::make_csr<glt::device::cpu>(glt::make_rmat<glt::local_id>({.scale = 12, .edge_factor = 8}).view());
  auto const part_of = glt::random_partitioner{.seed = 1}(whole.view(), roles.group_size()); // of all workers
  auto const names = glt::make_relabelling(part_of.view(), roles.group_size());
  dist::graph const graph(roles.group(), glt::split_graph(whole.view(), names, roles.group_rank()));

  dist::server server(roles, node, 64 << 20); // bytes of batches, which lie there until the next is asked for
  server.offer("neighbours", recipe_type(graph, {}));
  server.run(); // until the trainers are gone
}

void train(roles_type& roles, glt::mpi_node const& node) {
  std::vector<glt::global_id> seeds(graph_size / roles.group_size());
  std::iota(seeds.begin(), seeds.end(), std::ssize(seeds) * roles.group_rank());
  auto const machine = node.neighbors(); // this rank, and then its workers
  dist::client client(roles, node);
  glt::run_collectively(roles.group(), [&] {
    dist::remote_loader<glt::mpi_comm, recipe_type> loader(client, "neighbours", seeds, {.fanouts = {15, 10}},
                                                           {.batch_size = 512, .shuffle = true},
                                                           {.servers = {machine.begin() + 1, machine.end()}});
    std::int64_t edges = 0;
    for (auto const& batch : loader.epoch(0)) {
      edges += batch.subgraph.row().size();
    }
    std::cout << roles.name_of(roles.world_rank()) << ": " << loader.num_steps() << " batches, " << edges << " edges\n";
  });
}

void run(glt::mpi_comm world) {
  if (world.size() == 1) {
    std::cout << "start two ranks or more on each machine: mpirun -np 3 workers\n";
    return;
  }
  glt::mpi_node const node(world);
  bool const trains = node.neighbors().front() == world.rank();
  roles_type roles(world, trains ? dist::role::trainer : dist::role::worker, trains ? "trainers" : "workers");
  trains ? train(roles, node) : make_batches(roles, node);
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The batches of all ranks but the first are made by that one: as its clients, or with "shared" as its trainers, which read
// them in memory of the machine. With "two", the first two ranks make them together.
#include "parts.hpp"

#include <glt/mpi/node.hpp>

#include <optional>
#include <string_view>

namespace {

namespace dist = glt::dist;
using glt_fault::cpu;
using recipe_type = dist::neighbor_batches<cpu, glt::global_id>;
using roles_type = dist::role_context<glt::mpi_comm>;

void serve(roles_type& roles, std::optional<glt::mpi_node> const& node) {
  auto& comm = roles.group();
  std::optional<dist::graph<cpu>> graph;
  std::optional<dist::feature_store<cpu, float>> features;
  glt::run_collectively(comm, [&] {
    graph.emplace(comm, glt_fault::make_part(comm));
    features.emplace(comm, graph->book(), glt_fault::make_rows(graph->local().num_rows()));
  });
  std::optional<dist::server<glt::mpi_comm>> server;
  node ? server.emplace(roles, *node, std::int64_t{1} << 20) : server.emplace(roles);
  server->offer("neighbours", recipe_type(*graph, *features, {}));
  server->run();
}

std::uint64_t train(roles_type& roles, std::optional<glt::mpi_node> const& node) {
  std::vector<glt::global_id> seeds(600); // a block of more than 4 KiB, on ranks that have no other
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    seeds[i] = static_cast<glt::global_id>(i + 64 * static_cast<std::size_t>(roles.group_rank())) % 256;
  }
  std::optional<dist::client<glt::mpi_comm>> client;
  node ? client.emplace(roles, *node) : client.emplace(roles);
  return glt::run_collectively(roles.group(), [&] {
    dist::remote_loader<glt::mpi_comm, recipe_type> loader(*client, "neighbours", seeds, glt_fault::neighbors,
                                                           {.batch_size = 100, .shuffle = true, .prefetch = 2});
    return glt_fault::sum_of_epoch(loader);
  });
}

} // namespace

int main(int argc, char** argv) {
  std::string_view const way = argc > 1 ? argv[1] : "";
  bool const shared = way == "shared";
  int const num_servers = way == "two" ? 2 : 1;
  return glt_fault::run_job([shared, num_servers](glt::mpi_comm comm) -> std::uint64_t {
    std::optional<glt::mpi_node> node;
    if (shared) {
      node.emplace(comm);
    }
    bool const serves = comm.rank() < num_servers;
    auto const role = shared ? (serves ? dist::role::worker : dist::role::trainer)
                             : (serves ? dist::role::server : dist::role::client);
    roles_type roles(comm, role, serves ? "making" : "training");
    if (serves) {
      serve(roles, node);
      return 0;
    }
    return train(roles, node);
  });
}

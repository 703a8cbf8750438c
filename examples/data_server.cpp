// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owns a data set and makes batches of it, for clients of the same mpirun, or for jobs that attach one after the other:
//   mpirun -np 2 data_server : -np 2 data_client
//   mpirun -np 2 --ompi-server file:uri data_server PORT_FILE JOBS
#include <glt/glt.hpp>
#include <glt/mpi/attachment.hpp>
#include <glt/mpi/program.hpp>

#include <iostream>

namespace dist = glt::dist;

// A program with parts in a folder opens them instead: glt::io::open_data_set(servers, "parts").
dist::data_set<> make_data(glt::mpi_comm servers) {
  auto const planted = glt::make_planted_communities<>({.num_vertices = 4000, .num_communities = 2});
  auto const edges = planted.graph.view();
  auto const count = servers.rank() == 0 ? edges.num_edges() : 0; // one rank has all edges, others have none
  std::vector<std::int64_t> ids, labels, train, test;             // all have rows of some vertices
  std::vector<float> x;                                           // too noisy to tell the label
  for (std::int64_t v = servers.rank(); v < 4000; v += servers.size()) {
    glt::random_stream noise(glt::random_key(1), static_cast<std::uint64_t>(v));
    ids.push_back(v);
    labels.push_back(planted.community[v]);
    x.push_back(static_cast<float>(2 * noise.next_unit()) + static_cast<float>(labels.back()));
    (v % 4 == 0 ? train : test).push_back(v);
  }
  return dist::make_data_set(
      servers,
      {.edges = {.sources = edges.sources().subview(0, count), .destinations = edges.destinations().subview(0, count)},
       .rows = {.vertices = ids, .tensors = {{"x", x}, {"y", labels}}},
       .splits = {{"train", train}, {"test", test}}},
      glt::hash_partitioner{});
}

void serve(dist::role_context<glt::mpi_comm>& roles, dist::data_set<> const& data) {
  dist::server server(roles);
  server.offer("batches", dist::neighbor_batches(data, {})); // clients choose the fanouts
  dist::serve_data(server, "papers", data);                  // rows, labels, ids and splits
  for (int const client : server.run()) {                    // until the clients are gone
    std::cerr << roles.name_of(client) + " was lost\n";
  }
}

void run(glt::mpi_comm comm, char const* port_file, int jobs) {
  if (port_file == nullptr) { // the clients are ranks of comm, too
    dist::role_context roles(comm, dist::role::server, "servers");
    serve(roles, make_data(roles.group()));
    return;
  }
  auto const data = make_data(comm);
  for (; jobs > 0; --jobs) { // a client that says nothing for 10 minutes is dropped
    auto both = glt::mpi_attachment::accept(comm, port_file, {.time_limit = std::chrono::minutes(10)});
    dist::role_context roles(both.world(), dist::role::server, "servers");
    serve(roles, data);
  }
}

int main(int argc, char** argv) {
  int const jobs = argc > 2 ? std::atoi(argv[2]) : 1;
  if (jobs < 1) {
    std::cerr << "usage: data_server [PORT_FILE [JOBS]]\n";
    return 2;
  }
  auto const work = [&](auto comm) { run(comm, argc > 1 ? argv[1] : nullptr, jobs); };
  return glt::run_mpi_program(work, std::cerr);
}

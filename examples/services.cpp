// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Services of a program: one rank counts texts for all others, which wait for no collective: mpirun -np 3 services
#include <glt/glt.hpp>
#include <glt/mpi/program.hpp>

#include <iostream>
#include <map>

namespace dist = glt::dist;

void serve(dist::role_context<glt::mpi_comm>& roles) {
  std::map<std::string, std::int64_t> counts;
  dist::server server(roles);
  server.register_service("add", [&](std::vector<std::string> const& texts) {
    for (auto const& text : texts) {
      ++counts[text];
    }
    return std::ssize(counts);
  });
  server.register_service("count", [&](std::string const& text) {
    if (!counts.contains(text)) {
      throw glt::precondition_error("no text \"" + text + '"'); // the client gets it; the server goes on
    }
    return counts[text];
  });
  server.run(); // answers until all clients are gone
}

void call(dist::role_context<glt::mpi_comm>& roles) {
  dist::client client(roles);
  auto const server = client.servers().front(); // a rank of the world
  std::vector<std::string> const texts{"a", "b", "rank " + std::to_string(roles.world_rank())};
  auto added = client.request_async<std::int64_t>(server, "add", texts); // other work may go on here
  auto const distinct = added.get();
  auto const count = client.request<std::int64_t>(server, "count", std::string("a"));
  try {
    static_cast<void>(client.request<std::int64_t>(server, "count", std::string("c")));
  } catch (glt::collective_error const& failure) {
    std::cout << count << " of \"a\" among " << distinct << " texts; rank " << failure.rank()
              << " says: " << failure.cause() << '\n';
    return;
  }
  throw glt::precondition_error("an error of the server is missing");
}

int main() {
  auto const run = [](glt::mpi_comm world) {
    if (world.size() == 1) {
      std::cout << "start two ranks or more: mpirun -np 3 services\n";
      return;
    }
    dist::role_context roles(world, 1); // the first rank is the server
    roles.role() == dist::role::server ? serve(roles) : call(roles);
  };
  return glt::run_mpi_program(run, std::cerr);
}

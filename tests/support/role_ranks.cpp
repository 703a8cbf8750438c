// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// role_ranks <servers> <clients> (--role server|client | --servers S): fails unless the ranks that say their roles, or
// get them by number, find so many servers, and so many clients after them.
#include <glt/comm/guard.hpp>
#include <glt/dist/roles/assignment.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <numeric>
#include <string_view>
#include <vector>

namespace {

using glt::dist::role;

std::vector<int> numbered(int first, int number) {
  std::vector<int> ranks(static_cast<std::size_t>(number));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

bool is_as_expected(glt::mpi_comm const& world, int num_servers, int num_clients, role own) {
  glt::dist::role_context context(world, own, own == role::server ? "servers" : "clients");
  auto const servers = numbered(0, num_servers);
  auto const clients = numbered(num_servers, num_clients);
  bool const is_server = context.world_rank() < num_servers;
  glt::run_together(context.group(), [] {});
  return context.ranks_of(role::server) == servers && context.ranks_of(role::client) == clients &&
         (context.role() == role::server) == is_server &&
         context.group_size() == (is_server ? num_servers : num_clients);
}

} // namespace

int main(int argc, char** argv) {
  glt::mpi_environment const environment;
  try {
    auto const world = glt::mpi_comm::world();
    if (argc != 5) {
      std::cerr << "role_ranks <servers> <clients> (--role server|client | --servers S)\n";
      return EXIT_FAILURE;
    }
    auto const own = std::string_view(argv[3]) == "--role"
                         ? (std::string_view(argv[4]) == "server" ? role::server : role::client)
                         : glt::detail::server_or_client(world.rank(), world.size(), std::atoi(argv[4]));
    bool const passed = glt::run_collectively(
        world, [&] { return is_as_expected(world, std::atoi(argv[1]), std::atoi(argv[2]), own); });
    if (!passed) {
      std::cerr << "rank " << world.rank() << " (" << glt::dist::to_string(own)
                << ") finds other roles than expected\n";
    }
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << '\n';
    return EXIT_FAILURE;
  }
}

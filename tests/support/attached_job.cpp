// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: attached_job accept|connect|die|stop|stay|unlimited PORT_FILE ROUNDS [PATIENCE]
//
// A job that another one attaches to, or that attaches to it: servers and clients of separate launches. Clients tell the
// sum of what they have got. With `die` the last client is killed in the middle of an epoch, and with `stop` it is
// stopped there. With `stay` clients begin one epoch after the other. Servers drop clients that say nothing for 8 s. With
// `unlimited` a job has no time limit, which the servers refuse. PATIENCE is the seconds that clients wait for the port, 20
// by default.
#include <glt/comm/guard.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/remote_loader.hpp>
#include <glt/dist/roles/server.hpp>
#include <glt/mpi/attachment.hpp>
#include <glt/mpi/environment.hpp>

#include "counted_batches.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace dist = glt::dist;

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    return 2;
  }
  std::chrono::seconds const patience(argc == 5 ? std::stoi(argv[4]) : 20);
  glt::mpi_environment const mpi;
  std::string_view const way = argv[1];
  bool const accepts = way == "accept";
  try {
    auto own = glt::mpi_comm::world({.time_limit = std::chrono::seconds(20)});
    for (int round = 0; round < std::stoi(argv[3]); ++round) {
      glt::mpi_comm::options_type const limit{.time_limit = std::chrono::seconds(way == "unlimited" ? 0
                                                                                 : accepts          ? 8
                                                                                                    : 60)};
      auto both = accepts ? glt::mpi_attachment::accept(own, argv[2], limit)
                          : glt::mpi_attachment::connect(own, argv[2], patience, limit);
      glt::run_collectively(both.world(), [&] {
        dist::role_context roles(both.world(), accepts ? dist::role::server : dist::role::client,
                                 accepts ? "servers" : "clients");
        if (accepts) {
          dist::server server(roles);
          server.offer("some", glt_test::counted_batches());
          for (int const lost : server.run()) {
            std::printf("server %d lost %s\n", roles.group_rank(), roles.name_of(lost).c_str());
          }
          return;
        }
        dist::client client(roles);
        dist::remote_loader<glt::mpi_comm, glt_test::counted_batches> loader(
            client, "some", glt_test::counted_seeds(roles.group_rank(), 20), {}, {.batch_size = 3});
        std::int64_t sum = 0;
        bool has_said = false;
        do {
          for (auto const& batch : loader.epoch(0)) {
            sum += batch.sum;
            if (batch.step == 2 && roles.group_rank() == roles.group_size() - 1 && way != "connect") {
              if (!std::exchange(has_said, true)) {
                std::printf("process %d: %s\n", static_cast<int>(getpid()), argv[1]);
                std::fflush(stdout);
              }
              if (way != "stay") {
                std::raise(way == "die" ? SIGKILL : SIGSTOP);
              }
            }
          }
        } while (way == "stay");
        std::printf("client %d of %d with %d servers: %lld\n", roles.group_rank(), roles.group_size(),
                    static_cast<int>(client.servers().size()), static_cast<long long>(sum));
      });
    }
    std::printf("%s: done\n", argv[1]);
    return 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    mpi.abort(1);
  }
}

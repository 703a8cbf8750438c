// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: attached_job accept|connect|die PORT_FILE ROUNDS
//
// With `die` the last client is killed in the middle of an epoch.
// A job that another one attaches to, or that attaches to it: servers and clients of separate launches. Rank 0 tells the
// sum of what clients have got.
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

namespace dist = glt::dist;

int main(int argc, char** argv) {
  if (argc != 4) {
    return 2;
  }
  glt::mpi_environment const mpi;
  bool const accepts = std::string_view(argv[1]) == "accept";
  bool const dies = std::string_view(argv[1]) == "die";
  try {
    auto own = glt::mpi_comm::world({.time_limit = std::chrono::seconds(20)});
    for (int round = 0; round < std::stoi(argv[3]); ++round) {
      auto both = accepts ? glt::mpi_attachment::accept(own, argv[2])
                          : glt::mpi_attachment::connect(own, argv[2], std::chrono::seconds(20));
      glt::run_collectively(both.world(), [&] {
        dist::role_context roles(both.world(), accepts ? dist::role::server : dist::role::client,
                                 accepts ? "servers" : "clients");
        if (accepts) {
          dist::server server(roles);
          server.offer("some", glt_test::counted_batches());
          server.run();
          return;
        }
        dist::client client(roles);
        dist::remote_loader<glt::mpi_comm, glt_test::counted_batches> loader(
            client, "some", glt_test::counted_seeds(roles.group_rank(), 20), {}, {.batch_size = 3});
        std::int64_t sum = 0;
        for (auto const& batch : loader.epoch(0)) {
          sum += batch.sum;
          if (dies && batch.step == 2 && roles.group_rank() == roles.group_size() - 1) {
            std::raise(SIGKILL);
          }
        }
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

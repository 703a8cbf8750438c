// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains GraphSAGE on a partitioned graph, one part per MPI rank, or several where there are fewer ranks:
//   mpirun -np 2 train PARTS_DIR --epochs 10
//   mpirun -np 2 --bind-to none train PARTS_DIR --deployment pipelined   batches are made in advance, by threads
//   mpirun -np 4 train PARTS_DIR --deployment workers --workers 1   by ranks beside those that train
//   mpirun -np 4 train PARTS_DIR --deployment servers --servers 2   by ranks that own the parts
// always with the same batches,
// and then the same network without edges, to show what the graph is worth.
#include "support/own_batches.hpp"
#include "support/served_batches.hpp"
#include "support/train_options.hpp"
#include "support/train_part.hpp"

#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <torch/types.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace {

using namespace example;

void run(glt::mpi_comm comm, train_options const& options) {
  at::set_num_threads(1); // ranks are the parallelism
  bool const makes_own = options.deployment == deployment::collocated || options.deployment == deployment::pipelined;
  std::optional<accuracies> const reached =
      makes_own ? train_on_own_batches(comm_type(comm), options) : train_with_servers(comm, options);
  if (reached && comm.rank() == (options.deployment == deployment::servers ? options.servers : 0)) {
    std::printf("test accuracy %.3f (features only %.3f)\n", reached->with_graph, reached->features_only);
  }
}

/// The first line of an error; LibTorch appends a stack trace.
std::string first_line(std::exception const& failure) {
  std::string const text = failure.what();
  return text.substr(0, text.find('\n'));
}

} // namespace

int main(int argc, char** argv) {
  try {
    train_options options;
    std::exception_ptr misuse; // all ranks have it: told once, by run_collectively
    try {
      options = parse_train_options({argv + 1, static_cast<std::size_t>(argc - 1)});
    } catch (glt::precondition_error const&) {
      misuse = std::current_exception();
    }
    glt::mpi_environment const mpi(options.deployment == deployment::pipelined ? glt::mpi_threads::multiple
                                                                              : glt::mpi_threads::funneled);
    auto comm = glt::mpi_comm::world({.time_limit = std::chrono::duration<double>(options.timeout)});
    try {
      glt::run_collectively(comm, [&] {
        if (misuse) {
          std::rethrow_exception(misuse);
        }
        run(comm, options);
      });
      return 0;
    } catch (glt::collective_error const& failure) {
      if (comm.rank() == 0) { // all ranks have the same
        std::fprintf(stderr, "train: %s\n", first_line(failure).c_str());
      }
      return 1;
    } catch (std::exception const& failure) { // this rank's alone: the others cannot be reached
      std::fprintf(stderr, "train: rank %d: %s\n", comm.rank(), first_line(failure).c_str());
      mpi.abort(1);
    }
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "train: %s\n", first_line(failure).c_str());
    return 1;
  }
}

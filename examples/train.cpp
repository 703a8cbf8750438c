// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains GraphSAGE on a partitioned graph, on any number of MPI ranks:
//   mpirun -np 2 train PARTS_DIR --epochs 10
//   mpirun -np 2 --bind-to none train PARTS_DIR --deployment pipelined   batches are made in advance, by threads; without
//       --deployment as well, if all ranks have a free core
//   mpirun -np 4 train PARTS_DIR --deployment workers --workers 1   by ranks beside those that train
//   mpirun -np 4 train PARTS_DIR --deployment servers --servers 2   by ranks that own the parts
//   mpirun -np 2 train PARTS_DIR --by-messages   ranks of one machine send rows instead of reading them in place
//   mpirun -np 2 train PARTS_DIR --replicate   every machine has the whole graph, so that sampling sends nothing
// always with the same batches, and then the same network without edges, to show what the graph is worth.
//   mpirun -np 2 train PARTS_DIR --save net.pt --log epochs.jsonl   keeps the network, and figures for plot.py
//   mpirun -np 2 train PARTS_DIR --load net.pt --epochs 0           evaluates it
#include "support/free_core.hpp"
#include "support/mpi_program.hpp"
#include "support/own_batches.hpp"
#include "support/served_batches.hpp"
#include "support/train_options.hpp"
#include "support/train_part.hpp"

#include <glt/mpi/communicator.hpp>
#include <glt/torch/threads.hpp>

#include <cstdio>
#include <optional>

namespace {

using namespace example;

void run(glt::mpi_comm comm, train_options options) {
  glt::set_torch_threads(1); // ranks are the parallelism
  if (options.deployment == deployment::automatic) {
    bool const ahead = comm.allows_threads() && have_free_cores(comm);
    options.deployment = ahead ? deployment::pipelined : deployment::collocated;
    if (comm.rank() == 0 && options.epochs > 0) {
      std::printf("batches are made %s\n", ahead ? "in advance, since all ranks have a free core"
                                                 : "when they are needed, since not all ranks have a free core");
    }
  }
  bool const makes_own = options.deployment == deployment::collocated || options.deployment == deployment::pipelined;
  std::optional<accuracies> const reached =
      makes_own ? train_on_own_batches(comm_type(comm), options) : train_with_servers(comm, options);
  if (reached && comm.rank() == (options.deployment == deployment::servers ? options.servers : 0)) {
    std::printf("test accuracy %.3f", reached->with_graph);
    reached->features_only ? std::printf(" (features only %.3f)\n", *reached->features_only) : std::printf("\n");
  }
}

} // namespace

int main(int argc, char** argv) {
  return run_mpi_program<train_options>(
      "train", argc, argv,
      [](train_options const& options) {
        bool const ahead = options.deployment == deployment::pipelined || options.deployment == deployment::automatic;
        return ahead ? glt::mpi_threads::multiple : glt::mpi_threads::funneled;
      },
      run);
}

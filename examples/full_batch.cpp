// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains a graph network on the whole of a partitioned graph, on any number of MPI ranks:
//   mpirun -np 2 full_batch PARTS_DIR --model gcn --epochs 200       or sage, gin, gat
//   mpirun -np 2 full_batch PARTS_DIR --mode sampled-then-full       trained with batches, evaluated on the whole graph
//   mpirun -np 2 full_batch PARTS_DIR --checkpoint FILE --resume     goes on where FILE was written
#include "support/full_batch_options.hpp"
#include "support/full_batch_part.hpp"
#include "support/full_batch_trainer.hpp"
#include "support/mpi_program.hpp"

#include <glt/mpi/communicator.hpp>
#include <glt/torch/threads.hpp>

#include <cstdio>

namespace {

void run(glt::mpi_comm world, example::full_batch_options const& options) {
  glt::set_torch_threads(1); // ranks are the parallelism
  example::comm_type comm(world);
  example::check_outputs(comm, {options.save, options.log, options.checkpoint});
  example::full_batch_part part(comm, options.parts, {.cover = options.cover});
  auto const accuracy = example::full_batch_trainer(comm, part, options).run();
  if (comm.rank() == 0) {
    std::printf("full-graph test accuracy %.3f\n", accuracy);
  }
}

} // namespace

int main(int argc, char** argv) {
  return example::run_mpi_program<example::full_batch_options>(
      "full_batch", argc, argv, [](auto const&) { return glt::mpi_threads::funneled; }, run);
}

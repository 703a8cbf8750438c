// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread beside the one that trains makes the next two batches: mpirun -np 2 --bind-to none pipelined PARTS
#include <glt/glt.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/mpi/program.hpp>

#include <iostream>

void run(glt::mpi_comm comm, char const* folder) {
  auto const data = glt::io::open_data_set(comm, folder);
  glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, {.fanouts = {15, 10}}), data.split("train"),
                           {.batch_size = 1024, .shuffle = true, .prefetch = 2});
  std::int64_t edges = 0;
  for (auto const& batch : loader.epoch(0)) { // collectives of the trainer's own go on beside it
    edges += batch.subgraph.row().size();
  }
  std::cout << "rank " << comm.rank() << ": " << loader.num_steps() << " batches, " << edges << " edges\n";
}

int main(int argc, char** argv) {
  return glt::run_mpi_program([&](glt::mpi_comm comm) { run(comm, argc > 1 ? argv[1] : "."); }, std::cerr,
                              {.threads = glt::mpi_threads::multiple});
}

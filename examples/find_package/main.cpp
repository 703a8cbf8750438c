// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>
#include <glt/mpi/program.hpp>

#include <iostream>

void run(glt::mpi_comm comm) {
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 8});
  std::cout << "rank " << comm.rank() << " of " << comm.size() << " made " << edges.view().num_edges() << " edges\n";
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}

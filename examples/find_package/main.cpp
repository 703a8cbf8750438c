// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <iostream>

int main() {
  glt::mpi_environment const mpi;
  auto comm = glt::mpi_comm::world();
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 8});
  std::cout << "rank " << comm.rank() << " of " << comm.size() << " made " << edges.view().num_edges() << " edges\n";
}

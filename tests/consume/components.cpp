// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/metis/partitioner.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <filesystem>
#include <iostream>
#include <vector>

int main() {
  glt::mpi_environment const mpi;
  auto const world = glt::mpi_comm::world();
  std::vector<float> const values{1, 2, 3};
  glt::io::write_npy("values.npy", values);
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 6});
  auto const part_of = glt::metis_partitioner{}(glt::make_csr<glt::device::cpu>(edges.view()).view(), 2);
  std::cout << glt::version() << ' ' << world.size() << '\n';
  return part_of.view().size() == 64 && std::filesystem::exists("values.npy") && glt::version() == EXPECTED_VERSION ? 0
                                                                                                                    : 1;
}

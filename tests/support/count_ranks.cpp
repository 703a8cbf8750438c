// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fails unless the world has as many ranks as the first argument says.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const expected = argc > 1 ? std::atoi(argv[1]) : 0;
  if (size != expected) {
    std::fprintf(stderr, "the world has %d ranks, expected %d: mpiexec and the MPI library are of different vendors\n",
                 size, expected);
  }
  MPI_Finalize();
  return size == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}

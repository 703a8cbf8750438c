// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>
#if defined(GLT_TEST_MPI)
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/mpi/node.hpp>
#endif

#include <cstdio>
#include <cstdlib>

std::uint64_t draw_in_second(std::uint64_t seed);

int main() {
  bool const same = glt::random_stream(glt::random_key(5), 1).next64() == draw_in_second(5);
  if (!same) {
    std::fputs("the two translation units disagree\n", stderr);
  }
  return same ? EXIT_SUCCESS : EXIT_FAILURE;
}

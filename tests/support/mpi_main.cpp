// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/mpi/error.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <span>

// Every rank runs all test cases; only the first one reports what passed, and all end alike.
int main(int argc, char** argv) {
  glt::mpi_environment const environment;
  try {
    auto world = glt::mpi_comm::world();
    doctest::Context context(argc, argv);
    context.setOption("minimal", world.rank() != 0);
    context.setOption("no-colors", true);
    int const status = context.run();
    if (context.shouldExit()) {
      return status;
    }
    if (status != 0) {
      std::cerr << "rank " << world.rank() << " of " << world.size() << ": tests failed" << std::endl;
    }
    std::int64_t worst = status;
    world.all_reduce(std::span(&worst, 1), glt::reduction::max);
    return worst == 0 ? 0 : 1;
  } catch (std::exception const& failure) {
    std::cerr << "mpi_main: " << failure.what() << std::endl;
    environment.abort(2);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <thread>

// Every rank runs all test cases; only the first one reports what passed, and one that fails
// ends all.
int main(int argc, char** argv) {
  glt::mpi_environment const environment(glt::mpi_threads::multiple); // loaders have threads
  try {
    auto world = glt::mpi_comm::world();
    doctest::Context context(argc, argv);
    context.setOption("minimal", world.rank() != 0);
    context.setOption("no-colors", true);
    int const status = context.run();
    if (context.shouldExit()) {
      return status;
    }
    if (status != 0) { // other ranks may be anywhere: let them report, then end them
      std::cerr << "rank " << world.rank() << " of " << world.size() << ": tests failed" << std::endl;
      std::this_thread::sleep_for(std::chrono::seconds(2));
      environment.abort(1);
    }
    world.barrier();
    return 0;
  } catch (std::exception const& failure) {
    std::cerr << "mpi_main: " << failure.what() << std::endl;
    environment.abort(2);
  }
}

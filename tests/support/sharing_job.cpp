// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sharing_job [stay]: ranks that share memory say the number of their process; with `stay` they keep it for a minute.
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/mpi/node.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <thread>

#include <unistd.h>

int main(int argc, char**) {
  glt::mpi_environment const mpi;
  glt::mpi_node node(glt::mpi_comm::world());
  auto const blocks = node.share(1 << 20, [](std::span<std::byte> own) { std::ranges::fill(own, std::byte{1}); });
  // One write: launchers join what ranks print piece by piece.
  std::cout << "process " + std::to_string(::getpid()) + "\n" << std::flush;
  std::this_thread::sleep_for(std::chrono::seconds(argc > 1 ? 60 : 0));
  return 0;
}

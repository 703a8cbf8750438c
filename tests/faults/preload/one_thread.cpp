// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded, ends a process with status 97 when two of its threads are within MPI at the same time.
#include <atomic>
#include <cstdio>
#include <thread>

#include <unistd.h>

namespace {

thread_local int depth = 0; // MPI may call itself
std::atomic<char const*> within = nullptr;

struct visit {
  explicit visit(char const* call) {
    if (depth++ > 0) {
      return;
    }
    if (char const* const other = within.exchange(call); other != nullptr) {
      std::fprintf(stderr, "one_thread: MPI_%s while another thread is within MPI_%s\n", call, other);
      _exit(97);
    }
    std::this_thread::yield(); // so that others come in, if they can
  }
  ~visit() {
    if (--depth == 0) {
      within = nullptr;
    }
  }
};

} // namespace

extern "C" {

#define GLT_MPI_CALL(name, parameters, arguments)                                                                      \
  int MPI_##name parameters {                                                                                          \
    visit const here(#name);                                                                                           \
    return PMPI_##name arguments;                                                                                      \
  }
#define GLT_MPI_POLLING GLT_MPI_CALL
#include "mpi_calls.hpp"

} // extern "C"

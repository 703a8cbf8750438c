// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if GLT_PARTITION_MPI
#include <glt/mpi/detail/process.hpp>
#endif

#include <array>
#include <cstdio>
#include <exception>

#include <unistd.h>

namespace glt_partition {

/// The place of this process in a job of MPI; no ranks if there is none.
struct place_in_job {
  int rank = 0;
  int ranks = 0;
};
inline place_in_job this_place; // NOLINT: std::set_terminate takes no state

/// For std::set_terminate: one last line with the rank and the cause, and the end of all ranks; needs no memory.
[[noreturn]] inline void say_last_words() noexcept {
  static std::array<char, 512> cause;
  std::snprintf(cause.data(), cause.size(), "it cannot be continued");
  if (std::current_exception()) {
    try {
      throw;
    } catch (std::exception const& fault) {
      std::snprintf(cause.data(), cause.size(), "%s", fault.what());
    } catch (...) {
      std::snprintf(cause.data(), cause.size(), "an exception of unknown type");
    }
  }
#if GLT_PARTITION_MPI
  if (this_place.ranks > 0) {
    glt::detail::abort_job(MPI_COMM_WORLD, this_place.rank, this_place.ranks, cause.data());
  }
#endif
  std::fprintf(stderr, "glt-partition: %s\n", cause.data());
  std::fflush(stderr);
  ::_exit(1);
}

} // namespace glt_partition

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/guard.hpp>
#include <glt/mpi/communicator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

namespace example {

/// Returns true on all ranks if every rank has a core beside those on which ranks compute, such as for a thread that
/// prepares batches: fewer ranks are bound to its cores than there are of them.
[[nodiscard]] inline bool have_free_cores(glt::mpi_comm comm) {
  std::int64_t cores = 0;
  std::string place; // machine and cores of this rank
#if defined(__linux__)
  cpu_set_t own;
  CPU_ZERO(&own);
  std::string name(256, '\0');
  if (::sched_getaffinity(0, sizeof own, &own) == 0 && ::gethostname(name.data(), name.size()) == 0) {
    cores = CPU_COUNT(&own);
    place = name;
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
      place += CPU_ISSET(core, &own) ? '1' : '0';
    }
  }
#endif
  auto const places = glt::gather_over_ranks(comm, place);
  auto const free = cores - std::ranges::count(places, place);
  return glt::reduce_over_ranks(comm, std::int64_t{free}, glt::reduction::min) > 0;
}

} // namespace example

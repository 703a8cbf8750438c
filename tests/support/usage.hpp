// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sanitized.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace glt_test {

#if defined(GLT_TEST_SANITIZED)
inline constexpr bool knows_memory = false; // sanitizers keep books of it
#else
inline constexpr bool knows_memory = true;
#endif

/// What this process has at the moment.
struct usage {
  std::int64_t kilobytes = 0;
  std::int64_t files = 0;
  std::int64_t shared = 0; // mappings that others may have, too
};

inline usage own_usage() {
  usage now;
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  now.kilobytes = pages * sysconf(_SC_PAGESIZE) / 1024;
  for (auto const& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    now.files += file.path().empty() ? 0 : 1;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    now.shared += line.find("rw-s") != std::string::npos ? 1 : 0;
  }
  return now;
}

/// That of each rank when all are done and have given back what they share; threads have it in common.
template <class Comm>
usage usage_in_turn(Comm& comm) {
  usage own;
  for (int rank = 0; rank < comm.size(); ++rank) {
    comm.barrier();
    if (comm.rank() == rank) {
      own = own_usage();
    }
  }
  comm.barrier();
  return own;
}

} // namespace glt_test

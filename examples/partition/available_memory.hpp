// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include <sys/resource.h>

namespace glt_partition {

/// The number behind a word of a file of the system; `otherwise` if there is none.
inline std::int64_t number_in(char const* path, std::string const& word, std::int64_t otherwise) {
  std::ifstream file(path);
  std::int64_t number = 0;
  for (std::string read; word.empty() || file >> read;) {
    if (word.empty() || read == word) {
      return file >> number ? number : otherwise;
    }
  }
  return otherwise;
}

/// About how many bytes of memory this process can still get, as far as the system says; beyond all needs if it does
/// not.
inline std::int64_t available_memory() {
  constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kilobyte = 1024;
  auto available = unknown;
  if (auto const free = number_in("/proc/meminfo", "MemAvailable:", -1); free >= 0) {
    available = kilobyte * (free + number_in("/proc/meminfo", "SwapFree:", 0));
  }
  for (auto const* const limit :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) { // of a container
    available = std::min(available, number_in(limit, "", unknown));
  }
  for (auto const resource : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
      available = std::min(available, static_cast<std::int64_t>(limit.rlim_cur));
    }
  }
  return available;
}

} // namespace glt_partition

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace glt_bench {

/// A line of what the system says of this process, in bytes: VmRSS, the memory it has, or VmHWM, the most since
/// `forget_peak`.
inline double memory_of_process(std::string const& field) {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    if (name == field + ":") {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return static_cast<double>(kilobytes) * 1024;
    }
  }
  return 0;
}

inline void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

} // namespace glt_bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <unistd.h>

namespace glt::detail {

// Returns the first whole number after `name` in a file of the system; `other` if there is none.
[[nodiscard]] inline std::int64_t number_in(std::string const& path, std::string_view name, std::int64_t other) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) {
      auto const digits = std::min(line.find_first_of("0123456789", name.size()), line.size());
      std::from_chars(line.data() + digits, line.data() + line.size(), other);
      break;
    }
  }
  return other;
}

/// Returns the bytes of the machine's memory that are free or can be freed, as the system estimates. Limits of control
/// groups count if they are of version 2 and visible.
[[nodiscard]] inline std::int64_t available_memory() {
  auto const all = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  auto available = number_in("/proc/meminfo", "MemAvailable:", all / 1024) * 1024;
  std::string group;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/")) {
      group = line.substr(3);
    }
  }
  while (!group.empty()) {
    auto const folder = "/sys/fs/cgroup" + group + (group.back() == '/' ? "" : "/");
    constexpr auto none = std::numeric_limits<std::int64_t>::max();
    if (auto const limit = number_in(folder + "memory.max", "", none); limit != none) {
      auto const used = number_in(folder + "memory.current", "", 0);
      auto const cached =
          number_in(folder + "memory.stat", "inactive_file", 0) + number_in(folder + "memory.stat", "active_file", 0);
      available = std::min(available, std::max(std::int64_t{0}, limit - used + cached));
    }
    group.resize(group == "/" ? 0 : std::max<std::size_t>(group.find_last_of('/'), 1));
  }
  return std::min(available, all);
}

} // namespace glt::detail

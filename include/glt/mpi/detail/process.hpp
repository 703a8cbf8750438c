// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace glt::detail {

/// Identity of a process, by which others on its machine see whether it lives; all zero if the system does not tell.
struct mpi_process {
  std::uint64_t machine = 0; ///< fingerprint of its boot and of the container
  std::int64_t number = 0;
  std::uint64_t start = 0; ///< start time in clock ticks: process numbers are reused

  friend bool operator==(mpi_process const&, mpi_process const&) = default;
};

/// Returns the start time of a process of this machine; 0 if there is no such process, or it has ended.
[[nodiscard]] inline std::uint64_t start_of_process(std::int64_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string line;
  std::getline(file, line);
  auto const after_name = line.rfind(')'); // names may contain any character
  if (after_name == std::string::npos || line.size() < after_name + 3 || line[after_name + 2] == 'Z' ||
      line[after_name + 2] == 'X') {
    return 0;
  }
  constexpr int start_field = 22;
  auto at = after_name + 2;
  for (int field = 3; field < start_field && at != std::string::npos; ++field) {
    at = line.find(' ', at + 1);
  }
  return at == std::string::npos ? 0 : std::strtoull(line.c_str() + at, nullptr, 10);
}

/// Returns the identity of this process.
[[nodiscard]] inline mpi_process own_process() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  struct ::stat container{};
  if (!std::getline(file, boot) || ::stat("/proc/self/ns/pid", &container) != 0) {
    return {};
  }
  std::uint64_t machine = container.st_ino;
  for (char const letter : boot) {
    machine = (machine ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return {.machine = machine, .number = ::getpid(), .start = start_of_process(::getpid())};
}

/// Returns true if a process of the machine of `own` has ended; false if it lives, or runs elsewhere.
[[nodiscard]] inline bool has_died(mpi_process const& other, mpi_process const& own) {
  return other.machine != 0 && other.machine == own.machine && other.start != 0 &&
         start_of_process(other.number) != other.start;
}

} // namespace glt::detail

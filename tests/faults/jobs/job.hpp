// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/guard.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <ranges>
#include <span>

/// What the programs share in which faults are injected.
namespace glt_fault {

/// From now on the preloaded library counts, if there is one.
inline void arm() {
  if (auto const mark = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "glt_fault_arm"))) {
    mark();
  }
}

/// Prints a line at once and without allocating memory.
template <class... Values>
void say(char const* format, Values... values) {
  std::array<char, 900> line{};
  auto const length = std::snprintf(line.data(), line.size() - 1, format, values...);
  auto const used = std::min(static_cast<std::size_t>(length), line.size() - 2);
  std::ranges::replace(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(used), '\n', ' ');
  line[used] = '\n';
  static_cast<void>(!write(2, line.data(), used + 1));
}

/// A number that changes with whatever is added to it.
class result_sum {
public:
  template <std::ranges::contiguous_range Range>
  void add(Range const& values) {
    for (auto const byte : std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values)))) {
      sum_ = (sum_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
    }
    sum_ ^= std::ranges::size(values);
  }
  [[nodiscard]] std::uint64_t value() const { return sum_; }

private:
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

/// Seconds that a rank may wait for the others: GLT_FAULT_TIMEOUT in the environment, or 0.
inline std::chrono::duration<double> time_limit() {
  char const* const seconds = std::getenv("GLT_FAULT_TIMEOUT");
  return std::chrono::duration<double>(seconds != nullptr ? std::atof(seconds) : 0);
}

/// A `main` in which every rank prints the sum of its results, which `work(comm)` returns, or its error.
template <class Work>
int run_job(Work work) {
  auto const limit = time_limit();
  glt::mpi_environment const mpi(glt::mpi_threads::funneled, 10 * limit); // a busy machine starts ranks slowly
  auto comm = glt::mpi_comm::world({.time_limit = limit});
  int const rank = comm.rank();
  arm();
  try {
    std::uint64_t sum = 0;
    glt::run_collectively(comm, [&] { sum = work(comm); });
    say("rank %d result %016llx", rank, static_cast<unsigned long long>(sum));
    return 0;
  } catch (std::exception const& error) {
    say("rank %d error: %s", rank, error.what());
    return 1;
  }
}

} // namespace glt_fault

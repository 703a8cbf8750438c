// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/mpi/communicator.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt_bench {

/// All ranks of the program.
glt::mpi_comm ranks();

/// Seconds that `work` takes on this rank.
template <class Work>
double seconds_of(Work work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds that `work` takes on the slowest of all ranks, which begin it together.
template <class Work>
double seconds_together(glt::mpi_comm& comm, Work work) {
  comm.barrier();
  double seconds = seconds_of(work);
  comm.all_reduce(std::span(&seconds, 1), glt::reduction::max);
  return seconds;
}

/// Runs `work` once per iteration on all ranks together; an iteration lasts as long as its slowest rank.
///
/// The benchmark must fix its number of iterations and use manual time, so that all ranks do the same.
template <class Work>
void measure_together(benchmark::State& state, glt::mpi_comm& comm, Work work) {
  for (auto _ : state) {
    state.SetIterationTime(seconds_together(comm, work));
  }
}

/// The middle one of some values.
inline double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.empty() ? 0 : *middle;
}

/// Measures two ways to load as many batches, in turns; counts medians of the milliseconds a batch, and of the ratio of
/// the times. Time of the benchmark is that of `other`; otherwise as `measure_together`.
template <class Usual, class Other>
void compare_together(benchmark::State& state, glt::mpi_comm& comm, std::int64_t batches, Usual usual, Other other) {
  std::vector<double> usual_times;
  std::vector<double> times;
  std::vector<double> ratios;
  for (auto _ : state) {
    usual_times.push_back(seconds_together(comm, usual));
    times.push_back(seconds_together(comm, other));
    ratios.push_back(times.back() / usual_times.back());
    state.SetIterationTime(times.back());
  }
  auto const milliseconds = 1000 / static_cast<double>(batches);
  state.counters["usual_ms"] = median(usual_times) * milliseconds;
  state.counters["ms"] = median(times) * milliseconds;
  state.counters["ratio"] = median(ratios);
}

} // namespace glt_bench

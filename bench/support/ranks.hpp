// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/communicator.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <span>

namespace glt_bench {

/// All ranks of the program.
glt::mpi_comm ranks();

/// Runs `work` once per iteration on all ranks together; an iteration lasts as long as its slowest rank.
///
/// The benchmark must fix its number of iterations and use manual time, so that all ranks do the same.
template <class Work>
void measure_together(benchmark::State& state, glt::mpi_comm& comm, Work work) {
  for (auto _ : state) {
    comm.barrier();
    auto const start = std::chrono::steady_clock::now();
    work();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    comm.all_reduce(std::span(&seconds, 1), glt::reduction::max);
    state.SetIterationTime(seconds);
  }
}

} // namespace glt_bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/loader.hpp>

#include "support/loading.hpp"
#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>

namespace {

double cpu_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Computes for as long, whoever else runs meanwhile.
void work_for(double seconds) {
  for (auto const end = cpu_seconds() + seconds; cpu_seconds() < end;) {
  }
}

// Batches as in `load_batches`, the last thirty of an epoch, prepared two ahead by a thread or two against in the consumer's
// own time. The consumer computes nothing, or for as long as it takes to load a batch.
void load_ahead(benchmark::State& state) {
  constexpr std::int64_t num_batches = 30;
  auto comm = glt_bench::ranks();
  auto const& work = glt_bench::shared_workload();
  auto const loader_of = [&](std::int64_t prefetch, std::int64_t concurrency) {
    return glt::dist::loader(comm, work.batches(), work.seeds(1024 * 40),
                             {.batch_size = 1024, .prefetch = prefetch, .concurrency = concurrency});
  };
  auto collocated = loader_of(0, 1);
  auto pipelined = loader_of(2, state.range(1));
  double computing = 0;
  auto const train = [&](auto& loader) {
    return [&] {
      for (auto const& batch : loader.epoch(0, loader.num_steps() - num_batches)) {
        benchmark::DoNotOptimize(batch.num_seeds);
        work_for(computing);
      }
    };
  };
  train(collocated)(); // so that all memory is there
  train(pipelined)();
  auto const loading = glt_bench::seconds_together(comm, train(collocated)) / static_cast<double>(num_batches);
  computing = state.range(0) == 0 ? 0 : loading;
  glt_bench::compare_together(state, comm, num_batches, train(collocated), train(pipelined));
  state.counters["loading_ms"] = 1000 * loading;
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["ranks"] = comm.size();
}

BENCHMARK(load_ahead)
    ->ArgNames({"computes", "threads"})
    ->Args({0, 1})
    ->Args({1, 1})
    ->Args({0, 2})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/feature/gather.hpp>

#include "../support/workloads.hpp"

#include <glt/core/random.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

using glt_bench::cpu;

namespace {

// Rows of 128 floats out of a million, in random order, 80,000 at a time: the vertices of a batch.
void gather(benchmark::State& state, int threads) {
  constexpr std::int64_t rows = 1 << 20;
  constexpr std::int64_t columns = 128;
  constexpr std::int64_t wanted = 80000;
  static auto const values = glt_bench::feature_values(rows, columns);
  cpu const policy(threads);
  glt::buffer<cpu, float> out(wanted * columns);
  std::vector<std::vector<glt::local_id>> batches(16, std::vector<glt::local_id>(wanted));
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    glt::random_stream draws(glt::random_key(7), batch);
    for (auto& id : batches[batch]) {
      id = static_cast<glt::local_id>(draws.below(rows));
    }
  }
  std::size_t step = 0;
  for (auto _ : state) {
    glt::gather_rows(policy.executor(), glt::host_matrix<float const>(values.data(), rows, columns),
                     glt::host_view<glt::local_id const>(batches[step++ % batches.size()]),
                     glt::host_matrix<float>(out.data(), wanted, columns));
    benchmark::DoNotOptimize(out.data());
  }
  auto const gathered = static_cast<double>(state.iterations() * wanted);
  state.counters["rows/s"] = benchmark::Counter(gathered, benchmark::Counter::kIsRate);
  state.counters["bytes/s"] = benchmark::Counter(gathered * columns * sizeof(float), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(gather, one_thread, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(gather, two_threads, 2)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

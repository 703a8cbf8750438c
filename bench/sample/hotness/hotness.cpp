// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/hotness/hotness.hpp>

#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

using glt_bench::cpu;

namespace {

void report(benchmark::State& state) {
  auto const edges = 3 * glt_bench::rmat_graph().view().num_edges() * static_cast<std::int64_t>(state.iterations());
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

// Fanout 15,10,5 from a tenth of the vertices that have neighbours.
void estimate(benchmark::State& state, int threads) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const connected = glt_bench::connected_vertices(graph);
  auto const seeds = glt_bench::batch_of(connected, static_cast<std::int64_t>(connected.size()) / 10, 0);
  cpu const policy(threads);
  for (auto _ : state) {
    auto const hotness = glt::estimate_hotness(graph, seeds, {.neighbors = {.fanouts = {15, 10, 5}}}, policy);
    benchmark::DoNotOptimize(hotness.data());
  }
  report(state);
}

// The ceiling: a plain loop that adds to the same places.
void scatter(benchmark::State& state) {
  auto const graph = glt_bench::rmat_graph().view();
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(graph.num_rows()));
  for (auto _ : state) {
    for (int hop = 0; hop < 3; ++hop) {
      for (std::int64_t row = 0; row < graph.num_rows(); ++row) {
        for (auto const source : graph.row(row)) {
          sums[static_cast<std::size_t>(source)] += static_cast<std::uint64_t>(row);
        }
      }
    }
    benchmark::ClobberMemory();
  }
  report(state);
}

BENCHMARK_CAPTURE(estimate, one_thread, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(estimate, two_threads, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(scatter)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

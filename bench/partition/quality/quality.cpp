// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/partition/quality/quality.hpp>

#include "support/workloads.hpp"

#include <glt/partition/simple_partitioners.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

using glt_bench::cpu;

namespace {

void report(benchmark::State& state) {
  auto const edges = glt_bench::rmat_graph().view().num_edges() * static_cast<std::int64_t>(state.iterations());
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

// A random partition is the dearest: nearly every edge is cut and nearly every source new.
void measure(benchmark::State& state, int threads) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const parts = static_cast<int>(state.range(0));
  auto const part_of = glt::random_partitioner{}(graph, parts);
  cpu const policy(threads);
  for (auto _ : state) {
    auto const quality = glt::measure_partition(graph, part_of.view(), parts, {}, policy.executor());
    benchmark::DoNotOptimize(quality.num_cut_edges);
  }
  report(state);
}

// The ceiling: the cut edges alone, in the order of the rows.
void count_cut_edges(benchmark::State& state) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const part_of = glt::random_partitioner{}(graph, 16);
  for (auto _ : state) {
    std::int64_t cut = 0;
    for (std::int64_t row = 0; row < graph.num_rows(); ++row) {
      for (auto const source : graph.row(row)) {
        cut += part_of[source] != part_of[row] ? 1 : 0;
      }
    }
    benchmark::DoNotOptimize(cut);
  }
  report(state);
}

BENCHMARK_CAPTURE(measure, one_thread, 1)->Arg(4)->Arg(16)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(measure, two_threads, 2)->Arg(4)->Arg(16)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(count_cut_edges)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

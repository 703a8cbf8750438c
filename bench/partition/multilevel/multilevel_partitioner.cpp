// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/partition/multilevel/multilevel_partitioner.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>

namespace {

// Divides the graph into state.range(0) parts with the options of every day, and reports the share of cut edges.
template <class Partitioner>
void partition(benchmark::State& state, Partitioner const& partitioner) {
  auto const graph = glt_bench::rmat_graph().view();
  glt::buffer<glt::device::cpu, glt::local_id> part_of;
  for (auto _ : state) {
    part_of = partitioner(graph, static_cast<int>(state.range(0)));
    benchmark::DoNotOptimize(part_of.data());
  }
  std::int64_t cut = 0;
  for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
    for (auto const u : graph.row(v)) {
      cut += part_of[u] != part_of[v] ? 1 : 0;
    }
  }
  auto const edges = graph.num_edges() * static_cast<std::int64_t>(state.iterations());
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["cut"] = static_cast<double>(cut) / static_cast<double>(graph.num_edges());
  state.counters["scale"] = glt_bench::graph_scale();
}

BENCHMARK_CAPTURE(partition, multilevel, glt::multilevel_partitioner<>{})
    ->Arg(4)
    ->Arg(16)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(partition, ldg, glt::ldg_partitioner{})
    ->Arg(4)
    ->Arg(16)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace

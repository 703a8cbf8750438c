// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace {

void report(benchmark::State& state) {
  auto const edges = glt_bench::rmat_graph().view().num_edges() * static_cast<std::int64_t>(state.iterations());
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

// One pass into state.range(0) parts.
template <class Partitioner>
void partition(benchmark::State& state, Partitioner const& partitioner) {
  auto const graph = glt_bench::rmat_graph().view();
  for (auto _ : state) {
    auto const part_of = partitioner(graph, static_cast<int>(state.range(0)));
    benchmark::DoNotOptimize(part_of.data());
  }
  report(state);
}

// The ceiling: a plain loop that reads the part of every neighbour.
void read_parts(benchmark::State& state) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const part_of = glt::hash_partitioner{}(graph, static_cast<int>(state.range(0)));
  std::vector<std::int64_t> neighbors(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
      for (auto const u : graph.row(v)) {
        ++neighbors[static_cast<std::size_t>(part_of[u])];
      }
    }
    benchmark::ClobberMemory();
  }
  report(state);
}

using glt::stream_order;

BENCHMARK_CAPTURE(partition, ldg, glt::ldg_partitioner{.passes = 1})
    ->Arg(4)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(partition, ldg_natural_order, glt::ldg_partitioner{.passes = 1, .order = stream_order::natural})
    ->Arg(4)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(partition, ldg_edges_balanced,
                  glt::ldg_partitioner{.passes = 1,
                                       .balance = {{.name = "edges",
                                                    .share =
                                                        [](std::int64_t v) {
                                                          auto const graph = glt_bench::rmat_graph().view();
                                                          return glt::detail::balance_share{.weight = graph.degree(v)};
                                                        }}}})
    ->Arg(4)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(partition, fennel, glt::fennel_partitioner{})
    ->Arg(4)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(read_parts)->Arg(4)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/neighbor_sampler.hpp>

#include "../support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>

using glt_bench::cpu;

namespace {

// R-MAT scale 20, fanout 15,10,5, batches of 1024 distinct seeds that have neighbours; vertices renumbered in
// first-seen order.
void sample(benchmark::State& state, glt::neighbor_options options, int threads) {
  auto const graph = glt_bench::rmat_graph().view();
  options.fanouts = {15, 10, 5};
  glt::neighbor_sampler<cpu> sampler(graph, options, cpu(threads));
  glt::sampled_subgraph<cpu> out;
  auto const vertices_with_edges = glt_bench::connected_vertices(graph);
  std::int64_t step = 0;
  std::int64_t edges = 0;
  std::int64_t vertices = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto const seeds = glt_bench::batch_of(vertices_with_edges, 1024, step);
    state.ResumeTiming();
    sampler.sample(seeds, {.seed = 1, .step = step++}, out);
    edges += out.row().size();
    vertices += out.nodes().size();
  }
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["edges/batch"] = static_cast<double>(edges) / static_cast<double>(step);
  state.counters["vertices/batch"] = static_cast<double>(vertices) / static_cast<double>(step);
}

BENCHMARK_CAPTURE(sample, uniform, {}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample, uniform_2_threads, {}, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample, with_replacement, {.replace = true}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample, edge_ids, {.edge_ids = true}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample, frontier_all, {.expand = glt::frontier::all}, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace

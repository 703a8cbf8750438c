// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/labor_rule.hpp>

#include "support/sampling.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>

using glt_bench::cpu;

namespace {

using labor = glt::labor_rule<glt::memory_space::host>;

// Beside the usual figures: what uniform sampling visits around the same seeds, in relation to LABOR.
void sample_labor(benchmark::State& state, labor rule, int threads) {
  auto const graph = glt_bench::rmat_graph().view();
  glt_bench::sample_w1(state, graph, {}, threads, rule);
  glt::neighbor_sampler<cpu> uniform(graph, {.fanouts = glt_bench::w1_fanouts});
  glt::sampled_subgraph<cpu> out;
  auto const connected = glt_bench::connected_vertices(graph);
  constexpr std::int64_t batches = 20;
  double edges = 0;
  double vertices = 0;
  for (std::int64_t step = 0; step < batches; ++step) {
    uniform.sample(glt_bench::batch_of(connected, glt_bench::w1_seeds, step), {.seed = 1, .step = step}, out);
    edges += static_cast<double>(out.row().size()) / batches;
    vertices += static_cast<double>(out.nodes().size()) / batches;
  }
  state.counters["uniform/labor edges"] = edges / state.counters["edges/batch"];
  state.counters["uniform/labor vertices"] = vertices / state.counters["vertices/batch"];
}

BENCHMARK_CAPTURE(sample_labor, poisson, labor{}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_labor, poisson_2_threads, labor{}, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_labor, exact, {.sources = {}, .exact = true}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
// One key for all batches: here only the sharing across hops matters.
BENCHMARK_CAPTURE(sample_labor, across_hops, {.sources = {}, .across_hops = true}, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace

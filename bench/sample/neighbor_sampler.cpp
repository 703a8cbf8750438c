// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/neighbor_sampler.hpp>

#include "support/sampling.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using glt_bench::cpu;

namespace {

// What a sampler cannot avoid: the reads alone.
void plain_loop(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(glt_bench::plain_loop_edges_per_second());
  }
  state.counters["edges/s"] = glt_bench::plain_loop_edges_per_second();
  state.counters["scale"] = glt_bench::graph_scale();
}
BENCHMARK(plain_loop)->Iterations(1)->UseRealTime();

void sample(benchmark::State& state, glt::neighbor_options const& options, int threads) {
  glt_bench::sample_w1(state, glt_bench::rmat_graph().view(), options, threads);
}

// Four batches in one call, each in one thread.
void sample_bulk(benchmark::State& state, int threads) {
  constexpr std::size_t num_batches = 4;
  auto const graph = glt_bench::rmat_graph().view();
  glt::neighbor_sampler<cpu> sampler(graph, {.fanouts = glt_bench::w1_fanouts}, cpu(threads));
  std::vector<glt::sampled_subgraph<cpu>> out(num_batches);
  auto const connected = glt_bench::connected_vertices(graph);
  std::vector const first(num_batches, glt_bench::batch_of(connected, glt_bench::w1_seeds, 0));
  std::vector<glt::host_view<glt::local_id const>> const first_views(first.begin(), first.end());
  sampler.sample_bulk(first_views, {}, out); // takes its memory
  std::int64_t step = 0;
  std::int64_t edges = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<std::vector<glt::local_id>> seeds;
    for (std::size_t i = 0; i < num_batches; ++i) {
      seeds.push_back(glt_bench::batch_of(connected, glt_bench::w1_seeds, step + static_cast<std::int64_t>(i)));
    }
    std::vector<glt::host_view<glt::local_id const>> const views(seeds.begin(), seeds.end());
    state.ResumeTiming();
    sampler.sample_bulk(views, {.seed = 1, .step = step}, out);
    step += num_batches;
    for (auto const& batch : out) {
      edges += batch.row().size();
    }
  }
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["of plain loop"] = benchmark::Counter(
      static_cast<double>(edges) / glt_bench::plain_loop_edges_per_second(), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

BENCHMARK_CAPTURE(sample, uniform, {}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample, uniform_2_threads, {}, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_bulk, 1_thread, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_bulk, 2_threads, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample, with_replacement, {.replace = true}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample, edge_ids, {.edge_ids = glt::edge_positions}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample, frontier_all, {.expand = glt::frontier::all}, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(sample, disjoint, {.disjoint = true}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/hetero_sampler.hpp>

#include <glt/sample/neighbor_sampler.hpp>

#include "support/typed_graph.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using glt_bench::cpu;
using glt_bench::num_types;
using glt_bench::typed_graph;

namespace {

void report(benchmark::State& state, std::int64_t edges, std::int64_t vertices, std::int64_t batches) {
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["edges/batch"] = static_cast<double>(edges) / static_cast<double>(batches);
  state.counters["vertices/batch"] = static_cast<double>(vertices) / static_cast<double>(batches);
}

// Batches of 1024 seeds of all types; fanouts 5,3,2 over each of the nine relations, so about three times as
// many a vertex.
void sample_types(benchmark::State& state, int threads) {
  auto const graph = typed_graph().view();
  auto const& schema = graph.schema();
  glt::hetero_neighbor_sampler<cpu> sampler(graph, {.fanouts = glt::same_fanouts(schema, {5, 3, 2})}, cpu(threads));
  glt::hetero_subgraph<cpu> out;
  auto const connected = glt_bench::connected_vertices(glt_bench::rmat_graph().view());
  std::int64_t step = 0;
  std::int64_t edges = 0;
  std::int64_t vertices = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<std::vector<glt::local_id>> ids(num_types);
    for (auto const seed : glt_bench::batch_of(connected, 1024, step)) {
      ids[static_cast<std::size_t>(seed % num_types)].push_back(seed / num_types);
    }
    std::vector<glt::host_view<glt::local_id const>> const seeds(ids.begin(), ids.end());
    state.ResumeTiming();
    sampler.sample(seeds, {.seed = 1, .step = step++}, out);
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      edges += out.row(e).size();
    }
    for (int t = 0; t < schema.num_node_types(); ++t) {
      vertices += out.nodes(t).size();
    }
  }
  report(state, edges, vertices, step);
}

// The same graph without types, the same fanouts in sum: what the types cost.
void sample_without_types(benchmark::State& state, int threads) {
  auto const graph = glt_bench::rmat_graph().view();
  glt::neighbor_sampler<cpu> sampler(graph, {.fanouts = {15, 9, 6}}, cpu(threads));
  glt::sampled_subgraph<cpu> out;
  auto const connected = glt_bench::connected_vertices(graph);
  std::int64_t step = 0;
  std::int64_t edges = 0;
  std::int64_t vertices = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto const seeds = glt_bench::batch_of(connected, 1024, step);
    state.ResumeTiming();
    sampler.sample(seeds, {.seed = 1, .step = step++}, out);
    edges += out.row().size();
    vertices += out.nodes().size();
  }
  report(state, edges, vertices, step);
}

BENCHMARK_CAPTURE(sample_types, uniform, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_without_types, uniform, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_types, uniform_2_threads, 2)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

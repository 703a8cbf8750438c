// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/sampling.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using glt_bench::cpu;

namespace {

using host_graph = glt::csr_view<glt::memory_space::host>;

// Weights from (0, 1].
std::vector<float> const& weights_of(host_graph graph) {
  static auto const made = [&] {
    std::vector<float> weights;
    weights.reserve(static_cast<std::size_t>(graph.num_edges()));
    glt::random_stream draws(glt::random_key(9), 0);
    for (std::int64_t e = 0; e < graph.num_edges(); ++e) {
      weights.push_back(static_cast<float>(1 - draws.next_unit()));
    }
    return weights;
  }();
  return made;
}

glt::weight_tables<cpu> const& tables_of(host_graph graph) {
  static glt::weight_tables<cpu> const made(graph, weights_of(graph), cpu(2));
  return made;
}

void sample_weighted(benchmark::State& state, bool replace, bool with_tables) {
  auto const graph = glt_bench::rmat_graph().view();
  glt::weighted_rule<glt::memory_space::host> rule{weights_of(graph)};
  if (with_tables) {
    rule.tables = tables_of(graph).view();
  }
  glt_bench::sample_w1(state, graph, {.fanouts = {}, .replace = replace}, 1, rule);
}

// One alias table per row, built by two threads.
void build_tables(benchmark::State& state) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const& weights = weights_of(graph);
  for (auto _ : state) {
    glt::weight_tables<cpu> tables(graph, weights, cpu(2));
    benchmark::DoNotOptimize(tables.view().slots.data());
  }
  state.counters["edges/s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(graph.num_edges()), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

BENCHMARK_CAPTURE(sample_weighted, tables_distinct, false, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_weighted, keys_distinct, false, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_weighted, tables_with_replacement, true, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_weighted, prefix_sums_with_replacement, true, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(build_tables)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

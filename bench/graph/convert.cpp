// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/graph/convert.hpp>

#include <glt/graph/coo.hpp>
#include <glt/graph/generators.hpp>

#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

using glt_bench::cpu;

namespace {

// 32 edges a vertex in no order.
glt::coo_graph<cpu> const& edges() {
  static auto const made = glt::symmetrize<cpu>(
      glt::make_rmat<glt::local_id>({.scale = glt_bench::graph_scale(), .edge_factor = 16}).view());
  return made;
}

void compress(benchmark::State& state, bool edge_ids) {
  auto const list = edges().view();
  for (auto _ : state) {
    auto const graph = glt::make_csr<cpu>(list, {.edge_ids = edge_ids});
    benchmark::DoNotOptimize(graph.view().sources().data());
  }
  auto const moved = static_cast<double>(state.iterations()) * static_cast<double>(list.num_edges());
  state.counters["edges/s"] = benchmark::Counter(moved, benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

BENCHMARK_CAPTURE(compress, sources, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(compress, sources_and_edge_ids, true)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

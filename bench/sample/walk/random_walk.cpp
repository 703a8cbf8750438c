// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/walk/random_walk.hpp>

#include <glt/sample/walk/metapath.hpp>
#include <glt/sample/walk/node2vec.hpp>

#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <utility>

using glt_bench::cpu;

namespace {

constexpr std::int64_t length = 80;
constexpr std::int64_t num_starts = 16384;

void report(benchmark::State& state, std::int64_t steps) {
  state.counters["steps/s"] = benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

// Walks of 80 steps from 16384 vertices that have neighbours, other ones in every round.
template <class Walker>
void walk(benchmark::State& state, Walker const& walker) {
  auto const vertices_with_edges = glt_bench::connected_vertices(glt_bench::rmat_graph().view());
  glt::walks<cpu> out;
  std::int64_t step = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto const starts = glt_bench::batch_of(vertices_with_edges, num_starts, step);
    state.ResumeTiming();
    walker.walk(starts, {.seed = 1, .step = step++}, out);
    benchmark::DoNotOptimize(out.vertices().data());
  }
  report(state, step * num_starts * length);
}

void uniform(benchmark::State& state, glt::walk_options options, int threads) {
  options.length = length;
  walk(state, glt::random_walker<cpu>(glt_bench::rmat_graph().view(), options, cpu(threads)));
}

BENCHMARK_CAPTURE(uniform, plain, {}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(uniform, plain_2_threads, {}, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(uniform, restart, {.restart = 0.15}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(uniform, edge_ids, {.edge_ids = glt::edge_positions}, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The same graph with its rows in ascending order, so that neighbours are found by bisection.
glt::csr_graph<cpu> const& ascending_graph() {
  static auto const made = [] {
    auto const graph = glt_bench::rmat_graph().view();
    glt::buffer<cpu, glt::edge_offset> offsets(graph.num_rows() + 1);
    glt::buffer<cpu, glt::local_id> sources(graph.num_edges());
    std::ranges::copy(graph.offsets(), offsets.begin());
    std::ranges::copy(graph.sources(), sources.begin());
    for (std::int64_t row = 0; row < graph.num_rows(); ++row) {
      std::sort(sources.begin() + graph.offset(row), sources.begin() + graph.offset(row + 1));
    }
    return glt::csr_graph<cpu>(graph.num_columns(), std::move(offsets), std::move(sources));
  }();
  return made;
}

void node2vec(benchmark::State& state, glt::csr_graph<cpu> const& (*graph)(), glt::node2vec_options options) {
  options.length = length;
  walk(state, glt::node2vec_walker<cpu>(graph().view(), options));
}

BENCHMARK_CAPTURE(node2vec, p_1_q_1, ascending_graph, {})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(node2vec, p_4_q_025, ascending_graph, {.p = 4, .q = 0.25})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(node2vec, p_025_q_4, ascending_graph, {.p = 0.25, .q = 4})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(node2vec, p_025_q_4_unordered_rows, glt_bench::rmat_graph, {.p = 0.25, .q = 4})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Three relations of the same edges.
void metapath(benchmark::State& state) {
  auto const graph = glt_bench::rmat_graph().view();
  walk(state, glt::metapath_walker<cpu>({graph, graph, graph}, {.length = length}));
}

BENCHMARK(metapath)->Unit(benchmark::kMillisecond)->UseRealTime();

// The ceiling: a plain loop that reads the same addresses, known beforehand, in the order of the walks: the
// bounds of every row and one of its sources.
void read(benchmark::State& state) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const starts = glt_bench::batch_of(glt_bench::connected_vertices(graph), num_starts, 0);
  glt::walks<cpu> walked;
  glt::random_walker<cpu>(graph, {.length = length, .edge_ids = glt::edge_positions}).walk(starts, {.seed = 1}, walked);
  auto const vertices = std::as_const(walked).vertices();
  auto const edges = std::as_const(walked).edge_ids();
  for (auto _ : state) {
    std::int64_t sum = 0;
    for (std::int64_t w = 0; w < vertices.rows(); ++w) {
      for (std::int64_t s = 0; s < length; ++s) {
        auto const row = vertices(w, s);
        sum += graph.offset(row) + graph.offset(row + 1) + graph.source(edges(w, s));
      }
    }
    benchmark::DoNotOptimize(sum);
  }
  report(state, static_cast<std::int64_t>(state.iterations()) * num_starts * length);
}

BENCHMARK(read)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

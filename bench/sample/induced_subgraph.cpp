// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/induced_subgraph.hpp>

#include <glt/sample/neighbor_sampler.hpp>

#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

using glt_bench::cpu;

namespace {

// Lists of vertices to induce from: random seeds, or what a neighbour sampler with fanout 15,10,5 reached.
std::vector<std::vector<glt::local_id>> vertex_lists(std::int64_t batch_size, bool sampled) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const connected = glt_bench::connected_vertices(graph);
  glt::neighbor_sampler<cpu> sampler(graph, {.fanouts = {15, 10, 5}});
  glt::sampled_subgraph<cpu> reached;
  std::vector<std::vector<glt::local_id>> lists;
  for (std::int64_t step = 0; step < 8; ++step) {
    lists.push_back(glt_bench::batch_of(connected, batch_size, step));
    if (sampled) {
      sampler.sample(lists.back(), {.seed = 1, .step = step}, reached);
      lists.back().assign(reached.nodes().begin(), reached.nodes().end());
    }
  }
  return lists;
}

void report(benchmark::State& state, std::int64_t read, std::int64_t kept) {
  state.counters["edges_read/s"] = benchmark::Counter(static_cast<double>(read), benchmark::Counter::kIsRate);
  state.counters["kept/read"] = static_cast<double>(kept) / static_cast<double>(read);
  state.counters["scale"] = glt_bench::graph_scale();
}

// All edges between the vertices of a list, or of everything within some hops of it.
void induce(benchmark::State& state, std::int64_t batch_size, bool sampled, glt::induced_options options, int threads) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const lists = vertex_lists(batch_size, sampled);
  glt::induced_sampler<cpu> sampler(graph, options, cpu(threads));
  glt::sampled_subgraph<cpu> out;
  for (auto const& list : lists) {
    sampler.sample(list, out); // afterwards there is memory for all of them
  }
  std::size_t step = 0;
  std::int64_t read = 0;
  std::int64_t kept = 0;
  for (auto _ : state) {
    sampler.sample(lists[step++ % lists.size()], out);
    state.PauseTiming();
    kept += out.row().size();
    for (auto const node : out.nodes()) {
      read += graph.degree(node);
    }
    state.ResumeTiming();
  }
  report(state, read, kept);
}

// The ceiling: a plain loop over the same edges that looks their sources up in a bitmap of all vertices.
void bitmap(benchmark::State& state, std::int64_t batch_size, bool sampled) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const lists = vertex_lists(batch_size, sampled);
  std::vector<bool> member(static_cast<std::size_t>(graph.num_rows()), false);
  std::size_t step = 0;
  std::int64_t read = 0;
  std::int64_t kept = 0;
  for (auto _ : state) {
    auto const& list = lists[step++ % lists.size()];
    for (auto const v : list) {
      member[static_cast<std::size_t>(v)] = true;
    }
    for (auto const v : list) {
      read += graph.degree(v);
      for (auto const source : graph.row(v)) {
        kept += member[static_cast<std::size_t>(source)] ? 1 : 0;
      }
    }
    for (auto const v : list) {
      member[static_cast<std::size_t>(v)] = false;
    }
  }
  report(state, read, kept);
}

BENCHMARK_CAPTURE(induce, seeds_1024, 1024, false, {}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(bitmap, seeds_1024, 1024, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(induce, sampled_64, 64, true, {}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(induce, sampled_64_2_threads, 64, true, {}, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(induce, sampled_64_edge_ids, 64, true, {.edge_ids = glt::edge_positions}, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(bitmap, sampled_64, 64, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(induce, one_hop_16, 16, false, {.num_hops = 1}, 1)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

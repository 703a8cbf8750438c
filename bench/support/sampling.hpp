// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/rule.hpp>

#include "workloads.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace glt_bench {

using host_csr = glt::csr_view<glt::memory_space::host>;

/// The fanouts and the batch size of the workloads W1 (scale 20) and W2 (scale 22).
inline std::vector<std::int64_t> const w1_fanouts{15, 10, 5};
inline constexpr std::int64_t w1_seeds = 1024;

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Edges per second of a plain loop that reads what uniform sampling of W1 must read, the offsets of its rows and
/// the sources of its edges, at the same addresses and in the same order, and does nothing else.
inline double plain_loop_edges_per_second() {
  static double const measured = [] {
    auto const graph = rmat_graph().view();
    auto const connected = connected_vertices(graph);
    glt::neighbor_sampler<cpu> sampler(graph, {.fanouts = w1_fanouts, .edge_ids = glt::edge_positions});
    glt::sampled_subgraph<cpu> out;
    std::int64_t edges = 0;
    std::int64_t sum = 0;
    double seconds = 0;
    for (std::int64_t step = 0; step < 40; ++step) {
      sampler.sample(batch_of(connected, w1_seeds, step), {.seed = 2, .step = step}, out);
      auto const rows = out.nodes().subview(0, out.nodes().size() - out.num_sampled_nodes().back());
      auto const start = std::chrono::steady_clock::now();
      for (auto const row : rows) {
        sum += graph.offset(row);
      }
      for (auto const position : out.edge_ids()) {
        sum += graph.source(position);
      }
      benchmark::DoNotOptimize(sum);
      seconds += seconds_since(start);
      edges += out.row().size();
    }
    return static_cast<double>(edges) / seconds;
  }();
  return measured;
}

/// Samples W1 (or W2) on a graph of the same vertices as `rmat_graph`, and counts: edges/s, and the speed in
/// relation to `plain_loop_edges_per_second`.
template <class Rule = glt::uniform_rule>
void sample_w1(benchmark::State& state, host_csr graph, glt::neighbor_options options, int threads = 1, Rule rule = {},
               std::type_identity_t<std::vector<typename Rule::query_type>> const& queries = {}) {
  options.fanouts = w1_fanouts;
  glt::neighbor_sampler<cpu, glt::local_id, Rule> sampler(graph, options, rule, cpu(threads));
  glt::sampled_subgraph<cpu> out;
  auto const vertices_with_edges = connected_vertices(rmat_graph().view());
  auto const sample = [&](std::vector<glt::local_id> const& seeds, std::int64_t step) {
    glt::sample_key const key{.seed = 1, .step = step};
    if constexpr (glt::detail::has_query<Rule>) {
      sampler.sample(seeds, queries, key, out);
    } else {
      sampler.sample(seeds, key, out);
    }
  };
  sample(batch_of(vertices_with_edges, w1_seeds, 0), 0); // takes its memory
  std::int64_t step = 0;
  std::int64_t edges = 0;
  std::int64_t vertices = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto const seeds = batch_of(vertices_with_edges, w1_seeds, step);
    state.ResumeTiming();
    sample(seeds, step++);
    edges += out.row().size();
    vertices += out.nodes().size();
  }
  auto const batches = static_cast<double>(step);
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["of plain loop"] =
      benchmark::Counter(static_cast<double>(edges) / plain_loop_edges_per_second(), benchmark::Counter::kIsRate);
  state.counters["edges/batch"] = static_cast<double>(edges) / batches;
  state.counters["vertices/batch"] = static_cast<double>(vertices) / batches;
  state.counters["scale"] = graph_scale();
}

} // namespace glt_bench

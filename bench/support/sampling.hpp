// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/sequential.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/rule.hpp>

#include "workloads.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
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
    glt::neighbor_sampler<cpu> sampler(graph, {.fanouts = w1_fanouts, .edge_ids = true}); // ids are positions here
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

/// Times of a sampler's two halves, in one thread.
struct halves {
  double picking = 0;
  double relabelling = 0;
};

template <class Rule>
halves time_halves(host_csr graph, glt::neighbor_options const& options, Rule const& rule,
                   std::vector<glt::local_id> const& seeds, std::span<typename Rule::query_type const> queries,
                   std::int64_t step) {
  static glt::detail::hop_drawer<cpu> drawer;
  static glt::detail::subgraph_builder<cpu, glt::local_id> builder;
  static glt::detail::hop_sample<cpu, glt::local_id> drawn;
  static glt::sampled_subgraph<cpu> out;
  static glt::detail::inherited_queries<cpu, Rule> inherited;
  halves times;
  if (options.disjoint) {
    builder.begin_disjoint(seeds, options.expand, out);
  } else {
    builder.begin(seeds, options.expand, out);
  }
  for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
    glt::detail::hop_request<glt::memory_space::host, glt::local_id, Rule> const request{
        .rows = builder.next_frontier(),
        .original = {},
        .options = glt::detail::hop_of(options, hop),
        .key = glt::detail::hop_key({.seed = 1, .step = step}, static_cast<std::int64_t>(hop)),
        .rule = rule,
        .queries = inherited.of({queries.data(), std::ssize(queries)}, builder.next_trees())};
    auto const start = std::chrono::steady_clock::now();
    drawer.draw(glt::exec::sequential{}, graph, request, options.edge_ids, drawn);
    auto const picked = std::chrono::steady_clock::now();
    builder.add_hop(drawn);
    times.relabelling += seconds_since(picked);
    times.picking += std::chrono::duration<double>(picked - start).count();
  }
  return times;
}

/// Samples W1 (or W2) on a graph of the same vertices as `rmat_graph`, and counts: edges/s, the shares of picking
/// and relabelling in one thread, and the speed in relation to `plain_loop_edges_per_second`.
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
  halves times;
  for (std::int64_t again = 0; again < 20; ++again) {
    auto const seeds = batch_of(vertices_with_edges, w1_seeds, again);
    auto const of_batch = time_halves(graph, options, rule, seeds, queries, again);
    times.picking += of_batch.picking;
    times.relabelling += of_batch.relabelling;
  }
  auto const batches = static_cast<double>(step);
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["of plain loop"] =
      benchmark::Counter(static_cast<double>(edges) / plain_loop_edges_per_second(), benchmark::Counter::kIsRate);
  state.counters["picking"] = times.picking / (times.picking + times.relabelling);
  state.counters["relabelling"] = times.relabelling / (times.picking + times.relabelling);
  state.counters["edges/batch"] = static_cast<double>(edges) / batches;
  state.counters["vertices/batch"] = static_cast<double>(vertices) / batches;
  state.counters["scale"] = graph_scale();
}

} // namespace glt_bench

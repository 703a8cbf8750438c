// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/sample/link/link_sampler.hpp>

#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using glt_bench::cpu;

namespace {

constexpr std::int64_t batch_size = 1024;

// Edges of the graph as positives, from all over it.
struct positives {
  std::vector<glt::local_id> sources;
  std::vector<glt::local_id> destinations;

  positives(glt::csr_view<glt::memory_space::host> graph, std::vector<glt::local_id> const& connected,
            std::int64_t step) {
    for (auto const destination : glt_bench::batch_of(connected, batch_size, step)) {
      auto const place = (destination + step) % graph.degree(destination);
      sources.push_back(graph.source(graph.offset(destination) + place));
      destinations.push_back(destination);
    }
  }
};

glt::vertex_weights<cpu> const& degree_weights() {
  static auto const made = [] {
    auto const graph = glt_bench::rmat_graph().view();
    std::vector<double> weights;
    for (std::int64_t v = 0; v < graph.num_rows(); ++v) {
      weights.push_back(std::pow(static_cast<double>(graph.degree(v)), 0.75));
    }
    return glt::vertex_weights<cpu>(glt::host_view<double const>(weights));
  }();
  return made;
}

// R-MAT scale 20, batches of 1024 edges, fanout 15,10: the whole sample.
void sample_links(benchmark::State& state, glt::link_options options, bool weighted) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const connected = glt_bench::connected_vertices(graph);
  options.neighbors.fanouts = {15, 10};
  auto const weights = weighted ? degree_weights().view() : glt::vertex_weights<cpu>::view_type{};
  glt::link_sampler<cpu> sampler(graph, options, weights);
  glt::link_sample<cpu> out;
  std::int64_t step = 0;
  std::int64_t edges = 0;
  std::int64_t seeds = 0;
  for (auto _ : state) {
    state.PauseTiming();
    positives const batch(graph, connected, step);
    state.ResumeTiming();
    sampler.sample(batch.sources, batch.destinations, {.seed = 1, .step = step++}, out);
    edges += out.subgraph().row().size();
    seeds += out.subgraph().seed_index().size();
  }
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["edges/batch"] = static_cast<double>(edges) / static_cast<double>(step);
  state.counters["seeds/batch"] = static_cast<double>(seeds) / static_cast<double>(step);
  state.counters["scale"] = glt_bench::graph_scale();
}

// Neighbours of as many random ends as a link sample of 1024 positives and as many negatives has: the floor.
void sample_ends(benchmark::State& state) {
  auto const graph = glt_bench::rmat_graph().view();
  glt::neighbor_sampler<cpu> sampler(graph, {.fanouts = {15, 10}});
  auto const connected = glt_bench::connected_vertices(graph);
  glt::sampled_subgraph<cpu> out;
  std::int64_t step = 0;
  std::int64_t edges = 0;
  for (auto _ : state) {
    state.PauseTiming();
    positives const batch(graph, connected, step);
    auto seeds = batch.sources;
    seeds.insert(seeds.end(), batch.destinations.begin(), batch.destinations.end());
    state.ResumeTiming();
    sampler.sample(seeds, {.seed = 1, .step = step++}, out);
    edges += out.row().size();
  }
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["edges/batch"] = static_cast<double>(edges) / static_cast<double>(step);
}

// Negatives alone: five destinations for each of 1024 positives.
void draw_negatives(benchmark::State& state, glt::negative_options options, bool weighted) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const connected = glt_bench::connected_vertices(graph);
  auto const weights = weighted ? degree_weights().view() : glt::vertex_weights<cpu>::view_type{};
  glt::detail::local_candidates<cpu, glt::local_id> candidates(graph, weights, {});
  options.mode = glt::negative_mode::triplet;
  options.amount = 5;
  glt::detail::negative_drawer<cpu, glt::local_id> drawer(options);
  glt::detail::negative_pairs<cpu, glt::local_id> out;
  glt::detail::seed_edges<cpu, glt::local_id> edges;
  std::vector<glt::random_key> keys(static_cast<std::size_t>(batch_size), glt::random_key(0));
  std::int64_t step = 0;
  for (auto _ : state) {
    state.PauseTiming();
    positives const batch(graph, connected, step);
    edges.assign(glt::host_view<glt::local_id const>(batch.sources),
                 glt::host_view<glt::local_id const>(batch.destinations));
    auto const key = glt::detail::negatives_key({.seed = 1, .step = step++});
    for (std::int64_t i = 0; i < batch_size; ++i) {
      auto const seeds = edges.view();
      keys[static_cast<std::size_t>(i)] =
          glt::detail::positive_key(key, seeds.sources[i], seeds.destinations[i], seeds.occurrences[i]);
    }
    state.ResumeTiming();
    drawer.draw(candidates, edges, glt::host_view<glt::random_key const>(keys), out);
  }
  state.counters["negatives/s"] =
      benchmark::Counter(static_cast<double>(5 * batch_size * step), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

BENCHMARK(sample_ends)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_links, positives_only, {.negatives = {.amount = 0}}, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(sample_links, excluding_edges_and_reverses,
                  {.negatives = {.amount = 0}, .exclude = glt::seed_exclusion::edges_and_reverses}, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(sample_links, binary, {.negatives = {.amount = 1}}, false)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(sample_links, binary_weighted, {.negatives = {.amount = 1}}, true)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(draw_negatives, any, {.strict = false}, false)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(draw_negatives, strict, {}, false)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(draw_negatives, weighted, {.strict = false}, true)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(draw_negatives, weighted_strict, {}, true)->Unit(benchmark::kMicrosecond)->UseRealTime();

} // namespace

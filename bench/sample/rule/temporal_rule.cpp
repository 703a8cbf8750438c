// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

#include "support/sampling.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

using glt::temporal_strategy;
using glt_bench::cpu;

namespace {

constexpr std::uint64_t last_time = 1'000'000;

// Times from all over the past; edges get them in no order.
std::vector<std::int64_t> some_times(std::int64_t count, std::uint64_t seed) {
  glt::random_stream draws(glt::random_key(seed), 0);
  std::vector<std::int64_t> times;
  times.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    times.push_back(static_cast<std::int64_t>(draws.below(last_time)));
  }
  return times;
}

glt::timed_rows<cpu> const& timed_graph() {
  static auto const sorted = [] {
    auto const graph = glt_bench::rmat_graph().view();
    return glt::sort_rows_by_time<cpu>(graph, some_times(graph.num_edges(), 3), cpu(2));
  }();
  return sorted;
}

// 1024 trees around distinct seeds with times of their own.
void sample_temporal(benchmark::State& state, temporal_strategy strategy) {
  auto const& timed = timed_graph();
  glt::temporal_rule<glt::memory_space::host> const rule{timed.times.view(), strategy};
  glt_bench::sample_w1(state, timed.graph.view(), {.fanouts = {}, .disjoint = true}, 1, rule,
                       some_times(glt_bench::w1_seeds, 7));
}

void sort_rows(benchmark::State& state) {
  auto const graph = glt_bench::rmat_graph().view();
  auto const times = some_times(graph.num_edges(), 3);
  for (auto _ : state) {
    auto const sorted = glt::sort_rows_by_time<cpu>(graph, times);
    benchmark::DoNotOptimize(sorted.times.data());
  }
  state.counters["edges/s"] =
      benchmark::Counter(static_cast<double>(graph.num_edges()), benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(sample_temporal, uniform, temporal_strategy::uniform)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sample_temporal, last, temporal_strategy::last)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(sort_rows)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

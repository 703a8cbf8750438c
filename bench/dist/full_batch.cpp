// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/full_batch/aggregate.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>

#include "support/loading.hpp"
#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <span>

using glt_bench::cpu;

namespace {

using sharded_type = glt::dist::sharded_graph<glt::mpi_comm, cpu>;

// The whole R-MAT graph in random parts, one a rank, and a matrix of `columns` on either side.
struct full_batch_workload {
  glt::mpi_comm comm = glt_bench::ranks();
  cpu policy;
  sharded_type graph;
  std::int64_t columns;
  glt::buffer<cpu, float> x;
  glt::buffer<cpu, float> y;

  full_batch_workload(std::int64_t threads, std::int64_t width)
      : policy(static_cast<int>(threads)), graph(comm, glt_bench::loading_workload(comm).graph(), {}, policy),
        columns(width), x(glt_bench::feature_values(graph.num_destinations(), width)), y(graph.num_destinations() * width) {}

  [[nodiscard]] glt::host_matrix<float const> in() const { return {x.data(), graph.num_destinations(), columns}; }
  [[nodiscard]] glt::host_matrix<float> out() { return {y.data(), graph.num_destinations(), columns}; }

  void count(benchmark::State& state) {
    std::array<std::int64_t, 2> sums{graph.num_edges(), graph.num_sent()};
    comm.all_reduce(std::span<std::int64_t>(sums), glt::reduction::sum);
    auto const edges = static_cast<double>(sums[0] * state.iterations());
    state.counters["edges/s"] = benchmark::Counter(edges, benchmark::Counter::kIsRate);
    state.counters["bytes/s"] = benchmark::Counter(edges * static_cast<double>(columns) * 4, benchmark::Counter::kIsRate);
    state.counters["rows sent"] = static_cast<double>(sums[1]);
    state.counters["scale"] = glt_bench::graph_scale();
    state.counters["ranks"] = comm.size();
  }
};

void aggregate_sum(benchmark::State& state) {
  full_batch_workload work(state.range(0), state.range(1));
  glt_bench::measure_together(state, work.comm, [&] { glt::dist::aggregate(work.graph, work.in(), work.out()); });
  work.count(state);
}

void aggregate_sum_backward(benchmark::State& state) {
  full_batch_workload work(state.range(0), state.range(1));
  glt_bench::measure_together(state, work.comm,
                              [&] { glt::dist::aggregate_backward(work.graph, work.in(), work.out()); });
  work.count(state);
}

// What memory gives: the same rows are read in the same order, and next to nothing is done with them.
void read_rows(benchmark::State& state) {
  full_batch_workload work(state.range(0), state.range(1));
  auto const columns = work.columns;
  glt_bench::measure_together(state, work.comm, [&] {
    auto const shard = work.graph.shard(0);
    work.policy.executor().for_ranges(shard.num_edges, 4096, [&](std::int64_t first, std::int64_t last) {
      float sum = 0;
      for (auto e = first; e < last; ++e) {
        float const* const row = work.x.data() + std::int64_t{shard.columns[e]} * columns;
        for (std::int64_t c = 0; c < columns; c += 16) { // a value of every cache line
          sum += row[c];
        }
      }
      benchmark::DoNotOptimize(sum);
    });
  });
  work.count(state);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"threads", "columns"})
      ->ArgsProduct({{1, 2}, {32, 128, 256}})
      ->Iterations(3)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

BENCHMARK(aggregate_sum)->Apply(sizes);
BENCHMARK(aggregate_sum_backward)->Apply(sizes);
BENCHMARK(read_rows)->Apply(sizes);

} // namespace

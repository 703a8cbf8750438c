// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/comm/threads.hpp>
#include <glt/dist/full_batch/aggregate.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/attention.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/graph.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>

#include "support/loading.hpp"
#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <utility>

using glt_bench::cpu;

namespace {

using sharded_type = glt::dist::sharded_graph<glt::mpi_comm, cpu>;

// Measures a pass on all ranks together, behind one that makes room for what travels and touches all memory: what a
// virtual machine never touched before is slower for a while than any work on it.
template <class Work>
void measure_passes(benchmark::State& state, glt::mpi_comm& comm, Work work) {
  work();
  glt_bench::measure_together(state, comm, work);
}

// The whole R-MAT graph in random parts, one a rank, or the parts of glt-partition in the folder GLT_BENCH_PARTS; made
// once for all benchmarks of as many threads, for that takes longer than they do. Never freed: the program ends after
// MPI does.
sharded_type& shared_graph(int threads, bool has_cover) {
  static auto& made = *new std::map<std::pair<int, bool>, sharded_type>;
  auto const key = std::pair(threads, has_cover);
  if (auto const found = made.find(key); found != made.end()) {
    return found->second;
  }
  glt::dist::sharding_options const options{.cover = has_cover};
  if (char const* const parts = std::getenv("GLT_BENCH_PARTS")) {
    auto comm = glt_bench::ranks();
    auto const data = glt::io::open_data_set(comm, parts, {.reading = glt::dist::reading::by_messages});
    return made.try_emplace(key, comm, data.graph(), options, cpu(threads)).first->second;
  }
  return made.try_emplace(key, glt_bench::ranks(), glt_bench::shared_workload().graph(), options, cpu(threads))
      .first->second;
}

// That graph and a matrix of `columns` on either side.
struct full_batch_workload {
  glt::mpi_comm comm = glt_bench::ranks();
  cpu policy;
  sharded_type& graph;
  std::int64_t columns;
  glt::buffer<cpu, float> x;
  glt::buffer<cpu, float> y;

  full_batch_workload(std::int64_t threads, std::int64_t width, bool has_cover = false)
      : policy(static_cast<int>(threads)), graph(shared_graph(static_cast<int>(threads), has_cover)), columns(width),
        x(glt_bench::feature_values(graph.num_destinations(), width)), y(graph.num_destinations() * width) {}

  [[nodiscard]] glt::host_matrix<float const> in() const { return {x.data(), graph.num_destinations(), columns}; }
  [[nodiscard]] glt::host_matrix<float> out() { return {y.data(), graph.num_destinations(), columns}; }

  void count(benchmark::State& state) {
    std::array<std::int64_t, 2> sums{graph.num_edges(), graph.cover() ? 0 : graph.num_sent()};
    for (std::int64_t k = 1; k < graph.size() && graph.cover(); ++k) {
      sums[1] += graph.cover()->num_sent(k);
    }
    comm.all_reduce(std::span<std::int64_t>(sums), glt::reduction::sum);
    auto const edges = static_cast<double>(sums[0] * state.iterations());
    state.counters["edges/s"] = benchmark::Counter(edges, benchmark::Counter::kIsRate);
    state.counters["bytes/s"] =
        benchmark::Counter(edges * static_cast<double>(columns) * 4, benchmark::Counter::kIsRate);
    state.counters["rows sent"] = static_cast<double>(sums[1]);
    state.counters["edges"] = static_cast<double>(sums[0]);
    state.counters["ranks"] = comm.size();
  }
};

void aggregate_sum(benchmark::State& state) {
  full_batch_workload work(state.range(0), state.range(1));
  measure_passes(state, work.comm, [&] { glt::dist::aggregate(work.graph, work.in(), work.out()); });
  work.count(state);
}

void aggregate_covered(benchmark::State& state) {
  full_batch_workload work(state.range(0), state.range(1), true);
  measure_passes(state, work.comm, [&] { glt::dist::aggregate(work.graph, work.in(), work.out()); });
  work.count(state);
}

void aggregate_reproducibly(benchmark::State& state) {
  full_batch_workload work(state.range(0), state.range(1));
  glt::dist::aggregation<glt::memory_space::host, float> const options{.reproducible = true};
  measure_passes(state, work.comm, [&] { glt::dist::aggregate(work.graph, work.in(), work.out(), options); });
  work.count(state);
}

void aggregate_sum_backward(benchmark::State& state) {
  full_batch_workload work(state.range(0), state.range(1));
  measure_passes(state, work.comm, [&] { glt::detail::aggregate_backward(work.graph, work.in(), work.out()); });
  work.count(state);
}

// What a graph attention layer needs beside the sum of as many columns: 4 heads that share them.
struct attention_workload : full_batch_workload {
  static constexpr std::int64_t heads = 4;
  static constexpr glt::detail::attention_options<glt::memory_space::host> options{.heads = heads};
  glt::buffer<cpu, float> keys;
  glt::buffer<cpu, float> queries;
  glt::buffer<cpu, float> softmax;
  glt::buffer<cpu, float> by_values;
  glt::buffer<cpu, float> by_keys;
  glt::buffer<cpu, float> by_queries;

  attention_workload(std::int64_t threads, std::int64_t width)
      : full_batch_workload(threads, width), keys(glt_bench::feature_values(graph.num_sources(), heads)),
        queries(keys.size()), softmax(2 * keys.size()), by_values(x.size()), by_keys(keys.size()),
        by_queries(keys.size()) {
    for (std::int64_t i = 0; i < keys.size(); ++i) { // scores as those of a network: no power underflows
      keys[i] = keys[i] / 510 - 1;
      queries[i] = keys[i];
    }
  }

  [[nodiscard]] glt::host_matrix<float> by_head(glt::buffer<cpu, float>& values) {
    return {values.data(), graph.num_destinations(), heads};
  }
  [[nodiscard]] glt::host_matrix<float> both(glt::buffer<cpu, float>& of_softmax) {
    return {of_softmax.data(), graph.num_destinations(), 2 * heads};
  }
  void forward() { glt::detail::attend(graph, {in(), by_head(keys), by_head(queries)}, out(), both(softmax), options); }
  void backward() {
    glt::detail::attention_rows<glt::memory_space::host, float> const gradients{
        {by_values.data(), graph.num_sources(), columns}, by_head(by_keys), by_head(by_queries)};
    glt::detail::attend_backward(graph, {in(), by_head(keys), by_head(queries)}, {out(), both(softmax)}, {in()},
                                 gradients, options);
  }
};

void attend(benchmark::State& state) {
  attention_workload work(state.range(0), state.range(1));
  measure_passes(state, work.comm, [&] { work.forward(); });
  work.count(state);
}

void attend_backward(benchmark::State& state) {
  attention_workload work(state.range(0), state.range(1));
  work.forward();
  measure_passes(state, work.comm, [&] { work.backward(); });
  work.count(state);
}

// What memory gives: the same rows are read in the same order, and next to nothing is done with them.
void read_rows(benchmark::State& state) {
  full_batch_workload work(state.range(0), state.range(1));
  auto const columns = work.columns;
  measure_passes(state, work.comm, [&] {
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

// One pass forward and one backward over the graph in random parts on ranks that are threads of rank 0, as many as
// range(0): how bytes and messages grow.
void growth(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  glt::detail::full_batch_report most;
  std::int64_t rows = 0;
  std::int64_t covered = 0;
  glt_bench::measure_together(state, comm, [&] {
    if (comm.rank() != 0) {
      return;
    }
    std::mutex lock;
    auto const whole = glt_bench::rmat_graph().view();
    auto const ranks = static_cast<int>(state.range(0));
    auto const names = glt::make_relabelling(glt::random_partitioner{.seed = 1}(whole, ranks).view(), ranks);
    glt::run_threads(ranks, [&](glt::threads_comm threads) {
      glt::dist::graph const graph(threads, glt::split_graph<glt::local_id>(whole, names, threads.rank()));
      glt::dist::sharded_graph sharded(threads, graph);
      constexpr std::int64_t columns = 4;
      auto const x = glt_bench::feature_values(sharded.num_sources(), columns);
      glt::buffer<cpu, float> y(x.size());
      glt::host_matrix<float const> const in(x.data(), sharded.num_sources(), columns);
      glt::host_matrix<float> const out(y.data(), sharded.num_sources(), columns);
      glt::dist::aggregate(sharded, in, out);
      glt::detail::aggregate_backward(sharded, in, out);
      glt::dist::sharded_graph const with_cover(threads, graph, {.cover = true});
      std::int64_t sent = 0;
      for (std::int64_t k = 1; k < threads.size(); ++k) { // received backward
        sent += with_cover.cover()->num_sent(k) + with_cover.cover()->num_received(k);
      }
      std::scoped_lock const hold(lock);
      covered = std::max(covered, sent);
      auto const& report = sharded.report();
      most.bytes = std::max(most.bytes, report.bytes / columns / 4);
      most.messages = std::max(most.messages, report.messages);
      most.peak_remote_bytes = std::max(most.peak_remote_bytes, report.peak_remote_bytes / columns / 4);
      rows = std::max(rows, sharded.num_sources());
    });
  });
  // of the rank that has most; rows of F elements
  state.counters["own rows"] = static_cast<double>(rows);
  state.counters["rows sent"] = static_cast<double>(most.bytes);
  state.counters["rows sent with cover"] = static_cast<double>(covered);
  state.counters["messages"] = static_cast<double>(most.messages);
  state.counters["most remote rows"] = static_cast<double>(most.peak_remote_bytes);
  state.counters["scale"] = glt_bench::graph_scale();
}

BENCHMARK(growth)->ArgName("ranks")->RangeMultiplier(2)->Range(1, 16)->Iterations(1)->UseManualTime()->Unit(
    benchmark::kSecond);
BENCHMARK(aggregate_sum)->Apply(sizes);
BENCHMARK(aggregate_covered)->Apply(sizes);
BENCHMARK(aggregate_sum_backward)->Apply(sizes);
BENCHMARK(aggregate_reproducibly)->Apply(sizes);
BENCHMARK(attend)->Apply(sizes);
BENCHMARK(attend_backward)->Apply(sizes);
BENCHMARK(read_rows)->Apply(sizes);

} // namespace

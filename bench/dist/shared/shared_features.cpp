// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/shared/shared_features.hpp>

#include <glt/mpi/node.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>

#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

using glt_bench::cpu;

namespace {

constexpr std::int64_t num_batches = 10;

glt::relabelling random_parts(int ranks) {
  return glt::make_relabelling(glt::random_partitioner{.seed = 1}(glt_bench::rmat_graph().view(), ranks).view(), ranks);
}

// R-MAT in random parts; what batches of 1024 own seeds with fanout 15,10,5 have of other ranks' vertices: own ones are
// read where they lie with and without messages.
struct workload {
  glt::relabelling names;
  std::vector<std::vector<glt::local_id>> batches;

  explicit workload(glt::mpi_comm& comm) : names(random_parts(comm.size())) {
    auto const& whole = glt_bench::rmat_graph();
    glt::dist::graph const graph(comm, glt::split_graph<glt::local_id>(whole.view(), names, comm.rank()));
    std::vector<glt::local_id> own;
    for (auto const local : glt_bench::connected_vertices(graph.local())) {
      own.push_back(static_cast<glt::local_id>(graph.book().begin(comm.rank()) + local));
    }
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {15, 10, 5}});
    glt::sampled_subgraph<cpu, glt::local_id> out;
    for (std::int64_t step = 0; step < num_batches; ++step) {
      sampler.sample(glt_bench::batch_of(own, 1024, step), {.step = step}, out);
      auto& batch = batches.emplace_back();
      std::ranges::copy_if(out.nodes(), std::back_inserter(batch),
                           [&](auto vertex) { return graph.book().owner(vertex) != comm.rank(); });
    }
  }
};

// Rows of float32 columns of ten batches; the rate is that of all ranks together.
void collect_rows(benchmark::State& state, bool in_place) {
  auto comm = glt_bench::ranks();
  static workload const work(comm);
  auto const columns = state.range(0);
  auto const rows = work.names.book.size(comm.rank());
  glt::feature_store<cpu, float> mine(rows, columns, glt_bench::feature_values(rows, columns));
  glt::mpi_node node(comm);
  glt::node_views<glt::feature_view<cpu::space, float>> neighborhood;
  if (in_place) {
    auto shared = glt::dist::share(node, mine.view());
    mine = std::move(shared.own);
    neighborhood = std::move(shared.neighborhood);
  }
  glt::dist::feature_store const store(comm, work.names.book, std::move(mine));
  glt::dist::feature_collector collector(comm, store);
  if (in_place) {
    collector.read_in_place(neighborhood);
  }
  glt::dist::collected_rows<cpu, float> out;
  std::int64_t collected = 0;
  std::int64_t step = 0;
  glt_bench::measure_together(state, comm, [&] {
    for (auto const& batch : work.batches) {
      collector.collect(glt::host_view<glt::local_id const>(batch), 0, step++, out);
      collected += std::ssize(batch);
    }
  });
  std::vector<double> sums{static_cast<double>(collected), static_cast<double>(collector.counts().in_place)};
  comm.all_reduce(std::span(sums), glt::reduction::sum);
  state.counters["rows/s"] = benchmark::Counter(sums[0], benchmark::Counter::kIsRate);
  state.counters["bytes/s"] =
      benchmark::Counter(sums[0] * static_cast<double>(columns) * 4, benchmark::Counter::kIsRate);
  state.counters["in_place_share"] = sums[1] / std::max(sums[0], 1.0);
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["ranks"] = comm.size();
}

void widths(benchmark::internal::Benchmark* bench) {
  bench->ArgName("columns")->Arg(16)->Arg(32)->Arg(64)->Arg(128)->Iterations(5)->UseManualTime()->Unit(
      benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(collect_rows, by_messages, false)->Apply(widths);
BENCHMARK_CAPTURE(collect_rows, in_place, true)->Apply(widths);

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/shared/shared_graph.hpp>

#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/mpi/node.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>

#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using glt_bench::cpu;

namespace {

// R-MAT in random parts, fanout 15,10,5, ten batches of 1024 own seeds on every rank; the rate is that of all ranks
// together.
void sample_batches(benchmark::State& state, bool in_place) {
  auto comm = glt_bench::ranks();
  auto const& whole = glt_bench::rmat_graph();
  auto const names =
      glt::make_relabelling(glt::random_partitioner{.seed = 1}(whole.view(), comm.size()).view(), comm.size());
  auto part = glt::split_graph<glt::local_id>(whole.view(), names, comm.rank());
  glt::mpi_node node(comm);
  glt::node_views<glt::graph_part<cpu, glt::local_id>::view_type> neighborhood;
  if (in_place) {
    auto shared = glt::dist::share(node, part);
    part = std::move(shared.own);
    neighborhood = std::move(shared.neighborhood);
  }
  glt::dist::graph const graph(comm, std::move(part));
  std::vector<glt::local_id> own;
  for (auto const local : glt_bench::connected_vertices(graph.local())) {
    own.push_back(static_cast<glt::local_id>(graph.book().begin(comm.rank()) + local));
  }
  glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {15, 10, 5}});
  if (in_place) {
    sampler.read_in_place(neighborhood);
  }
  glt::sampled_subgraph<cpu, glt::local_id> out;
  std::int64_t edges = 0;
  std::int64_t step = 0;
  glt_bench::measure_together(state, comm, [&] {
    for (int batch = 0; batch < 10; ++batch, ++step) {
      sampler.sample(glt_bench::batch_of(own, 1024, step), {.step = step}, out);
      edges += out.row().size();
    }
  });
  auto const counts = sampler.counts();
  std::vector<double> sums{static_cast<double>(edges), static_cast<double>(counts.in_place),
                           static_cast<double>(counts.own + counts.in_place + counts.remote)};
  comm.all_reduce(std::span(sums), glt::reduction::sum);
  state.counters["edges/s"] = benchmark::Counter(sums[0], benchmark::Counter::kIsRate);
  state.counters["in_place_share"] = sums[1] / sums[2];
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["ranks"] = comm.size();
}

BENCHMARK_CAPTURE(sample_batches, by_messages, false)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sample_batches, in_place, true)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace

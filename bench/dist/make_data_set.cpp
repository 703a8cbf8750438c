// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/builder/exchange.hpp>
#include <glt/dist/builder/make_data_set.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/rmat.hpp>

#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

// An R-MAT graph of 30 million edges (29 a vertex, scale 20) becomes a data set; every rank holds a range of its edges. In
// turns: make_csr of all edges on rank 0, and the transfer alone, 24 bytes of every edge that moves to another rank.
// "ratio" is make_data_set without the transfer by make_csr.
void make_data_set(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  auto const graph = glt::make_rmat<glt::local_id>({.scale = glt_bench::graph_scale(), .edge_factor = 29});
  auto const all = graph.view();
  auto const first = all.num_edges() * comm.rank() / comm.size();
  auto const size = all.num_edges() * (comm.rank() + 1) / comm.size() - first;
  glt::dist::local_data const local{.edges = {.sources = all.sources().subview(first, size),
                                              .destinations = all.destinations().subview(first, size)}};
  std::optional<std::int64_t> num_vertices;
  if (state.range(0) != 0) {
    num_vertices = all.num_vertices();
  }
  struct moving_edge {
    std::int64_t bytes[3];
  };
  auto const share = size / comm.size();
  std::vector<moving_edge> const edges(static_cast<std::size_t>(share * comm.size()));
  std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), share);

  std::vector<double> csr_seconds;
  std::vector<double> transfer_seconds;
  std::vector<double> seconds;
  std::vector<double> ratios;
  for (auto _ : state) {
    csr_seconds.push_back(glt_bench::seconds_together(comm, [&] {
      if (comm.rank() == 0) {
        benchmark::DoNotOptimize(glt::make_csr<glt_bench::cpu>(all));
      }
    }));
    transfer_seconds.push_back(glt_bench::seconds_together(comm, [&] {
      benchmark::DoNotOptimize(
          glt::dist::exchange<moving_edge>(comm, glt::host_view<moving_edge const>(edges), counts));
    }));
    seconds.push_back(glt_bench::seconds_together(comm, [&] {
      benchmark::DoNotOptimize(glt::dist::make_data_set(comm, local, {}, {.num_vertices = num_vertices}));
    }));
    ratios.push_back((seconds.back() - transfer_seconds.back()) / csr_seconds.back());
    state.SetIterationTime(seconds.back());
  }
  state.counters["make_csr_s"] = glt_bench::median(csr_seconds);
  state.counters["transfer_s"] = glt_bench::median(transfer_seconds);
  state.counters["ratio"] = glt_bench::median(ratios);
  state.counters["edges/s"] =
      benchmark::Counter(static_cast<double>(all.num_edges() * state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK(make_data_set)
    ->ArgName("num_vertices")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kSecond);

} // namespace

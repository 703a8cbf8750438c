// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/core/random.hpp>
#include <glt/dist/builder/exchange.hpp>
#include <glt/dist/builder/make_data_set.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>

#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <vector>

namespace {

// An R-MAT graph of 30 million edges (29 a vertex, scale 20) becomes a data set; every rank holds a range of its edges.
// In turns: make_csr of all edges on rank 0, with the same ids, and the transfer alone, 24 bytes of every edge that
// moves to another rank. "ratio" is make_data_set without the transfer by make_csr; "cpu_ratio" is the processor time
// of the slowest rank, with the transfer, by that of make_csr: other programs on the machine, which make ranks wait for
// each other, change it less. With any_ids, vertices have random ids of 63 bits.
void make_data_set(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  auto const graph = glt::make_rmat<glt::global_id>({.scale = glt_bench::graph_scale(), .edge_factor = 29});
  auto const all = graph.view();
  auto const first = all.num_edges() * comm.rank() / comm.size();
  auto const size = all.num_edges() * (comm.rank() + 1) / comm.size() - first;
  glt::dist::local_data local{.edges = {.sources = all.sources().subview(first, size),
                                        .destinations = all.destinations().subview(first, size)}};
  std::vector<std::int64_t> any_sources;
  std::vector<std::int64_t> any_destinations;
  if (state.range(1) != 0) {
    glt::random_key const names(7);
    auto const any_id = [&](glt::global_id v) {
      return static_cast<std::int64_t>(names.fold(static_cast<std::uint64_t>(v)).bits() >> 1);
    };
    for (auto e = first; e < first + size; ++e) {
      any_sources.push_back(any_id(all.sources()[e]));
      any_destinations.push_back(any_id(all.destinations()[e]));
    }
    local.edges = {.sources = any_sources, .destinations = any_destinations};
  }
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

  auto const processor_seconds = [&](auto work) {
    auto const start = std::clock();
    work();
    auto seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    comm.all_reduce(std::span(&seconds, 1), glt::reduction::max);
    return seconds;
  };
  std::vector<double> cpu_ratios;
  std::vector<double> csr_seconds;
  std::vector<double> transfer_seconds;
  std::vector<double> seconds;
  std::vector<double> ratios;
  for (auto _ : state) {
    auto const csr_cpu = processor_seconds([&] {
      csr_seconds.push_back(glt_bench::seconds_together(comm, [&] {
        if (comm.rank() == 0) {
          benchmark::DoNotOptimize(glt::make_csr<glt_bench::cpu>(all, {.edge_ids = true}));
        }
      }));
    });
    transfer_seconds.push_back(glt_bench::seconds_together(comm, [&] {
      benchmark::DoNotOptimize(
          glt::dist::exchange<moving_edge>(comm, glt::host_view<moving_edge const>(edges), counts));
    }));
    auto const cpu = processor_seconds([&] {
      seconds.push_back(glt_bench::seconds_together(comm, [&] {
        benchmark::DoNotOptimize(glt::dist::make_data_set(comm, local, {}, {.num_vertices = num_vertices}));
      }));
    });
    cpu_ratios.push_back(cpu / csr_cpu);
    ratios.push_back((seconds.back() - transfer_seconds.back()) / csr_seconds.back());
    state.SetIterationTime(seconds.back());
  }
  state.counters["make_csr_s"] = glt_bench::median(csr_seconds);
  state.counters["transfer_s"] = glt_bench::median(transfer_seconds);
  state.counters["cpu_ratio"] = glt_bench::median(cpu_ratios);
  state.counters["ratio"] = glt_bench::median(ratios);
  state.counters["edges/s"] =
      benchmark::Counter(static_cast<double>(all.num_edges() * state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK(make_data_set)
    ->ArgNames({"num_vertices", "any_ids"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({0, 1})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kSecond);

} // namespace

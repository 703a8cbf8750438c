// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/loader.hpp>

#include "support/loading.hpp"
#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace {

// R-MAT scale 20 in random parts, 128 feature columns, fanout 15,10,5, batches of 1024 own seeds on every
// rank; the last ten batches of an epoch of forty. Rates are those of all ranks together; shares are of the time of
// loading, and all that is not sampling is for features.
void load_all(benchmark::State& state, glt_bench::loading_workload const& work, bool in_place) {
  auto comm = glt_bench::ranks();
  glt::dist::loader loader(comm, work.batches(), work.seeds(1024 * 40), {.batch_size = 1024});
  if (in_place) {
    work.read_in_place(loader);
  }
  std::int64_t edges = 0;
  std::int64_t vertices = 0;
  auto const load = [&] {
    for (auto const& batch : loader.epoch(0, loader.num_steps() - 10)) {
      edges += batch.subgraph.row().size();
      vertices += batch.subgraph.nodes().size();
    }
  };
  load(); // so that all memory is there
  edges = vertices = 0;
  auto const before = loader.report();
  glt_bench::measure_together(state, comm, load);
  glt::dist::loader_report spent;
  for (auto const& of_rank : glt::gather_over_ranks(comm, loader.report() - before)) {
    spent += of_rank;
  }
  edges = glt::reduce_over_ranks(comm, edges, glt::reduction::sum);
  vertices = glt::reduce_over_ranks(comm, vertices, glt::reduction::sum);
  state.counters["edges/s"] = benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsRate);
  state.counters["rows/s"] = benchmark::Counter(static_cast<double>(vertices), benchmark::Counter::kIsRate);
  state.counters["batches/s"] = benchmark::Counter(static_cast<double>(spent.batches), benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["ranks"] = comm.size();
  auto const& [waiting, sampling, features, phases] = spent.seconds;
  auto const share = [&](double seconds) { return seconds / (sampling + features); };
  state.counters["sampling_share"] = share(sampling);
  state.counters["requesting_share"] = share(phases.requesting);
  state.counters["own_rows_share"] = share(phases.own_rows);
  state.counters["packing_share"] = share(phases.packing);
  state.counters["exchanging_share"] = share(phases.exchanging);
  state.counters["unpacking_share"] = share(phases.unpacking);
}

void load_batches(benchmark::State& state) {
  load_all(state, glt_bench::shared_workload(), false);
}
BENCHMARK(load_batches)->Iterations(10)->UseManualTime()->Unit(benchmark::kMillisecond);

// The same from memory that the ranks share.
void load_in_place(benchmark::State& state) {
  load_all(state, glt_bench::loading_workload(glt_bench::ranks(), true), true);
}
BENCHMARK(load_in_place)->Iterations(10)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace

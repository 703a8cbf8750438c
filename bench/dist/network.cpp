// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of several machines; bench/network.sh puts each on a machine of its own.
#include <glt/comm/counting.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/partition/split.hpp>

#include "support/loading.hpp"
#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>

namespace {

using glt_bench::cpu;
using data_type = glt::dist::data_set<cpu, glt::local_id>;

data_type make_data(glt::mpi_comm comm, glt::dist::topology where) {
  auto part = glt::split_graph<glt::local_id>(glt_bench::loaded_graph().view(), glt_bench::parts_of_loaded(comm.size()),
                                              comm.rank());
  auto const rows = part.graph.view().num_rows();
  constexpr auto columns = glt_bench::loading_workload::num_columns;
  glt::feature_table<cpu> tensors(rows);
  tensors.add("x", glt::feature_store<cpu, float>(rows, columns, glt_bench::feature_values(rows, columns)));
  return data_type(comm, glt::dist::data_part<cpu, glt::local_id>(std::move(part), {.tensors = std::move(tensors)}),
                   glt::dist::reading::by_messages, where);
}

// Batches with features over a graph of which each rank has its part, and over one that each of them has as a whole:
// W1 in parts, 128 columns, fanout 15,10,5.
void load_replicated(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  auto const divided = make_data(comm, glt::dist::topology::divided);
  auto const replicated = make_data(comm, glt::dist::topology::replicated);
  auto const batch_size = state.range(0);
  auto const num_batches = batch_size < 1024 ? 32 : 8;
  auto const connected = glt_bench::connected_vertices(divided.graph().local());
  auto seeds = glt_bench::batch_of(connected, batch_size * num_batches, 0);
  for (auto& seed : seeds) {
    seed += static_cast<glt::local_id>(divided.book().begin(comm.rank()));
  }
  glt::counting_comm counted(comm);
  auto const loader_of = [&](data_type const& data) {
    return glt::dist::loader(counted, glt::dist::neighbor_batches(data, {.fanouts = {15, 10, 5}}), seeds,
                             {.batch_size = batch_size});
  };
  auto by_messages = loader_of(divided);
  auto in_place = loader_of(replicated);
  auto const load = [](auto& loader) {
    return [&loader] {
      for (auto const& batch : loader.epoch(0)) {
        benchmark::DoNotOptimize(batch.num_seeds);
      }
    };
  };
  auto const count = [&](std::string const& what, auto& loader) { // and makes all memory
    counted.reset();
    load(loader)();
    auto const total = counted.counts().total();
    state.counters[what + "_messages"] = static_cast<double>(total.messages) / num_batches;
    state.counters[what + "_bytes"] = static_cast<double>(total.bytes) / num_batches;
  };
  count("usual", by_messages);
  count("replicated", in_place);
  glt_bench::compare_together(state, comm, num_batches, load(by_messages), load(in_place));
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["ranks"] = comm.size();
}

BENCHMARK(load_replicated)
    ->ArgName("batch")
    ->Arg(64)
    ->Arg(1024)
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

} // namespace

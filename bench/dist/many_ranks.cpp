// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages and bytes of a batch by the number of ranks; docs/many_ranks.md has the table.
#include <glt/comm/counting.hpp>
#include <glt/comm/threads.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>

#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

namespace {

using glt_bench::cpu;

// A batch of range(1) seeds a rank with rows of 128 columns, R-MAT in random parts on range(0) ranks that are threads
// of rank 0, fanout 15,10,5. Counts are means over all ranks.
void batch_growth(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  auto const ranks = static_cast<int>(state.range(0));
  glt::traffic sent;
  std::array<std::int64_t, 3> frontiers{}; // of the second and third hop; vertices with rows
  glt_bench::measure_together(state, comm, [&] {
    if (comm.rank() != 0) {
      return;
    }
    std::mutex lock;
    auto const whole = glt_bench::rmat_graph().view();
    auto const names = glt::make_relabelling(glt::random_partitioner{.seed = 1}(whole, ranks).view(), ranks);
    glt::run_threads(ranks, [&](glt::threads_comm threads) {
      constexpr std::int64_t columns = 128;
      auto part = glt::split_graph<glt::local_id>(whole, names, threads.rank());
      auto seeds = glt_bench::batch_of(glt_bench::connected_vertices(part.graph.view()), state.range(1), 0);
      for (auto& seed : seeds) {
        seed += static_cast<glt::local_id>(names.book.begin(threads.rank()));
      }
      auto const rows = part.graph.view().num_rows();
      glt::feature_table<cpu> tensors(rows);
      tensors.add("x", glt::feature_store<cpu, float>(rows, columns, glt_bench::feature_values(rows, columns)));
      glt::counting_comm counted(threads);
      glt::dist::data_set<cpu, glt::local_id> const data(
          counted, glt::dist::data_part<cpu, glt::local_id>(std::move(part), {.tensors = std::move(tensors)}),
          glt::dist::reading::by_messages);
      glt::dist::loader loader(counted, glt::dist::neighbor_batches(data, {.fanouts = {15, 10, 5}}), seeds,
                               {.batch_size = state.range(1)});
      counted.reset();
      for (auto const& batch : loader.epoch(0)) {
        std::scoped_lock const hold(lock);
        auto const& out = batch.subgraph;
        frontiers[0] += out.block(1).num_destinations - out.block(2).num_destinations;
        frontiers[1] += out.block(0).num_destinations - out.block(1).num_destinations;
        frontiers[2] += out.nodes().size();
      }
      auto const own = counted.counts();
      std::scoped_lock const hold(lock);
      sent.headers += own.headers;
      sent.payload += own.payload;
      sent.replies += own.replies;
    });
  });
  auto const mean = [&](std::int64_t count) { return static_cast<double>(count) / ranks; };
  state.counters["headers"] = mean(sent.headers.collectives);
  state.counters["header_bytes"] = mean(sent.headers.bytes);
  state.counters["exchanges"] = mean(sent.payload.collectives + sent.replies.collectives);
  state.counters["messages"] = mean(sent.payload.messages + sent.replies.messages);
  state.counters["bytes"] = mean(sent.payload.bytes + sent.replies.bytes);
  state.counters["frontier_2"] = mean(frontiers[0]);
  state.counters["frontier_3"] = mean(frontiers[1]);
  state.counters["vertices"] = mean(frontiers[2]);
  state.counters["scale"] = glt_bench::graph_scale();
}

BENCHMARK(batch_growth)
    ->ArgNames({"ranks", "batch"})
    ->ArgsProduct({{4, 16, 64}, {64, 1024}})
    ->Args({256, 64})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kSecond);

} // namespace

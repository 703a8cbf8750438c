// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a loader on one rank: sampled and gathered on the host, the same delivered to the GPU while the next batch
// is made, and sampled and gathered on the GPU itself.
#include "support/gpu.hpp"

#include <glt/comm/threads.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/to_device.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_bench::cpu;
using glt_bench::gpu;

namespace {

constexpr std::int64_t columns = 128;
constexpr std::int64_t steps = glt_bench::emulated ? 4 : 64;

/// The first batch of an epoch in ordinary memory.
struct first_batch {
  std::vector<glt::local_id> nodes;
  std::vector<glt::local_id> row;
  std::vector<float> features;
  bool operator==(first_batch const&) const = default;
};

template <class Policy, class Batches>
first_batch first_of(Policy const& policy, Batches& batches) {
  for (auto const& batch : batches.epoch(0)) {
    return {glt::to_vector(policy, batch.subgraph.nodes()), glt::to_vector(policy, batch.subgraph.row()),
            glt::to_vector(policy, batch.features().flat())};
  }
  return {};
}

/// Batches a second over an epoch; another one is taken before for its memory.
template <class Batches>
double batches_per_second(gpu const& policy, Batches& batches) {
  std::int64_t count = 0;
  double seconds = 0;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    count = 0;
    glt_bench::wait(policy);
    auto const start = std::chrono::steady_clock::now();
    for (auto const& batch : batches.epoch(epoch)) {
      count += batch.num_seeds > 0 ? 1 : 0;
    }
    glt_bench::wait(policy);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return static_cast<double>(count) / seconds;
}

void measure(glt_bench::report& report, glt::threads_comm comm) {
  gpu const policy;
  auto const& whole = glt_bench::rmat_graph();
  auto const names = glt::make_relabelling(glt::contiguous_partitioner{}(whole.view(), 1).view(), 1);
  auto const connected = glt_bench::connected_vertices(whole.view());
  auto const batch_size = std::min<std::int64_t>(1024, static_cast<std::int64_t>(connected.size()) / (2 * steps));
  auto const seeds = glt_bench::batch_of(connected, batch_size * steps, 0);
  glt::neighbor_options const neighbors{.fanouts = {15, 10, 5}};
  glt::dist::loader_options const options{.batch_size = batch_size};

  auto part = glt::split_graph<glt::local_id>(whole.view(), names, 0);
  auto const rows = part.graph.view().num_rows();
  glt::feature_store<cpu, float> values(rows, columns, glt_bench::feature_values(rows, columns));
  glt::graph_part<gpu, glt::local_id> part_on_gpu{part.book, part.part, glt::copy<gpu>(part.graph.view(), policy),
                                                  glt::make_buffer<gpu>(part.original.view(), policy)};
  auto values_on_gpu = glt::copy<gpu>(values.view(), policy);

  glt::dist::graph<cpu, glt::local_id> const graph(comm, std::move(part));
  glt::dist::feature_store const features(comm, graph.book(), std::move(values));
  glt::dist::loader host(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options);
  auto const expected = first_of(cpu(), host);
  auto const alone = batches_per_second(policy, host);
  report.add("loader/host", alone, "batches/s");

  glt::dist::device_batches delivered(host, glt_bench::beside(policy), policy);
  glt_bench::require(first_of(policy, delivered) == expected, "loader/to_device");
  report.add("loader/to_device", batches_per_second(policy, delivered), "batches/s", alone, "loader/host");

  auto options_ahead = options;
  options_ahead.prefetch = 2;
  glt::dist::loader ahead(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options_ahead);
  glt::dist::device_batches delivered_ahead(ahead, glt_bench::beside(policy), policy);
  glt_bench::require(first_of(policy, delivered_ahead) == expected, "loader/to_device/prefetch:2");
  report.add("loader/to_device/prefetch:2", batches_per_second(policy, delivered_ahead), "batches/s", alone,
             "loader/host");

  glt::dist::graph<gpu, glt::local_id> const graph_on_gpu(comm, std::move(part_on_gpu));
  glt::dist::feature_store const features_on_gpu(comm, graph_on_gpu.book(), std::move(values_on_gpu));
  glt::dist::loader on_gpu(comm, glt::dist::neighbor_batches(graph_on_gpu, features_on_gpu, neighbors), seeds, options,
                           policy);
  glt_bench::require(first_of(policy, on_gpu) == expected, "loader/device");
  report.add("loader/device", batches_per_second(policy, on_gpu), "batches/s", alone, "loader/host");
}

} // namespace

int main(int argc, char** argv) {
  return glt_bench::run(argc, argv, [](glt_bench::report& report) {
    glt::run_threads(1, [&](glt::threads_comm comm) { measure(report, std::move(comm)); });
  });
}

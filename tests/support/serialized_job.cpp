// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads batches in advance, by one thread and by two, where MPI lets one in at a time, while the consumer has collectives of
// its own; one rank then leaves an epoch early. Run it with one_thread preloaded, which ends it if two threads are within MPI at once.
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace {

using glt::device::cpu;

// What all ranks have seen of an epoch.
template <class Loader>
std::int64_t sum_of(Loader& loader, glt::mpi_comm& comm) {
  std::int64_t sum = 0;
  for (auto const& batch : loader.epoch(0)) {
    auto own = std::accumulate(batch.subgraph.nodes().begin(), batch.subgraph.nodes().end(), batch.step * 7);
    comm.all_reduce(std::span<std::int64_t>(&own, 1), glt::reduction::sum);
    sum += own * (batch.step + 1);
  }
  return sum;
}

void run(glt::mpi_comm comm) {
  if (!comm.allows_threads()) {
    throw glt::precondition_error("threads are not allowed");
  }
  auto const whole = glt::make_csr<cpu>(glt::make_rmat<glt::local_id>({.scale = 9, .edge_factor = 8}).view());
  auto const names = glt::make_relabelling(glt::random_partitioner{}(whole.view(), comm.size()).view(), comm.size());
  glt::dist::graph const graph(comm, glt::split_graph(whole.view(), names, comm.rank()));
  glt::buffer<cpu, float> values(graph.local().num_rows() * 4);
  std::fill(values.begin(), values.end(), 1.0F);
  glt::dist::feature_store const features(
      comm, graph.book(), glt::feature_store<cpu, float>(graph.local().num_rows(), 4, std::move(values)));
  std::vector<glt::global_id> seeds(static_cast<std::size_t>(graph.local().num_rows()));
  std::iota(seeds.begin(), seeds.end(), graph.book().begin(comm.rank()));
  glt::dist::neighbor_batches const recipe(graph, features, {.fanouts = {4, 3}});
  glt::dist::loader_options const options{.batch_size = 8, .shuffle = true};
  glt::dist::loader plain(comm, recipe, seeds, options);
  auto const expected = sum_of(plain, comm);
  auto in_advance = options;
  in_advance.prefetch = 3;
  for (std::int64_t const threads : {1, 2}) {
    in_advance.concurrency = threads;
    bool told = false;
    {
      glt::dist::loader loader(comm, recipe, seeds, in_advance);
      if (sum_of(loader, comm) != expected) {
        throw glt::error("other batches than without threads");
      }
      try {
        for (auto const& batch : loader.epoch(1)) {
          if (comm.rank() == 0 && batch.step == 2) {
            break; // and destroys the loader
          }
        }
      } catch (glt::collective_error const&) {
        told = true;
      }
    }
    glt::run_together(comm, [&] {
      if (!told && comm.rank() > 0) {
        throw glt::error("rank 0 has left unnoticed");
      }
    });
  }
  if (comm.rank() == 0) {
    std::cout << "the same batches, in turn\n";
  }
}

} // namespace

int main() {
  return glt::run_mpi_program(run, std::cerr, {.threads = glt::mpi_threads::serialized});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses what glt::instances compiles.
#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/instances/data_set.hpp>
#include <glt/instances/neighbor_loader.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>

#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

using glt::device::cpu;

void run(glt::mpi_comm comm) {
  auto const whole = glt::make_csr<cpu>(glt::make_rmat<glt::local_id>({.scale = 6}).view());
  auto const part_of = glt::contiguous_partitioner{}(whole.view(), comm.size());
  auto const names = glt::make_relabelling(part_of.view(), comm.size());
  glt::dist::data_set const data(comm, glt::dist::data_part<cpu>(glt::split_graph(whole.view(), names, comm.rank())));
  std::vector<glt::global_id> seeds(static_cast<std::size_t>(data.graph().local().num_rows()));
  std::iota(seeds.begin(), seeds.end(), data.book().begin(comm.rank()));
  glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, {.fanouts = {2}}), seeds, {.batch_size = 8});
  std::size_t seen = 0;
  for (auto const& batch : loader.epoch(0)) {
    seen += static_cast<std::size_t>(batch.num_seeds);
  }
  if (seen != seeds.size() || loader.num_steps() == 0) {
    throw glt::precondition_error("the loader did not hand over every seed");
  }
  bool refused = false;
  try {
    static_cast<void>(glt::io::open_data_set(comm, "no-such-folder"));
  } catch (glt::collective_error const&) {
    refused = true;
  }
  if (!refused) {
    throw glt::precondition_error("a folder that is not there was opened");
  }
}

int main() {
  glt::mpi_environment const mpi;
  auto comm = glt::mpi_comm::world();
  try {
    glt::run_collectively(comm, [&] { run(comm); });
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples and gathers over MPI ranks, each of which owns one part of the graph: mpirun -np 4 sample_mpi
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <iostream>
#include <numeric>
#include <vector>

using glt::device::cpu;

void run(glt::mpi_comm comm) {
  // Every rank makes the same graph and keeps its part; a real program opens a folder by io::open_data_set.
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 12, .edge_factor = 8});
  auto const whole = glt::make_csr<cpu>(edges.view());
  auto const part_of = glt::random_partitioner{.seed = 1}(whole.view(), comm.size());
  auto const names = glt::make_relabelling(part_of.view(), comm.size());
  auto part = glt::split_graph(whole.view(), names, comm.rank());

  auto const rows = part.original.size();
  glt::buffer<cpu, float> values(rows * 16);
  std::iota(values.begin(), values.end(), 0.0F);
  glt::feature_table<cpu> tensors(rows);
  tensors.add("x", glt::feature_store<cpu, float>(rows, 16, std::move(values)));
  std::vector<glt::global_id> seeds(static_cast<std::size_t>(rows));
  std::iota(seeds.begin(), seeds.end(), part.book.begin(comm.rank()));
  glt::dist::data_set const data(comm, glt::dist::data_part(std::move(part), {.tensors = std::move(tensors)}));
  glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, {.fanouts = {15, 10}}), seeds,
                           {.batch_size = 256, .shuffle = true});
  for (auto const& batch : loader.epoch(0)) {
    std::cout << "rank " << comm.rank() << " step " << batch.step << ": " << batch.num_seeds << " seeds, "
              << batch.subgraph.row().size() << " edges, " << batch.features().rows() << " feature rows\n";
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}

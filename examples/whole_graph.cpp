// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains a network on a whole graph, of which every rank owns a part that glt-partition made, and writes the class that
// it predicts for every vertex: mpirun -np 2 whole_graph PARTS [CLASSES.npy]
#include <glt/glt.hpp>
#include <glt/io/original_ids.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <torch/nn/modules/container/modulelist.h>
#include <torch/optim/adam.h>

#include <array>
#include <iostream>

void run(glt::mpi_comm comm, char const* folder, char const* file) {
  glt::set_torch_threads(1); // ranks are the parallelism
  auto const data = glt::io::open_data_set(comm, folder);
  glt::dist::sharded_graph<glt::mpi_comm, glt::device::cpu> graph(comm, data);
  auto const x = glt::to_tensor(data.features().local().features);
  auto const labels = glt::to_tensor(data.features().local().labels);
  auto const rows_of = [&](glt::host_view<glt::global_id const> seeds) {
    return glt::to_tensor(seeds) - data.book().begin(comm.rank());
  };
  auto const train = rows_of(data.split("train")), test = rows_of(data.split("test"));

  glt::gcn_conv first({.in = x.size(1), .out = 64}), second({.in = 64, .out = data.num_classes()});
  torch::nn::ModuleList network(first, second);
  auto const forward = [&] { return second(first(x, graph).relu(), graph); }; // or over the blocks of a batch
  glt::sync_params(comm, *network);
  torch::optim::Adam adam(network->parameters(), torch::optim::AdamOptions(0.01).weight_decay(0.001));
  for (int epoch = 0; epoch < 60; ++epoch) {
    adam.zero_grad();
    at::cross_entropy_loss(forward().index_select(0, train), labels.index_select(0, train), {}, at::Reduction::Sum)
        .backward();
    glt::sum_grads(comm, *network); // ranks have terms of one sum
    adam.step();
  }
  auto const predicted = forward().argmax(1);
  auto const right = predicted.eq(labels).index_select(0, test).sum();
  std::array counts{right.item<double>(), static_cast<double>(test.size(0))};
  glt::reduce_over_ranks(comm, counts, glt::reduction::sum);
  if (comm.rank() == 0) {
    std::cout << "test accuracy " << counts[0] / counts[1] << '\n';
  }
  if (file != nullptr) { // row i is of vertex i of the files that glt-partition read
    glt::host_view const rows(predicted.data_ptr<std::int64_t>(), predicted.size(0));
    glt::io::write_by_original_id(comm, data, file, rows);
  }
}

int main(int argc, char** argv) {
  auto const train = [&](glt::mpi_comm comm) { run(comm, argc > 1 ? argv[1] : ".", argc > 2 ? argv[2] : nullptr); };
  return glt::run_mpi_program(train, std::cerr);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains on a graph whose edges and rows lie on the ranks of a program in any order: mpirun -np 4 in_memory
#include <glt/glt.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/layers.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <iostream>

void run(glt::mpi_comm comm) {
  // Vertex v of 4000 has class v % 2 and, in this program, the id 1000 v. Most edges join vertices of one class.
  glt::random_stream draws(glt::random_key(1), static_cast<std::uint64_t>(comm.rank()));
  auto const below = [&](std::uint64_t bound) { return static_cast<std::int64_t>(draws.below(bound)); };
  std::vector<std::int64_t> from, to, ids, labels; // this rank's edges, and rows of some vertices
  std::vector<float> x;                            // too noisy to tell the class
  for (auto e = 40000 / comm.size(); e > 0; --e) {
    from.push_back(1000 * below(4000));
    to.push_back(1000 * (2 * below(2000) + (below(10) < 9 ? from.back() / 1000 % 2 : below(2))));
  }
  for (std::int64_t v = comm.rank(); v < 4000; v += comm.size()) {
    ids.push_back(1000 * v);
    labels.push_back(v % 2);
    x.push_back(static_cast<float>(3 * draws.next_unit() + static_cast<double>(v % 2)));
  }
  auto const data = glt::dist::make_data_set(comm,
                                             {.edges = {.sources = from, .destinations = to},
                                              .rows = {.vertices = ids, .tensors = {{"x", x}, {"y", labels}}},
                                              .splits = {{"train", ids}}},
                                             glt::ldg_partitioner{.order = glt::stream_order::natural});
  glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, {.fanouts = {10}}), data.split("train"),
                           {.batch_size = 50});
  glt::set_torch_threads(1); // ranks are the parallelism
  torch::manual_seed(1);     // so that every run begins alike, and the layer on every rank
  glt::sage_conv layer({.in = 1, .out = data.num_classes()});
  torch::optim::Adam adam(layer->parameters(), 0.1);
  double right = 0; // labels of this rank, in five epochs
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (auto const& batch : loader.epoch(epoch)) {
      adam.zero_grad();
      if (batch.num_seeds > 0) { // else this rank has run out of seeds before the others
        auto const scores = layer(glt::to_tensor(batch.features()), batch.block(0));
        torch::nn::functional::cross_entropy(scores, glt::to_tensor(batch.labels())).backward();
        right += scores.argmax(1).eq(glt::to_tensor(batch.labels())).sum().item<double>();
      }
      glt::gather_grads(comm, *layer, batch.num_seeds);
      adam.step();
    }
  }
  if (glt::reduce_over_ranks(comm, right, glt::reduction::sum) < 0.8 * 5 * 4000) {
    throw glt::precondition_error("the layer has learnt too little");
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}

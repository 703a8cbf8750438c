// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains a graph network on a whole graph over MPI ranks, each of which owns one part: mpirun -np 4 whole_graph
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/gcn_conv.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/optim/adam.h>

#include <iostream>

using glt::device::cpu;

struct network : torch::nn::Module {
  glt::gcn_conv first = register_module("first", glt::gcn_conv({.in = 16, .out = 32}));
  glt::gcn_conv second = register_module("second", glt::gcn_conv({.in = 32, .out = 4}));
  template <class Graph> // the whole graph here; blocks of a batch could be another
  at::Tensor forward(at::Tensor const& x, Graph& graph) { return second(first(x, graph).relu(), graph); }
};

void run(glt::mpi_comm comm) {
  // Every rank makes the same graph and keeps its part; a real program reads its part from disk.
  auto const planted = glt::make_planted_communities<>({.num_vertices = 2000, .num_communities = 4});
  auto const whole = glt::make_csr<cpu>(planted.graph.view());
  auto const names = glt::make_relabelling(glt::random_partitioner{}(whole.view(), comm.size()).view(), comm.size());
  glt::dist::graph const graph(comm, glt::split_graph(whole.view(), names, comm.rank()));
  glt::dist::sharded_graph<glt::mpi_comm, cpu> sharded(comm, graph);

  auto const own = glt::to_tensor(graph.original());
  auto const classes = glt::to_tensor(planted.community.view()).to(at::kLong).index_select(0, own);
  auto const x = at::randn({own.size(0), 16}) + at::one_hot(classes, 16); // too noisy to tell the class alone
  auto const learnt = own.remainder(10).eq(0).nonzero().squeeze(1);
  network net;
  glt::sync_params(comm, net);
  torch::optim::Adam adam(net.parameters(), 0.01);
  for (int epoch = 0; epoch < 60; ++epoch) {
    adam.zero_grad();
    auto const scores = net.forward(x, sharded).log_softmax(1).index_select(0, learnt);
    auto const loss = -scores.gather(1, classes.index_select(0, learnt).unsqueeze(1)).sum() / 200;
    loss.backward();
    glt::sum_grads(comm, net); // ranks have terms of one sum
    adam.step();
  }
  auto const right = net.forward(x, sharded).argmax(1).eq(classes).to(at::kDouble).mean().item<double>();
  auto const& cost = sharded.report();
  std::cout << "rank " << comm.rank() << ": " << right << " right, sent " << cost.bytes << " bytes in " << cost.messages
            << " messages, rows of others took " << cost.peak_remote_bytes << " bytes at most\n";
  if (right < 0.9) {
    throw glt::precondition_error("the network has learnt too little");
  }
}

int main() { return glt::run_mpi_program(run, std::cerr); }

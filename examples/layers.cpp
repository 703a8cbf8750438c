// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Applies a network to the whole graph and to batches of whole neighbourhoods; both are equal: mpirun -np 2 layers
#include <glt/dlpack/import.hpp>
#include <glt/glt.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace dist = glt::dist;
using glt::device::cpu;

// A layer of the program: maps the sum of a vertex and of the mean of its in-neighbours.
struct smooth_conv : torch::nn::Module {
  smooth_conv(std::int64_t in, std::int64_t out) : map(register_module("map", torch::nn::Linear(in, out))) {}

  at::Tensor forward(at::Tensor const& x, glt::message_graph auto& graph) {
    auto const mean = glt::aggregate_neighbors(x, graph, dist::aggregator::mean);
    return map(x.narrow(0, 0, mean.size(0)) + mean); // destinations are the first of the sources
  }

  torch::nn::Linear map;
};

struct network : torch::nn::Module {
  at::Tensor forward(at::Tensor const& x, auto&& outer, auto&& inner, glt::attention_draws const& draws) {
    return second(first->forward(x, outer).relu(), inner, draws);
  }

  std::shared_ptr<smooth_conv> first = register_module("first", std::make_shared<smooth_conv>(8, 16));
  glt::gat_conv second = register_module("second", glt::gat_conv({.in = 16, .out = 4, .heads = 2, .dropout = 0.3}));
};

void run(glt::mpi_comm comm) {
  glt::set_torch_threads(1); // ranks are the parallelism
  at::manual_seed(1);        // every rank makes the same parameters, graph and rows, and keeps its part
  network net;               // in training: attention drops coefficients
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 10, .edge_factor = 8});
  auto const all = glt::make_csr<cpu>(edges.view(), {.edge_ids = true});
  auto const names = glt::make_relabelling(glt::ldg_partitioner{}(all.view(), comm.size()).view(), comm.size());
  auto part = glt::split_graph(all.view(), names, comm.rank());
  auto const x = at::rand({all.view().num_rows(), 8}).index_select(0, glt::to_tensor(part.original.view()));
  glt::feature_table<cpu> tensors(x.size(0));
  tensors.add("x", glt::from_dlpack<glt::feature_store<cpu, float>>(glt::to_dlpack(x)));
  dist::data_set const data(comm, dist::data_part<cpu>(std::move(part), {.tensors = std::move(tensors)}));
  auto const vertices = data.vertices(); // of the part

  torch::NoGradGuard const no_gradients;
  glt::random_key const key(1); // in a training: glt::random_key(seed).fold(epoch).fold(step).fold(layer)
  dist::sharded_graph<glt::mpi_comm, cpu> graph(comm, data);
  auto const of_whole = net.forward(x, graph, graph,
                                    {.key = key,
                                     .edge_ids = glt::to_tensor(data.graph().local().edge_ids()),
                                     .vertex_ids = glt::to_tensor(glt::host_view<glt::global_id const>(vertices))});

  dist::loader loader(comm, dist::neighbor_batches(data, {.fanouts = {-1, -1}, .edge_ids = true}), vertices,
                      {.batch_size = 100});
  double largest = 0;
  for (auto const& batch : loader.epoch(0)) {
    if (batch.num_seeds > 0) { // a block has the ids of its edges
      auto const of_batch = net.forward(glt::to_tensor(batch.features()), batch.block(0), batch.block(1),
                                        {.key = key, .vertex_ids = glt::to_tensor(batch.subgraph.nodes())});
      auto const rows = of_whole.index_select(0, glt::to_tensor(glt::host_view<std::int64_t const>(batch.positions)));
      largest = std::max(largest, (of_batch - rows).abs().max().item<double>());
    }
  }
  std::cout << "rank " << comm.rank() << ": " << x.size(0) << " vertices, largest difference " << largest << '\n';
  if (!(largest < 1e-5)) {
    throw glt::precondition_error("batches and the whole graph differ");
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}

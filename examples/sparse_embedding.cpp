// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains a row for every vertex of a graph without features, by predicting its edges: mpirun -np 2 sparse_embedding
#include <glt/glt.hpp>
#include <glt/io/checkpoint.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/embedding.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/threads.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace dist = glt::dist;

struct network : torch::nn::Module {
  glt::sage_conv layer = register_module("layer", glt::sage_conv({.in = 16, .out = 16}));

  template <class Batch>
  at::Tensor scores(at::Tensor const& rows, Batch const& batch) { // logits of its pairs
    auto const h = layer(rows, batch.sample.subgraph().block(0));
    return glt::dot_product(h, glt::to_tensor(batch.sample.edge_label_index()));
  }
};

// The share of (edge, other pair) where the edge has the higher score, over all ranks.
template <class Loader>
double area_under_curve(glt::mpi_comm& comm, Loader& loader, network& net) {
  at::NoGradGuard const guard;
  std::vector<double> wins{0, 0}; // and pairs of both
  for (auto const& batch : loader.epoch(0)) {
    at::Tensor const scores = net.scores(glt::to_tensor(batch.features()), batch);
    std::int64_t const edges = batch.sample.num_positives();
    auto const others = scores.narrow(0, edges, scores.size(0) - edges);
    wins[0] += (scores.narrow(0, 0, edges).unsqueeze(1) > others).sum().item<double>();
    wins[1] += static_cast<double>(edges * others.size(0));
  }
  glt::reduce_over_ranks(comm, wins, glt::reduction::sum);
  return wins[0] / wins[1];
}

double run(glt::mpi_comm comm) {
  glt::set_torch_threads(1);
  at::manual_seed(1);
  // Every rank makes the same graph and keeps its part; a real program reads its part from disk.
  auto const all = glt::make_planted_communities({.num_vertices = 1000, .num_communities = 20, .in_degree = 12});
  auto const whole = glt::make_csr<glt::device::cpu>(all.graph.view());
  auto const names = glt::make_relabelling(glt::random_partitioner{}(whole.view(), comm.size()).view(), comm.size());
  dist::graph const graph(comm, glt::split_graph(whole.view(), names, comm.rank()));

  // This rank's edges: one of ten is kept back to be predicted.
  dist::edge_seeds<> training, held_back;
  for (std::int64_t row = 0; row < graph.local().num_rows(); ++row) {
    for (auto e = graph.local().offset(row); e < graph.local().offset(row + 1); ++e) {
      auto& edges = graph.local().id_of_edge(e) % 10 == 0 ? held_back : training;
      edges.sources.push_back(graph.local().source(e));
      edges.destinations.push_back(graph.book().begin(comm.rank()) + row);
    }
  }

  dist::embedding_options const options{.columns = 16,
                                        .optimizer = dist::embedding_options::adam{.learning_rate = 0.02}};
  dist::sparse_embedding table(comm, graph.book(), graph.original(), options);
  // Edges to be predicted are not sampled.
  glt::link_options const links{.neighbors = {.fanouts = {10}}, .exclude = glt::seed_exclusion::edges};
  dist::loader loader(comm, dist::link_batches(graph, table.store(), links), training,
                      {.batch_size = 256, .shuffle = true});

  network net; // the same on all ranks
  glt::sync_params(comm, net);
  torch::optim::Adam optimizer(net.parameters(), 0.005);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    for (auto const& batch : loader.epoch(epoch)) {
      optimizer.zero_grad();
      auto const rows = glt::to_tensor(batch.features()).requires_grad_(); // fetched with the batch
      if (batch.num_seeds > 0) {
        auto const labels = glt::to_tensor(batch.sample.edge_label()).to(at::kFloat);
        torch::nn::functional::binary_cross_entropy_with_logits(net.scores(rows, batch), labels).backward();
      }
      glt::apply_gradients(table, batch.sample.subgraph().nodes(), rows.grad(), batch.num_seeds);
      glt::gather_grads(comm, net, batch.num_seeds);
      optimizer.step();
    }
  }

  // A file of every rank; the partition is the same where it is restored.
  auto const file = std::filesystem::temp_directory_path() /
                    ("table." + std::to_string(comm.rank()) + "." + std::to_string(comm.size()));
  glt::io::save_checkpoint(file, table);
  dist::sparse_embedding restored(comm, graph.book(), graph.original(), options);
  glt::io::load_checkpoint(file, restored);
  std::filesystem::remove(file);
  dist::loader evaluation(comm, dist::link_batches(graph, restored.store(), links), held_back, {.batch_size = 256});
  return area_under_curve(comm, evaluation, net);
}

int main() {
  auto const train = [](glt::mpi_comm comm) {
    auto const area = run(comm);
    if (comm.rank() == 0) {
      std::cout << "area under the curve " << area << '\n';
    }
    if (area <= 0.8) {
      throw glt::precondition_error("the network has learnt too little");
    }
  };
  return glt::run_mpi_program(train, std::cerr);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains a row for every vertex of a graph without features, so that edges can be told from other pairs; every rank owns
// the rows of its vertices and what the optimiser keeps for them: mpirun -np 2 sparse_embedding
#include <glt/glt.hpp>
#include <glt/io/embedding_checkpoint.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/link_decoders.hpp>
#include <glt/torch/sage_conv.hpp>
#include <glt/torch/sparse_embedding.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>

#include <array>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

using glt::device::cpu;

struct network : torch::nn::Module {
  glt::sage_conv layer = register_module("layer", glt::sage_conv({.in = 16, .out = 16}));

  // A logit for every pair of the batch; rows are those of the vertices of its subgraph.
  template <class Batch>
  at::Tensor scores(at::Tensor const& rows, Batch const& batch) {
    auto const h = layer(rows, batch.sample.subgraph().block(0));
    return glt::dot_product(h, glt::to_tensor(batch.sample.edge_label_index()));
  }
};

// The share of (edge, other pair) where the edge has the higher score, over all ranks.
template <class Loader>
double area_under_curve(glt::mpi_comm& comm, Loader& loader, network& net) {
  at::NoGradGuard const guard;
  std::array<double, 2> wins{};
  for (auto const& batch : loader.epoch(0)) {
    auto const positives = batch.sample.num_positives();
    auto const scores = net.scores(glt::to_tensor(batch.features()), batch);
    auto const of_edges = scores.narrow(0, 0, positives).unsqueeze(1);
    auto const of_others = scores.narrow(0, positives, scores.size(0) - positives);
    wins[0] += (of_edges > of_others).sum().item<double>();
    wins[1] += static_cast<double>(positives * of_others.size(0));
  }
  comm.all_reduce(std::span(wins), glt::reduction::sum);
  return wins[0] / wins[1];
}

double run(glt::mpi_comm comm) {
  at::set_num_threads(1);
  at::manual_seed(1);
  // Every rank makes the same graph and keeps its part; a real program reads its part from disk.
  auto const born =
      glt::make_planted_communities({.num_vertices = 1000, .num_communities = 20, .in_degree = 12});
  auto const whole = glt::make_csr<cpu>(born.graph.view());
  auto const names =
      glt::make_relabelling(glt::random_partitioner{}(whole.view(), comm.size()).view(), comm.size());
  glt::dist::graph const graph(comm, glt::split_graph(whole.view(), names, comm.rank()));

  // This rank's edges: one of ten is kept back to be predicted.
  glt::dist::edge_seeds<> training;
  glt::dist::edge_seeds<> held_back;
  for (std::int64_t row = 0; row < graph.local().num_rows(); ++row) {
    for (auto e = graph.local().offset(row); e < graph.local().offset(row + 1); ++e) {
      auto& edges = graph.local().id_of_edge(e) % 10 == 0 ? held_back : training;
      edges.sources.push_back(graph.local().source(e));
      edges.destinations.push_back(graph.book().begin(comm.rank()) + row);
    }
  }

  glt::dist::embedding_options const options{.columns = 16,
                                             .optimizer = glt::dist::sparse_adam{.learning_rate = 0.02}};
  glt::dist::sparse_embedding table(comm, graph.book(), graph.original(), options);
  auto const batches_with = [&](auto const& rows) { // edges to be predicted are not sampled
    return glt::dist::link_batches(graph, rows.store(),
                                   {.neighbors = {.fanouts = {10}}, .exclude = glt::seed_exclusion::edges});
  };
  glt::dist::loader loader(comm, batches_with(table), training, {.batch_size = 256, .shuffle = true});

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
                    ("table_" + std::to_string(comm.rank()) + "_of_" + std::to_string(comm.size()));
  glt::io::save_embedding(file, table);
  glt::dist::sparse_embedding restored(comm, graph.book(), graph.original(), options);
  glt::io::load_embedding(file, restored);
  std::filesystem::remove(file);
  glt::dist::loader evaluation(comm, batches_with(restored), held_back, {.batch_size = 256});
  return area_under_curve(comm, evaluation, net);
}

int main() {
  glt::mpi_environment const mpi;
  auto comm = glt::mpi_comm::world();
  try {
    auto const area = glt::run_collectively(comm, [&] { return run(comm); });
    if (comm.rank() == 0) {
      std::cout << "area under the curve " << area << '\n';
    }
    return area > 0.85 ? 0 : 1;
  } catch (std::exception const& error) { // the same one on all ranks
    std::cerr << error.what() << '\n';
    return 1;
  }
}

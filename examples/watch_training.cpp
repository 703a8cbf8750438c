// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows how far a training is, where its time went, and how well it does: mpirun -np 2 watch_training
#include <glt/glt.hpp>
#include <glt/mpi/program.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <iostream>

namespace dist = glt::dist;

struct scored_seed {
  float score;
  int label; // 0 or 1
};

// The probability that a seed of class 1 has a higher score than one of class 0, over the seeds of all ranks.
double area_under_curve(glt::mpi_comm& comm, std::vector<scored_seed> const& own) {
  std::vector<scored_seed> all;
  for (auto const& of_rank : glt::gather_over_ranks(comm, own)) {
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  }
  std::ranges::sort(all, {}, &scored_seed::score);
  double ordered = 0, zeros = 0, ones = 0;
  for (auto at = all.begin(); at != all.end();) {
    std::array<double, 2> equal{}; // seeds of this score, by class
    for (auto const score = at->score; at != all.end() && at->score == score; ++at) {
      ++equal.at(static_cast<std::size_t>(at->label));
    }
    ordered += equal[1] * (zeros + equal[0] / 2); // a tie counts half
    zeros += equal[0];
    ones += equal[1];
  }
  return ordered / (zeros * ones);
}

void run(glt::mpi_comm plain) {
  glt::set_torch_threads(1);
  torch::manual_seed(1);
  glt::counting_comm comm(plain); // so that reports tell what was sent
  auto const planted = glt::make_planted_communities<>({.num_vertices = 4000, .num_communities = 2});
  auto const edges = planted.graph.view();
  std::vector<std::int64_t> from, to, ids, labels; // this rank's edges, and rows of some vertices
  std::vector<float> x;                            // too noisy to tell the class
  for (std::int64_t e = comm.rank(); e < edges.num_edges(); e += comm.size()) {
    from.push_back(edges.sources()[e]);
    to.push_back(edges.destinations()[e]);
  }
  for (std::int64_t v = comm.rank(); v < 4000; v += comm.size()) {
    glt::random_stream noise(glt::random_key(1), static_cast<std::uint64_t>(v));
    ids.push_back(v);
    labels.push_back(planted.community[v]);
    x.push_back(static_cast<float>(3 * noise.next_unit()) + static_cast<float>(labels.back()));
  }
  auto const data = dist::make_data_set(comm,
                                        {.edges = {.sources = from, .destinations = to},
                                         .rows = {.vertices = ids, .tensors = {{"x", x}, {"y", labels}}},
                                         .splits = {{"train", ids}}},
                                        glt::hash_partitioner{}, {.reading = dist::reading::by_messages});
  dist::loader loader(comm, dist::neighbor_batches(data, {.fanouts = {10}}), data.split("train"),
                      {.batch_size = 50, .prefetch = 2});
  glt::sage_conv layer({.in = 1, .out = 2});
  torch::optim::Adam adam(layer->parameters(), 0.1);
  for (int epoch = 0; epoch < 5; ++epoch) {
    auto const before = loader.report();
    std::vector<scored_seed> scores; // of this rank
    for (auto const& batch : dist::progress(loader.epoch(epoch), "epoch " + std::to_string(epoch))) {
      adam.zero_grad();
      if (batch.num_seeds > 0) {
        auto const out = layer(glt::to_tensor(batch.features()), batch.block(0));
        torch::nn::functional::cross_entropy(out, glt::to_tensor(batch.labels())).backward();
        auto const margin = (out.select(1, 1) - out.select(1, 0)).detach();
        for (std::int64_t i = 0; i < margin.size(0); ++i) {
          scores.push_back({margin[i].item<float>(), static_cast<int>(batch.labels()[i])});
        }
      }
      glt::gather_grads(comm, *layer, batch.num_seeds);
      adam.step();
    }
    auto const auc = area_under_curve(plain, scores);
    dist::loader_report sum;
    double longest = 0; // that a rank waited
    for (auto const& of_rank : glt::gather_over_ranks(comm, loader.report() - before)) {
      sum += of_rank;
      longest = std::max(longest, of_rank.seconds.waiting);
    }
    if (comm.rank() == 0) {
      std::cout << "epoch " << epoch << ": AUC " << auc << ", longest wait " << longest << " s\n"
                << to_string(sum) << std::endl;
    }
    if (epoch == 4 && auc < 0.8) {
      throw glt::precondition_error("the layer has learnt too little");
    }
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr, {.threads = glt::mpi_threads::multiple});
}

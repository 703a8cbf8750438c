// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training on P ranks is training on one: with frontier::all, the batches of a step are together the joined
// batch.
#include <glt/torch/collectives.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/tensor.hpp>

#include <glt/comm/threads.hpp>
#include <glt/core/random.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loader.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include <ATen/Parallel.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/sgd.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using glt::device::cpu;

constexpr std::int64_t num_vertices = 331;
constexpr std::int64_t num_communities = 5;
constexpr std::int64_t num_columns = 8;
constexpr std::int64_t num_steps = 20;
constexpr std::uint64_t sampling_seed = 17;

struct network : torch::nn::Module {
  glt::sage_conv first{nullptr};
  glt::sage_conv second{nullptr};
  network() {
    first = register_module("first", glt::sage_conv({.in = num_columns, .out = 16}));
    second = register_module("second", glt::sage_conv({.in = 16, .out = num_communities}));
  }
  template <class Subgraph>
  at::Tensor forward(at::Tensor const& x, Subgraph const& subgraph) {
    return second(first(x, subgraph.block(0)).relu(), subgraph.block(1));
  }
  [[nodiscard]] std::vector<at::Tensor> copy_of_parameters() const {
    std::vector<at::Tensor> copies;
    for (auto const& parameter : parameters()) {
      copies.push_back(parameter.detach().clone());
    }
    return copies;
  }
  void set_parameters(std::vector<at::Tensor> const& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      parameters()[i].detach().copy_(values[i]);
    }
  }
};

torch::optim::SGD make_optimizer(network& net) {
  return torch::optim::SGD(net.parameters(), torch::optim::SGDOptions(0.3).momentum(0.9));
}

/// Vertices, edges, noisy features and labels of a task that can be learnt; ids are original ones.
struct task {
  glt::csr_graph<cpu> graph;
  glt::buffer<cpu, float> features{num_vertices * num_columns};
  glt::buffer<cpu, glt::detail::label_type> labels{num_vertices};

  task() {
    auto const planted = glt::make_planted_communities<>(
        {.num_vertices = num_vertices, .num_communities = num_communities, .in_degree = 6, .out_degree = 2, .seed = 3});
    graph = glt::make_csr<cpu>(planted.graph.view());
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      labels[v] = planted.community[v];
      glt::random_stream noise(glt::random_key(5), static_cast<std::uint64_t>(v));
      for (std::int64_t f = 0; f < num_columns; ++f) {
        features[v * num_columns + f] = static_cast<float>(2 * noise.next_unit() - 1) + (f == labels[v] ? 0.7F : 0.0F);
      }
    }
  }
};

/// What a training run leaves behind.
struct outcome {
  std::vector<double> losses; ///< [steps], mean over all seeds of the step
  std::vector<at::Tensor> parameters;
};

/// Seeds in original ids, by step and rank.
using seed_lists = std::vector<std::vector<std::vector<glt::local_id>>>;

/// Trains on the ranks of `comm` and writes this rank's share of the losses and its seeds.
template <class Comm>
void train_on_rank(Comm comm, task const& data, glt::relabelling const& labels, std::vector<at::Tensor> const& initial,
                   outcome& out, seed_lists& seeds_of) {
  auto const rank = comm.rank();
  glt::dist::graph const graph(comm, glt::split_graph(data.graph.view(), labels, rank));
  glt::dist::feature_store const features(
      comm, labels.book,
      glt::feature_store<cpu, float>(
          labels.book.size(rank), num_columns,
          glt::split_rows(glt::host_matrix<float const>(data.features.data(), num_vertices, num_columns), labels, rank),
          glt::split_rows(data.labels.view(), labels, rank)));
  // the last rank has few seeds, so that it runs out of them in every epoch
  std::vector<glt::global_id> seeds;
  for (auto v = labels.book.begin(rank); v < labels.book.end(rank) && (rank + 1 < comm.size() || seeds.size() < 13);
       ++v) {
    seeds.push_back(v);
  }
  glt::dist::loader loader(
      comm, glt::dist::neighbor_batches(graph, features, {.fanouts = {4, 3}, .expand = glt::frontier::all}),
      glt::host_view<glt::global_id const>(seeds), {.batch_size = 9, .shuffle = true, .seed = sampling_seed});

  network net;
  if (rank == 0) {
    net.set_parameters(initial);
  }
  glt::sync_params(comm, net);
  auto optimizer = make_optimizer(net);
  std::int64_t step = 0;
  for (std::int64_t epoch = 0; step < num_steps; ++epoch) {
    for (auto const& batch : loader.epoch(epoch)) {
      auto& mine = seeds_of[static_cast<std::size_t>(step)][static_cast<std::size_t>(rank)];
      for (auto const vertex : batch.subgraph.nodes().subview(0, batch.num_seeds)) {
        mine.push_back(static_cast<glt::local_id>(labels.original[vertex]));
      }
      optimizer.zero_grad();
      if (batch.num_seeds > 0) {
        auto const y = net.forward(glt::to_tensor(batch.features()), batch.subgraph);
        at::Tensor const loss = torch::nn::functional::cross_entropy(y, glt::to_tensor(batch.labels()));
        loss.backward();
        out.losses[static_cast<std::size_t>(step)] = loss.item<double>() * static_cast<double>(batch.num_seeds);
      }
      glt::gather_grads(comm, net, batch.num_seeds);
      optimizer.step();
      if (++step == num_steps) {
        break;
      }
    }
  }
  out.parameters = net.copy_of_parameters();
}

/// Trains on one process with the joined batches of all ranks.
outcome train_joined(task const& data, std::vector<at::Tensor> const& initial, seed_lists const& seeds_of,
                     std::int64_t steps_per_epoch) {
  outcome out{std::vector<double>(num_steps), {}};
  glt::neighbor_sampler<cpu, glt::local_id> sampler(data.graph.view(),
                                                    {.fanouts = {4, 3}, .expand = glt::frontier::all});
  glt::sampled_subgraph<cpu> batch;
  auto const all_features =
      glt::to_tensor(glt::host_matrix<float const>(data.features.data(), num_vertices, num_columns));
  auto const all_labels = glt::to_tensor(data.labels.view());
  network net;
  net.set_parameters(initial);
  auto optimizer = make_optimizer(net);
  for (std::int64_t step = 0; step < num_steps; ++step) {
    std::vector<glt::local_id> joined;
    for (auto const& seeds : seeds_of[static_cast<std::size_t>(step)]) {
      joined.insert(joined.end(), seeds.begin(), seeds.end());
    }
    sampler.sample(glt::host_view<glt::local_id const>(joined),
                   {.seed = sampling_seed, .epoch = step / steps_per_epoch, .step = step % steps_per_epoch}, batch);
    auto const seeds = glt::to_tensor(glt::host_view<glt::local_id const>(joined));
    optimizer.zero_grad();
    auto const y = net.forward(all_features.index_select(0, glt::to_tensor(batch.nodes())), batch);
    auto const loss = torch::nn::functional::cross_entropy(y, all_labels.index_select(0, seeds));
    loss.backward();
    optimizer.step();
    out.losses[static_cast<std::size_t>(step)] = loss.item<double>();
  }
  out.parameters = net.copy_of_parameters();
  return out;
}

} // namespace

TEST_CASE("training on P ranks equals training on one with the joined batches") {
  at::set_num_threads(1);
  task const data;
  at::manual_seed(2);
  auto const initial = network().copy_of_parameters();
  for (int const ranks : {1, 2, 3}) {
    CAPTURE(ranks);
    auto const labels =
        glt::make_relabelling(glt::random_partitioner{.seed = 4}(data.graph.view(), ranks).view(), ranks);
    auto const per_rank = static_cast<std::size_t>(ranks);
    std::vector<outcome> of_rank(per_rank, outcome{std::vector<double>(num_steps), {}});
    seed_lists seeds_of(num_steps, std::vector<std::vector<glt::local_id>>(per_rank));
    glt::run_threads(ranks, [&](auto comm) {
      at::set_num_threads(1);
      train_on_rank(comm, data, labels, initial, of_rank[static_cast<std::size_t>(comm.rank())], seeds_of);
    });
    auto const largest_list = ranks == 1 ? std::int64_t{13} : labels.book.size(0);
    auto const joined = train_joined(data, initial, seeds_of, (largest_list + 8) / 9);

    std::int64_t idle_batches = 0;
    for (std::size_t step = 0; step < num_steps; ++step) {
      double sum = 0;
      std::size_t num_seeds = 0;
      for (std::size_t rank = 0; rank < per_rank; ++rank) {
        sum += of_rank[rank].losses[step];
        num_seeds += seeds_of[step][rank].size();
        idle_batches += seeds_of[step][rank].empty() ? 1 : 0;
      }
      CAPTURE(step);
      CHECK(sum / static_cast<double>(num_seeds) == doctest::Approx(joined.losses[step]).epsilon(1e-4));
    }
    CHECK((ranks == 1 || idle_batches > 0));
    CHECK(joined.losses.back() < 0.7 * joined.losses.front());
    for (std::size_t i = 0; i < initial.size(); ++i) {
      CHECK((joined.parameters[i] - initial[i]).abs().max().item<double>() > 1e-2);
      for (auto const& rank : of_rank) {
        CHECK((rank.parameters[i] - joined.parameters[i]).abs().max().item<double>() < 1e-4);
        CHECK(at::equal(rank.parameters[i], of_rank[0].parameters[i]));
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "epoch_log.hpp"
#include "epoch_report.hpp"
#include "graph_network.hpp"
#include "train_options.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/counting.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/progress.hpp>
#include <glt/torch/checkpoint.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

namespace example {

/// Seeds of this rank.
struct splits {
  std::vector<glt::global_id> train;
  std::vector<glt::global_id> valid;
  std::vector<glt::global_id> test;
};

/// What a network is made for.
struct problem {
  std::int64_t num_columns = 0;
  std::int64_t num_classes = 0;
};

/// What a network learns from. The one without edges shows what the graph is worth: its epochs are one line, and it is
/// neither saved nor loaded.
enum class learns_from { graph, features_only };

inline constexpr std::array<char const*, 2> names_of_inputs{"graph", "features only"};

[[nodiscard]] inline char const* name_of(learns_from input) {
  return names_of_inputs[static_cast<std::size_t>(input)];
}

/// Trains one network on the batches of loaders, wherever they are made, and keeps the parameters of the epoch with the
/// best validation accuracy.
template <glt::communicator Comm, class Loader>
class trainer {
public:
  /// `make_loader(seeds, shuffle)` makes a loader.
  template <class MakeLoader>
  trainer(glt::counting_comm<Comm> comm, splits const& seeds, MakeLoader make_loader, problem what,
          train_options const& options, learns_from input, epoch_log& log)
      : comm_(std::move(comm)), options_(options), input_(input), log_(log), train_(make_loader(seeds.train, true)),
        valid_(make_loader(seeds.valid, false)), test_(make_loader(seeds.test, false)),
        network_({.kind = layer_kind::sage,
                  .layers = std::ssize(options.fanout),
                  .in = what.num_columns,
                  .hidden = options.hidden,
                  .out = what.num_classes,
                  .dropout = options.dropout,
                  .input_dropout = options.input_dropout}),
        adam_(network_.parameters(), torch::optim::AdamOptions(options.lr).weight_decay(options.weight_decay)) {
    glt::sync_params(comm_, network_);
    if (is_main() && !options.load.empty()) {
      glt::load_model(comm_, options.load, network_);
    }
    auto const own = static_cast<std::uint64_t>(comm_.rank()) + 1;
    torch::manual_seed(options.seed + own); // every rank drops other elements
  }

  /// The accuracy on the test vertices of all ranks.
  double run() {
    double best = -1;
    double seconds = 0;
    epoch_report total;
    std::vector<at::Tensor> parameters = network_.copy_parameters();
    for (std::int64_t epoch = 1; epoch <= options_.epochs; ++epoch) {
      auto report = train(epoch);
      count_right(*valid_, report);
      total = sum_over_ranks(comm_, report);
      seconds += total.seconds() / comm_.size();
      tell(epoch, total);
      if (total.accuracy() > best) {
        best = total.accuracy();
        parameters = network_.copy_parameters();
        if (is_main() && !options_.save.empty()) {
          glt::save_model(comm_, options_.save, network_);
        }
      }
    }
    if (comm_.rank() == 0 && !is_main()) {
      std::printf("features only: %lld epochs in %.2f s, loss %.6f, best validation accuracy %.4f\n",
                  static_cast<long long>(options_.epochs), seconds, total.mean_loss(), best);
    }
    if constexpr (requires { train_->report(); }) {
      if (options_.hot_rows && comm_.rank() == 0) {
        std::printf("%s, rank 0: %s\n", name_of(input_), glt::dist::to_string(train_->report()).c_str());
      }
    }
    network_.restore_parameters(parameters);
    epoch_report report;
    count_right(*test_, report);
    return sum_over_ranks(comm_, report).accuracy();
  }

private:
  using clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_main() const noexcept { return input_ == learns_from::graph; }

  // One rank does, for people and for programs.
  void tell(std::int64_t epoch, epoch_report const& total) {
    if (comm_.rank() != 0) {
      return;
    }
    log_.write(name_of(input_), epoch, comm_.size(), json_of(total, comm_.size()));
    if (!is_main()) {
      return;
    }
    if (epoch == 1) {
      if constexpr (requires { train_->report(); }) {
        std::printf("rank 0 in its first epoch\n%s\n", glt::dist::to_string(train_->report()).c_str());
      }
      std::printf(
          "%lld epochs on %d ranks; wait (sample, fetch) and train are shares of the seconds, MPI is in them\n%s\n",
          static_cast<long long>(options_.epochs), comm_.size(), training_table().heads().c_str());
    }
    std::printf("%s\n", line_of(total, static_cast<double>(epoch), comm_.size()).c_str());
    std::fflush(stdout);
  }

  epoch_report train(std::int64_t epoch) {
    epoch_report report;
    auto const before = train_->report();
    comm_.reset();
    network_.train();
    auto const label = name_of(input_) + glt::detail::message(" epoch ", epoch, "/", options_.epochs);
    for (auto const& batch : glt::dist::progress(train_->epoch(epoch), label)) {
      auto const start = clock::now();
      adam_.zero_grad();
      if (batch.num_seeds > 0) {
        at::Tensor const scores = network_.forward(glt::to_tensor(batch.features()), batch.subgraph);
        at::Tensor const loss = torch::nn::functional::cross_entropy(scores, glt::to_tensor(batch.labels()));
        loss.backward();
        report.loss += loss.item<double>() * static_cast<double>(batch.num_seeds);
      }
      glt::gather_grads(comm_, network_, batch.num_seeds);
      adam_.step();
      report.training_seconds += std::chrono::duration<double>(clock::now() - start).count();
      report.seeds += static_cast<double>(batch.num_seeds);
      report.batches += batch.num_seeds > 0 ? 1 : 0;
      report.sampled_edges += static_cast<double>(batch.subgraph.row().size());
      report.feature_rows += static_cast<double>(batch.subgraph.nodes().size());
    }
    auto const spent = (train_->report() - before).seconds;
    report.waiting_seconds = spent.waiting;
    report.sampling_seconds = spent.sampling;
    report.feature_seconds = spent.features;
    auto const sent = comm_.counts().total();
    report.communication_seconds = comm_.own_counts().total().seconds; // without threads beside the training
    report.bytes = static_cast<double>(sent.bytes);
    report.messages = static_cast<double>(sent.messages);
    return report;
  }

  void count_right(Loader& loader, epoch_report& report) {
    torch::NoGradGuard const no_gradients;
    network_.eval();
    for (auto const& batch : loader.epoch(0)) {
      if (batch.num_seeds > 0) {
        at::Tensor const scores = network_.forward(glt::to_tensor(batch.features()), batch.subgraph);
        at::Tensor const right = scores.argmax(1).eq(glt::to_tensor(batch.labels())).sum();
        report.right += right.item<double>();
        report.validated += static_cast<double>(batch.num_seeds);
      }
    }
  }

  glt::counting_comm<Comm> comm_;
  train_options options_;
  learns_from input_;
  epoch_log& log_;
  std::unique_ptr<Loader> train_;
  std::unique_ptr<Loader> valid_;
  std::unique_ptr<Loader> test_;
  graph_network network_;
  torch::optim::Adam adam_;
};

} // namespace example

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "epoch_log.hpp"
#include "full_batch_network.hpp"
#include "full_batch_options.hpp"
#include "full_batch_part.hpp"
#include "full_batch_report.hpp"
#include "graph_network.hpp"

#include <glt/comm/guard.hpp>
#include <glt/core/error.hpp>
#include <glt/core/random.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/progress.hpp>
#include <glt/torch/checkpoint.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace example {

/// Trains one network on the whole graph or on batches, and evaluates it on the whole graph after every epoch.
class full_batch_trainer {
public:
  full_batch_trainer(comm_type comm, full_batch_part& part, full_batch_options const& options)
      : comm_(std::move(comm)), part_(part), options_(options), x_(part.x()), labels_(part.labels()),
        network_(make_network(part.what, options)),
        adam_(network_.parameters(), torch::optim::AdamOptions(options.lr).weight_decay(options.weight_decay)),
        batches_(comm_, recipe_type(part.data, sampling_of(options)).with(part.degrees), part.train.seeds,
                 {.batch_size = options.batch, .shuffle = true, .seed = options.seed}),
        log_(comm_, options.log, options.resume),
        num_train_(glt::reduce_over_ranks(comm_, static_cast<double>(part.train.seeds.size()), glt::reduction::sum)) {
    glt::sync_params(comm_, network_);
  }

  /// The accuracy on the test vertices of all ranks in the epoch with the best one on those for validation.
  double run() {
    if (!options_.load.empty()) {
      glt::load_model(comm_, options_.load, network_);
    }
    if (options_.epochs == 0) {
      full_batch_report report;
      evaluate(report);
      return sum_over_ranks(comm_, report).test.share();
    }
    std::int64_t epoch = 0;
    double best_valid = -1;
    double test = 0; // in the epoch of best_valid
    if (options_.resume) {
      auto const saved =
          glt::load_training(comm_, options_.checkpoint, training_of(options_, part_.data.book()), network_, adam_);
      epoch = saved.at("epoch").toInt();
      best_valid = saved.at("best_valid").toDouble();
      test = saved.at("test").toDouble();
    }
    if (comm_.rank() == 0) {
      std::printf("%s on %d ranks; compute and MPI are shares of the seconds, the peak is of rows of other ranks\n%s\n",
                  std::string(name_of(options_.model)).c_str(), comm_.size(), full_batch_table().heads().c_str());
    }
    while (epoch < options_.epochs) {
      auto const total = sum_over_ranks(comm_, run_epoch(++epoch));
      tell(epoch, total);
      if (total.valid.share() > best_valid) {
        best_valid = total.valid.share();
        test = total.test.share();
        if (!options_.save.empty()) {
          glt::save_model(comm_, options_.save, network_);
        }
      }
      if (!options_.checkpoint.empty()) {
        glt::save_training(comm_, options_.checkpoint, training_of(options_, part_.data.book()), network_, adam_,
                           {{"epoch", epoch}, {"best_valid", best_valid}, {"test", test}});
      }
    }
    return test;
  }

private:
  using clock = std::chrono::steady_clock;

  [[nodiscard]] glt::random_key key_of(std::int64_t epoch, std::int64_t step) const {
    return glt::random_key(options_.seed)
        .fold(static_cast<std::uint64_t>(epoch))
        .fold(static_cast<std::uint64_t>(step));
  }
  [[nodiscard]] std::string label(std::int64_t epoch) const {
    return glt::detail::message(name_of(options_.model), " epoch ", epoch, "/", options_.epochs);
  }
  // One rank does, for people and for programs.
  void tell(std::int64_t epoch, full_batch_report const& total) {
    if (comm_.rank() == 0) {
      log_.write(name_of(options_.model), epoch, comm_.size(), json_of(total, comm_.size()));
      std::printf("%s\n", line_of(total, static_cast<double>(epoch), comm_.size()).c_str());
      std::fflush(stdout);
    }
  }

  full_batch_report run_epoch(std::int64_t epoch) {
    auto const start = clock::now();
    comm_.reset();
    auto& cost = part_.sharded.report();
    cost = {.peak_remote_bytes = cost.peak_remote_bytes};
    full_batch_report report;
    auto const own_key = glt::random_key(options_.seed).fold(static_cast<std::uint64_t>(epoch));
    torch::manual_seed(own_key.fold(static_cast<std::uint64_t>(comm_.rank())).bits()); // ranks drop other elements
    network_.train();
    options_.mode == training_mode::full ? train_on_graph(epoch, report) : train_on_batches(epoch, report);
    evaluate(report);
    report.seconds = std::chrono::duration<double>(clock::now() - start).count();
    report.communication_seconds = comm_.counts().total().seconds;
    report.bytes = static_cast<double>(cost.bytes);
    report.messages = static_cast<double>(cost.messages);
    report.peak_remote_bytes = static_cast<double>(cost.peak_remote_bytes);
    return report;
  }

  // Every rank adds its vertices to one mean over all of them. What ranks have are parts of its gradient's sum.
  void train_on_graph(std::int64_t epoch, full_batch_report& report) {
    adam_.zero_grad();
    glt::attention_draws const draws{.key = key_of(epoch, 0),
                                     .edge_ids = glt::to_tensor(part_.data.graph().local().edge_ids()),
                                     .vertex_ids = glt::to_tensor(part_.data.original())};
    auto const scores = network_.forward(x_, part_.sharded, draws).index_select(0, part_.train.rows);
    at::Tensor const loss =
        torch::nn::functional::cross_entropy(scores, labels_.index_select(0, part_.train.rows),
                                             torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
    (loss / num_train_).backward();
    glt::sum_grads(comm_, network_);
    adam_.step();
    report.loss = loss.item<double>();
  }

  void train_on_batches(std::int64_t epoch, full_batch_report& report) {
    for (auto const& batch : glt::dist::progress(batches_.epoch(epoch), label(epoch))) {
      adam_.zero_grad();
      if (batch.num_seeds > 0) {
        auto const degrees = glt::to_tensor(batch.tensors["in_degree"].template as<float>()).squeeze(1);
        glt::attention_draws const draws{.key = key_of(epoch, batch.step),
                                         .vertex_ids = glt::to_tensor(batch.subgraph.nodes())};
        auto const scores = network_.forward(glt::to_tensor(batch.features()), batch.subgraph, degrees, draws);
        at::Tensor const loss = torch::nn::functional::cross_entropy(scores, glt::to_tensor(batch.labels()));
        loss.backward();
        report.loss += loss.item<double>() * static_cast<double>(batch.num_seeds);
      }
      glt::gather_grads(comm_, network_, batch.num_seeds);
      adam_.step();
    }
  }

  void evaluate(full_batch_report& report) {
    torch::NoGradGuard const no_gradients;
    network_.eval();
    auto const right = network_.forward(x_, part_.sharded).argmax(1).eq(labels_);
    auto const hits_of = [&](full_batch_part::split const& split) {
      return hits{right.index_select(0, split.rows).sum().item<double>(), static_cast<double>(split.seeds.size())};
    };
    report.train = hits_of(part_.train);
    report.valid = hits_of(part_.valid);
    report.test = hits_of(part_.test);
  }

  comm_type comm_;
  full_batch_part& part_;
  full_batch_options options_;
  at::Tensor x_;
  at::Tensor labels_;
  graph_network network_;
  torch::optim::Adam adam_;
  glt::dist::loader<comm_type, recipe_type> batches_;
  epoch_log log_;
  double num_train_;
};

} // namespace example

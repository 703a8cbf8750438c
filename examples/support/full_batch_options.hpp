// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "graph_network.hpp"
#include "training_options.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace example {

/// What a network is trained on; it is always evaluated on the whole graph.
enum class training_mode { full, sampled_then_full };

/// The command line of `full_batch`.
struct full_batch_options : training_options {
  layer_kind model = layer_kind::gcn;
  training_mode mode = training_mode::full;
  std::int64_t heads = 8; ///< of hidden GAT layers
  std::string checkpoint; ///< written after every epoch; empty: none
  bool resume = false;
  bool cover = false; ///< of the boundary; see `glt::dist::sharding_options`
};

inline void declare(CLI::App& app, full_batch_options& options) {
  options.epochs = 100;
  options.lr = 0.01;
  declare_training(app, options);
  constexpr std::array<std::string_view, 2> modes{"full", "sampled-then-full"};
  add_choice(app, "--model", options.model, layer_names, "Kind of layers, as many as --fanout has numbers");
  add_choice(app, "--mode", options.mode, modes, "Train on the whole graph, or with batches");
  app.add_option("--heads", options.heads, "Heads of gat, which share --hidden")->check(at_least(1));
  auto* checkpoint =
      app.add_option("--checkpoint", options.checkpoint, "File that is written after every epoch")->check(file_name());
  app.add_flag("--resume", options.resume, "Go on behind the checkpoint")->needs(checkpoint)->excludes("--load");
  app.add_flag("--cover", options.cover, "Send partial sums where these are fewer than rows");
  app.callback([&options] {
    if (options.model == layer_kind::gat && options.hidden % options.heads != 0) {
      throw CLI::ValidationError("--hidden", "give a multiple of --heads, which share the columns");
    }
  });
}

} // namespace example

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arguments.hpp"
#include "graph_network.hpp"
#include "training_options.hpp"

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <cstdint>
#include <span>
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

inline std::string full_batch_usage() {
  return "usage: full_batch PARTS_DIR [--model gcn|sage|gin|gat] [--mode full|sampled-then-full] [--epochs 100]"
         " [--hidden 256] [--heads 8] [--lr 0.01] [--dropout 0.3] [--input-dropout 0] [--weight-decay 0] [--seed 1]"
         " [--fanout 15,10] [--batch 1024] [--save FILE] [--load FILE] [--log FILE] [--checkpoint FILE] [--resume]"
         " [--cover] [--timeout 0] [--progress]; the network has as many layers as --fanout numbers, which count for"
         " batches alone; --checkpoint writes the file after every epoch, and --resume goes on behind it; --cover sends"
         " partial sums where these are fewer than rows;" +
         std::string(training_usage);
}

/// @throws glt::precondition_error  naming the first argument that makes no sense
inline full_batch_options parse_full_batch_options(std::span<char const* const> words) {
  full_batch_options options;
  options.epochs = 100;
  options.lr = 0.01;
  constexpr std::array<std::string_view, 2> modes{"full", "sampled-then-full"};
  arguments line;
  line.choice("--model", options.model, layer_names)
      .choice("--mode", options.mode, modes)
      .number<std::int64_t>("--heads", options.heads, 1)
      .text("--checkpoint", options.checkpoint)
      .flag("--resume", options.resume)
      .flag("--cover", options.cover);
  read_training_options(options, line, words, full_batch_usage());
  if (options.model == layer_kind::gat && options.hidden % options.heads != 0) {
    throw glt::precondition_error(glt::detail::message("--hidden ", options.hidden, " in --heads ", options.heads,
                                                       "; give a multiple, which the heads share"));
  }
  if (options.resume && !options.load.empty()) {
    throw glt::precondition_error("--resume and --load; the checkpoint has the network, leave --load out");
  }
  if (options.resume && options.checkpoint.empty()) {
    throw glt::precondition_error("--resume without --checkpoint; say which file to go on from");
  }
  return options;
}

} // namespace example

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "graph_network.hpp"
#include "train_options.hpp"

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// What a network is trained on; it is always evaluated on the whole graph.
enum class training_mode { full, sampled_then_full };

/// The command line of `full_batch`.
struct full_batch_options {
  std::string parts;
  layer_kind model = layer_kind::gcn;
  training_mode mode = training_mode::full;
  std::int64_t epochs = 100;
  std::vector<std::int64_t> fanout{15, 10}; ///< as many numbers as layers
  std::int64_t batch = 1024;
  std::int64_t hidden = 256;
  std::int64_t heads = 8; ///< of hidden GAT layers
  double lr = 0.01;
  double dropout = 0.3;
  double input_dropout = 0.0;
  double weight_decay = 0.0;
  std::uint64_t seed = 1;
  std::string checkpoint; ///< written after every epoch; empty: none
  bool resume = false;
  double timeout = 0; ///< seconds a call may wait for the other ranks; 0 for ever
  bool progress = false;
};

inline constexpr std::string_view full_batch_usage =
    "usage: full_batch PARTS_DIR [--model gcn|sage|gin|gat] [--mode full|sampled-then-full] [--epochs 100] [--hidden 256] "
    "[--heads 8] [--lr 0.01] [--dropout 0.3] [--input-dropout 0] [--weight-decay 0] [--seed 1] [--fanout 15,10] [--batch 1024]"
    " [--checkpoint FILE] [--resume] [--timeout 0] [--progress]; the network has as many layers as --fanout numbers, "
    "which count for batches alone; --checkpoint writes the file after every epoch, and --resume goes on behind it;"
    " --progress draws a bar while an epoch runs; --timeout ends the job where a rank waits longer than so many seconds";

namespace detail {

template <class Enum, std::size_t N>
Enum parse_name(std::string_view option, std::string_view text, std::array<std::string_view, N> const& names) {
  auto const found = std::ranges::find(names, text);
  if (found == names.end()) {
    std::string all;
    for (auto const name : names) {
      all += glt::detail::message(all.empty() ? "" : " or ", name);
    }
    throw glt::precondition_error(glt::detail::message(option, " ", text, ": give ", all));
  }
  return static_cast<Enum>(found - names.begin());
}

} // namespace detail

/// @throws glt::precondition_error  naming the first argument that makes no sense
inline full_batch_options parse_full_batch_options(std::span<char const* const> arguments) {
  using detail::parse_number;
  full_batch_options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view const name = arguments[i];
    if (name == "--progress") {
      options.progress = true;
    } else if (name == "--resume") {
      options.resume = true;
    } else if (!name.starts_with("--")) {
      if (!options.parts.empty()) {
        throw glt::precondition_error(glt::detail::message("second folder ", name, "; give one"));
      }
      options.parts = name;
    } else if (i + 1 == arguments.size()) {
      throw glt::precondition_error(glt::detail::message(name, " without a value; give one after it"));
    } else if (std::string_view const text = arguments[++i]; name == "--model") {
      options.model = detail::parse_name<layer_kind>(name, text, layer_names);
    } else if (name == "--mode") {
      options.mode = detail::parse_name<training_mode>(
          name, text, std::array<std::string_view, 2>{"full", "sampled-then-full"});
    } else if (name == "--epochs") {
      options.epochs = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--fanout") {
      options.fanout = detail::parse_list(name, text);
    } else if (name == "--batch") {
      options.batch = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--hidden") {
      options.hidden = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--heads") {
      options.heads = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--lr") {
      options.lr = parse_number<double>(name, text, 0);
    } else if (name == "--dropout") {
      options.dropout = parse_number<double>(name, text, 0);
    } else if (name == "--input-dropout") {
      options.input_dropout = parse_number<double>(name, text, 0);
    } else if (name == "--weight-decay") {
      options.weight_decay = parse_number<double>(name, text, 0);
    } else if (name == "--seed") {
      options.seed = parse_number<std::uint64_t>(name, text, 0);
    } else if (name == "--checkpoint") {
      options.checkpoint = text;
    } else if (name == "--timeout") {
      options.timeout = parse_number<double>(name, text, 0);
    } else {
      throw glt::precondition_error(glt::detail::message("unknown option ", name, "; ", full_batch_usage));
    }
  }
  if (options.parts.empty()) {
    throw glt::precondition_error(glt::detail::message("no folder with parts; ", full_batch_usage));
  }
  if (options.dropout >= 1 || options.input_dropout >= 1) {
    throw glt::precondition_error("--dropout and --input-dropout are probabilities below 1");
  }
  if (options.model == layer_kind::gat && options.hidden % options.heads != 0) {
    throw glt::precondition_error(glt::detail::message("--hidden ", options.hidden, " in --heads ", options.heads,
                                                       "; give a multiple, which the heads share"));
  }
  if (options.resume && options.checkpoint.empty()) {
    throw glt::precondition_error("--resume without --checkpoint; say which file to go on from");
  }
  return options;
}

} // namespace example

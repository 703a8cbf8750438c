// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arguments.hpp"

#include <glt/core/error.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// What the command lines of all training programs have.
struct training_options {
  std::string parts;
  std::int64_t epochs = 10;
  std::vector<std::int64_t> fanout{15, 10}; ///< as many numbers as layers
  std::int64_t batch = 1024;
  std::int64_t hidden = 256;
  double lr = 0.003;
  double dropout = 0.3;
  double input_dropout = 0.0;
  double weight_decay = 0.0;
  std::uint64_t seed = 1;
  double timeout = 0; ///< seconds a call may wait for the other ranks; 0 for ever
  bool progress = false;
  std::string log;  ///< figures of epochs as JSON; empty: none
  std::string save; ///< where the network goes; empty: nowhere
  std::string load; ///< where it comes from; empty: it begins at random
};

/// What usage texts say of these options.
inline constexpr std::string_view training_usage =
    " --epochs 0 evaluates the network of --load; --save FILE writes the network with the best validation accuracy, and"
    " --load FILE begins with one, which torch::load reads as well; --log FILE writes a JSON object a line for every"
    " epoch; --progress draws a bar while an epoch runs; --timeout ends the job where a rank waits longer than so many"
    " seconds";

/// Reads these options and those that `line` knows of its own.
///
/// @throws glt::precondition_error  naming the first argument that makes no sense
inline void read_training_options(training_options& options, arguments line, std::span<char const* const> words,
                                  std::string_view usage) {
  line.number<std::int64_t>("--epochs", options.epochs, 0)
      .list("--fanout", options.fanout)
      .number<std::int64_t>("--batch", options.batch, 1)
      .number<std::int64_t>("--hidden", options.hidden, 1)
      .number<double>("--lr", options.lr, 0)
      .number<double>("--dropout", options.dropout, 0)
      .number<double>("--input-dropout", options.input_dropout, 0)
      .number<double>("--weight-decay", options.weight_decay, 0)
      .number<std::uint64_t>("--seed", options.seed, 0)
      .number<double>("--timeout", options.timeout, 0)
      .flag("--progress", options.progress)
      .text("--log", options.log)
      .text("--save", options.save)
      .text("--load", options.load);
  options.parts = line.read(words, usage);
  if (options.dropout >= 1 || options.input_dropout >= 1) {
    throw glt::precondition_error("--dropout and --input-dropout are probabilities below 1");
  }
  if (options.epochs == 0 && options.load.empty()) {
    throw glt::precondition_error("--epochs 0 without --load; say which network to evaluate, or train one");
  }
}

} // namespace example

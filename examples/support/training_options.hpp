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
};

/// Reads these options and those that `line` knows of its own.
///
/// @throws glt::precondition_error  naming the first argument that makes no sense
inline void read_training_options(training_options& options, arguments line,
                                  std::span<char const* const> words, std::string_view usage) {
  line.number<std::int64_t>("--epochs", options.epochs, 1)
      .list("--fanout", options.fanout)
      .number<std::int64_t>("--batch", options.batch, 1)
      .number<std::int64_t>("--hidden", options.hidden, 1)
      .number<double>("--lr", options.lr, 0)
      .number<double>("--dropout", options.dropout, 0)
      .number<double>("--input-dropout", options.input_dropout, 0)
      .number<double>("--weight-decay", options.weight_decay, 0)
      .number<std::uint64_t>("--seed", options.seed, 0)
      .number<double>("--timeout", options.timeout, 0)
      .flag("--progress", options.progress);
  options.parts = line.read(words, usage);
  if (options.dropout >= 1 || options.input_dropout >= 1) {
    throw glt::precondition_error("--dropout and --input-dropout are probabilities below 1");
  }
}

} // namespace example

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arguments.hpp"
#include "training_options.hpp"

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace example {

/// Where batches are made.
enum class deployment { collocated, pipelined, workers, servers };

/// The command line of `train`.
struct train_options : training_options {
  example::deployment deployment = example::deployment::collocated;
  std::int64_t prefetch = 2;           ///< batches in advance, but for collocated ranks
  std::int64_t workers = 1;            ///< ranks that make the batches of a trainer of their machine
  std::int64_t servers = 1;            ///< ranks that make the batches of all others
  std::int64_t shared_megabytes = 256; ///< of a worker, where its batches lie
  bool hot_rows = false;
};

inline std::string train_usage() {
  return "usage: train PARTS_DIR [--epochs 10] [--fanout 15,10] [--batch 1024] [--hidden 256] [--lr 0.003] [--dropout "
         "0.3]"
         " [--input-dropout 0] [--weight-decay 0] [--seed 1] [--save FILE] [--load FILE] [--log FILE] [--timeout 0]"
         " [--hot-rows] [--progress] [--deployment collocated|pipelined|workers|servers] [--prefetch 2] [--workers 1]"
         " [--servers 1] [--shared-megabytes 256]; -1 as fanout takes all neighbours; --hot-rows keeps the rows that"
         " glt-partition --cache-ratio chose, and reports how often they are hit;" +
         std::string(training_usage);
}

/// @throws glt::precondition_error  naming the first argument that makes no sense
inline train_options parse_train_options(std::span<char const* const> words) {
  train_options options;
  constexpr std::array<std::string_view, 4> deployments{"collocated", "pipelined", "workers", "servers"};
  arguments line;
  line.choice("--deployment", options.deployment, deployments)
      .number<std::int64_t>("--prefetch", options.prefetch, 1)
      .number<std::int64_t>("--workers", options.workers, 1)
      .number<std::int64_t>("--servers", options.servers, 1)
      .number<std::int64_t>("--shared-megabytes", options.shared_megabytes, 1)
      .flag("--hot-rows", options.hot_rows);
  read_training_options(options, line, words, train_usage());
  if (options.fanout.size() != 2) {
    throw glt::precondition_error(
        glt::detail::message("--fanout with ", options.fanout.size(), " numbers; the network has 2 layers, give 2"));
  }
  return options;
}

} // namespace example

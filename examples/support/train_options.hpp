// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "training_options.hpp"

#include <glt/dist/shared/reading.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <cstdint>
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
  bool by_messages = false; ///< also between ranks of one machine
};

inline void declare(CLI::App& app, train_options& options) {
  declare_training(app, options);
  constexpr std::array<std::string_view, 4> deployments{"collocated", "pipelined", "workers", "servers"};
  add_choice(app, "--deployment", options.deployment, deployments, "Where batches are made");
  app.add_option("--prefetch", options.prefetch, "Batches in advance, but for collocated")->check(at_least(1));
  app.add_option("--workers", options.workers, "Ranks of a machine that make a trainer's batches")->check(at_least(1));
  app.add_option("--servers", options.servers, "Ranks that make the batches of all others")->check(at_least(1));
  app.add_option("--shared-megabytes", options.shared_megabytes, "Memory of a worker's batches")->check(at_least(1));
  app.add_flag("--hot-rows", options.hot_rows,
               "Keep the rows that glt-partition --cache-ratio chose, for ranks of other machines or --by-messages");
  app.add_flag("--by-messages", options.by_messages,
               "Send rows between ranks of one machine, too, which read in place");
  app.callback([&options] {
    if (options.fanout.size() != 2) {
      throw CLI::ValidationError("--fanout", "the network has 2 layers; give 2 numbers");
    }
  });
}

/// How ranks of one machine read each other's parts.
[[nodiscard]] inline glt::dist::reading reading_of(train_options const& options) {
  return options.by_messages ? glt::dist::reading::by_messages : glt::dist::reading::in_place;
}

} // namespace example

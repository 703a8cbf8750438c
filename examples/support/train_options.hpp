// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "training_options.hpp"

#include <glt/dist/shared/reading.hpp>
#include <glt/io/parts/parts_folder.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace example {

/// Where batches are made; automatic: in advance if all ranks have a free core, else when they are needed.
enum class deployment { automatic, collocated, pipelined, workers, servers };

/// The command line of `train`.
struct train_options : training_options {
  example::deployment deployment = example::deployment::automatic;
  std::int64_t prefetch = 2;           ///< batches in advance, but for collocated ranks
  std::int64_t workers = 1;            ///< ranks that make the batches of a trainer of their machine
  std::int64_t servers = 1;            ///< ranks that make the batches of all others
  std::int64_t shared_megabytes = 256; ///< of a worker, where its batches lie
  bool hot_rows = false;
  bool by_messages = false; ///< also between ranks of one machine
  bool replicate = false;   ///< a copy of the whole graph on every machine
};

inline void declare(CLI::App& app, train_options& options) {
  declare_training(app, options);
  constexpr std::int64_t most_ranks = std::numeric_limits<int>::max();
  constexpr std::array<std::string_view, 5> deployments{"auto", "collocated", "pipelined", "workers", "servers"};
  add_choice(app, "--deployment", options.deployment, deployments,
             "Where batches are made; auto: pipelined if all ranks have a free core, else collocated");
  app.add_option("--prefetch", options.prefetch, "Batches in advance, but for collocated")->check(at_least(1));
  app.add_option("--workers", options.workers, "Ranks of a machine that make a trainer's batches")
      ->check(glt_partition::number_from<std::int64_t>(1, most_ranks));
  app.add_option("--servers", options.servers, "Ranks that make the batches of all others")
      ->check(glt_partition::number_from<std::int64_t>(1, most_ranks));
  app.add_option("--shared-megabytes", options.shared_megabytes, "Memory of a worker's batches")
      ->check(glt_partition::number_from<std::int64_t>(1, std::numeric_limits<std::int64_t>::max() >> 20));
  app.add_flag("--hot-rows", options.hot_rows,
               "Keep the rows that glt-partition --cache-ratio chose, for ranks of other machines or --by-messages");
  app.add_flag("--by-messages", options.by_messages,
               "Send rows between ranks of one machine, too, which read in place");
  app.add_flag("--replicate", options.replicate, "Keep the whole graph on every machine; features stay divided");
  app.callback([&options] {
    if (options.fanout.size() != 2) {
      throw CLI::ValidationError("--fanout", "the network has 2 layers; give 2 numbers");
    }
  });
}

/// How ranks read each other's parts.
[[nodiscard]] inline glt::io::parts_folder::load_options loading_of(train_options const& options) {
  return {.reading = options.by_messages ? glt::dist::reading::by_messages : glt::dist::reading::in_place,
          .topology = options.replicate ? glt::dist::topology::replicated : glt::dist::topology::divided};
}

} // namespace example

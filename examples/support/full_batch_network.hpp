// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "full_batch_options.hpp"
#include "graph_network.hpp"
#include "trainer.hpp"

#include <glt/core/error.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/options.hpp>

#include <torch/utils.h>

#include <string>

namespace example {

/// The network that the options describe, the same one on all ranks.
[[nodiscard]] inline graph_network make_network(problem const& what, full_batch_options const& options) {
  torch::manual_seed(options.seed);
  return graph_network({.kind = options.model,
                        .layers = std::ssize(options.fanout),
                        .in = what.num_columns,
                        .hidden = options.hidden,
                        .out = what.num_classes,
                        .heads = options.heads,
                        .dropout = options.dropout,
                        .input_dropout = options.input_dropout});
}

/// How its batches are sampled; what GAT drops depends on ids of edges.
[[nodiscard]] inline glt::neighbor_options sampling_of(full_batch_options const& options) {
  return {.fanouts = options.fanout, .edge_ids = options.model == layer_kind::gat};
}

/// Of which training a checkpoint must be.
[[nodiscard]] inline std::string training_of(full_batch_options const& options, glt::partition_book const& book) {
  auto const heads =
      options.model == layer_kind::gat ? glt::detail::message(" in ", options.heads, " heads") : std::string();
  return glt::detail::message(name_of(options.model), " with ", options.fanout.size(), " layers, ", options.hidden,
                              " hidden columns", heads, ", seed ", options.seed, " and parts ", book.partitioning());
}

} // namespace example

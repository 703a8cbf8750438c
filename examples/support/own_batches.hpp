// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "train_options.hpp"
#include "train_part.hpp"
#include "trainer.hpp"

#include <glt/dist/graph.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/loader.hpp>
#include <glt/io/parts/open_data_set.hpp>

#include <torch/utils.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace example {

/// Trains on ranks that own a part each and make their batches themselves, in advance if that is wanted.
inline accuracies train_on_own_batches(comm_type comm, train_options const& options) {
  auto const data = glt::io::open_data_set(comm, options.parts, loading_of(options));
  auto const hot = options.hot_rows ? data.hot_rows() : glt::dist::hot_rows<cpu, float>();
  glt::dist::graph<cpu> const edgeless(comm, without_edges(data.graph()));
  auto const what = problem_of(data, options.parts);
  splits const seeds{data.split("train"), data.split("valid"), data.split("test")};

  return train_both(comm, options, [&](learns_from input, epoch_log& log) {
    auto const& graph = input == learns_from::graph ? data.graph() : edgeless;
    using loader_type = glt::dist::loader<comm_type, recipe_type>;
    auto const make_loader = [&](std::vector<glt::global_id> const& of, bool shuffle) {
      auto made = std::make_unique<loader_type>(
          comm, recipe_type(graph, data.features(), {.fanouts = options.fanout}), of,
          glt::dist::loader_options{.batch_size = options.batch,
                                    .shuffle = shuffle,
                                    .seed = options.seed,
                                    .prefetch = options.deployment == deployment::pipelined ? options.prefetch : 0});
      made->use(hot);
      return made;
    };
    torch::manual_seed(options.seed);
    return trainer<glt::mpi_comm, loader_type>(comm, seeds, make_loader, what, options, input, log).run();
  });
}

} // namespace example

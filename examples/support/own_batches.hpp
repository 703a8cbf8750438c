// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "train_options.hpp"
#include "train_part.hpp"
#include "trainer.hpp"

#include <glt/dist/graph.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/loader.hpp>
#include <glt/io/parts/hot_rows.hpp>
#include <glt/io/parts/open_part.hpp>
#include <glt/io/parts/parts.hpp>

#include <torch/utils.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace example {

/// Trains on ranks that own a part each and make their batches themselves, in advance if that is wanted.
inline accuracies train_on_own_batches(comm_type comm, train_options const& options) {
  auto loaded = glt::io::load_for_rank(glt::io::parts_folder(options.parts), comm.rank(), comm.size());
  auto const hot = options.hot_rows ? glt::io::extract_hot_rows(loaded) : glt::dist::hot_rows<cpu, float>();
  auto edgeless = without_edges(loaded.graph);
  auto part = glt::io::open_part(comm, std::move(loaded));
  splits const seeds{std::move(part.train), std::move(part.valid), std::move(part.test)};
  auto const what = problem_of(part, options.parts);

  return train_both(comm, options, [&](learns_from input, epoch_log& log) {
    auto const graph =
        input == learns_from::graph ? std::move(part.graph) : glt::dist::graph(comm, std::move(edgeless));
    using loader_type = glt::dist::loader<comm_type, recipe_type>;
    auto const make_loader = [&](std::vector<glt::global_id> const& of, bool shuffle) {
      auto made = std::make_unique<loader_type>(
          comm, recipe_type(graph, part.features, {.fanouts = options.fanout}), of,
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/sample/subgraph.hpp>

#include "torch/dense_graph.hpp"

#include <cstdint>
#include <vector>

namespace glt_test {

/// Owns a block with in-degrees in [0, max_degree], multi-edges and self-loops included; offsets start at 7.
struct random_block {
  std::int64_t num_sources;
  std::int64_t num_destinations;
  std::vector<glt::edge_offset> offsets{7};
  std::vector<glt::local_id> row;
  std::vector<glt::local_id> col;

  random_block(std::int64_t sources, std::int64_t destinations, std::int64_t max_degree, std::uint64_t seed)
      : num_sources(sources), num_destinations(destinations) {
    for (std::int64_t d = 0; d < destinations; ++d) {
      glt::random_stream draws(glt::random_key(seed), static_cast<std::uint64_t>(d));
      auto const degree = draws.below(static_cast<std::uint64_t>(max_degree) + 1);
      for (std::uint64_t e = 0; e < degree; ++e) {
        row.push_back(static_cast<glt::local_id>(draws.below(static_cast<std::uint64_t>(sources))));
        col.push_back(static_cast<glt::local_id>(d));
      }
      offsets.push_back(offsets.front() + static_cast<glt::edge_offset>(row.size()));
    }
  }

  [[nodiscard]] dense_graph dense() const { return {num_sources, num_destinations, row, col}; }

  [[nodiscard]] glt::block_view<glt::memory_space::host> view() const {
    return {.num_sources = num_sources,
            .num_destinations = num_destinations,
            .offsets = glt::host_view<glt::edge_offset const>(offsets),
            .row = glt::host_view<glt::local_id const>(row),
            .col = glt::host_view<glt::local_id const>(col),
            .edge_ids = {}};
  }
};

} // namespace glt_test

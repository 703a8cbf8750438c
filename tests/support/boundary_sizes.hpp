// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "parts.hpp"

#include <cstddef>
#include <cstdint>
#include <set>

namespace glt_test {

/// The edges of a list whose destinations one rank owns, and another one their sources.
struct boundary_sizes {
  std::int64_t sources = 0;      ///< different ones, H
  std::int64_t destinations = 0; ///< different ones, T
  std::int64_t edges = 0;

  boundary_sizes(edge_list const& list, divided_graph const& divided, int destination_rank, int source_rank) {
    auto const is_of = [&](std::int64_t vertex, int rank) {
      auto const number = divided.names.renumbered[vertex];
      return divided.names.book.begin(rank) <= number && number < divided.names.book.end(rank);
    };
    std::set<std::int64_t> from;
    std::set<std::int64_t> to;
    for (std::size_t e = 0; e < list.sources.size(); ++e) {
      if (is_of(list.destinations[e], destination_rank) && is_of(list.sources[e], source_rank)) {
        from.insert(list.sources[e]);
        to.insert(list.destinations[e]);
        ++edges;
      }
    }
    sources = static_cast<std::int64_t>(from.size());
    destinations = static_cast<std::int64_t>(to.size());
  }
};

} // namespace glt_test

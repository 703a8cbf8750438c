// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt::dist {

/// How a `sharded_graph` exchanges rows; the same on all ranks.
struct sharding_options {
  /// Shards that are received while another one is used: 0 to R − 1, more is taken for R − 1.
  std::int64_t depth = 1;
  /// Between two ranks, aggregations send the rows of some sources and, for the edges of the others, what these come to at
  /// some destinations, so that fewer rows travel: a small vertex cover of the edges between them. With those go the weights
  /// of these edges, and of a maximum or minimum 4 bytes an element for the edge that has it; where that is more than
  /// the rows of all sources, these travel. Takes 16 to 20 bytes more for every edge between ranks, and room for as many
  /// rows as without. Not for passes that are `reproducible` or round rows, nor for gradients by weights.
  bool cover = false;
};

} // namespace glt::dist

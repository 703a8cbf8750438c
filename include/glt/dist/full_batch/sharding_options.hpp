// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt::dist {

/// How a `sharded_graph` exchanges rows; the same on all ranks.
struct sharding_options {
  /// Shards that are received while another one is used: 0 to R − 1, more is taken for R − 1.
  std::int64_t depth = 1;
  /// Between two ranks, sums and means without edge weights send the rows of some sources and, for the edges of the others,
  /// the partial sums of some destinations, so that fewer rows travel: a small vertex cover of the edges between them.
  /// Takes 8 bytes more for every edge between ranks, and room for as many rows as without. Not for passes that are
  /// `reproducible` or round rows.
  bool cover = false;
};

} // namespace glt::dist

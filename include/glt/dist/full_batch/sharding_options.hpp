// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt::dist {

/// Options for the exchange of rows of a `sharded_graph`; the same on all ranks.
struct sharding_options {
  /// Number of shards that are received while another one is used: 0 to R − 1; more counts as R − 1.
  std::int64_t depth = 1;
  /// Use of a small vertex cover of the edges between two ranks, so that fewer rows travel. Aggregations then send the
  /// rows of some sources and, for edges of the other sources, partial results of some destinations. Weights of these
  /// edges travel too, and for a maximum or minimum 4 bytes an element for its edge. If that is more than the rows of
  /// all sources, these travel instead. Takes 16 to 20 more bytes for every edge between ranks, and memory for as many
  /// rows as without. Not for passes that are `reproducible` or round rows, nor for gradients by weights.
  bool cover = false;
};

} // namespace glt::dist

namespace glt::detail {

/// Costs of the full-batch passes of a rank so far.
struct full_batch_report {
  std::int64_t passes = 0;            ///< over all shards
  std::int64_t messages = 0;          ///< sent, with rows of vertices; headers not counted
  std::int64_t bytes = 0;             ///< of these messages
  std::int64_t peak_remote_bytes = 0; ///< largest memory of other ranks' rows at a time
  double seconds_waiting = 0;         ///< for messages of other ranks
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace glt::dist {

/// Costs of the full-batch passes of a rank so far.
struct full_batch_report {
  std::int64_t passes = 0;            ///< over all shards
  std::int64_t messages = 0;          ///< sent, with rows of vertices; headers not counted
  std::int64_t bytes = 0;             ///< of these messages
  std::int64_t peak_remote_bytes = 0; ///< largest memory of other ranks' rows at a time
  double seconds_waiting = 0;         ///< for messages of other ranks
};

} // namespace glt::dist

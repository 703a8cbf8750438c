// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>

namespace glt::dist {

/// What a loader does with its seeds, and when it prepares its batches. Batches do not depend on the last five.
struct loader_options {
  std::int64_t batch_size = 1024; ///< seeds of one rank and step
  bool shuffle = false;           ///< a new order in every epoch
  bool drop_last = false;         ///< leave out a rank's last batch if it is not full
  std::uint64_t seed = 0;         ///< of shuffling and sampling
  std::int64_t prefetch = 0;      ///< batches prepared in advance by a thread of the loader; 0: by the caller's thread
  std::int64_t concurrency = 1;   ///< threads that prepare them, each every so many-th; at most `prefetch`
  std::int64_t bulk = 1;          ///< batches whose messages travel together
  /// Seconds after which a consumer that takes no batch, while others wait for it, is an error on all ranks; 0: never.
  std::chrono::duration<double> stall_limit{0};
  /// Bytes of batches that a server may send ahead of a client, one batch at least; 0: as many batches as `prefetch` says.
  std::int64_t buffer_bytes = 0;
};

} // namespace glt::dist

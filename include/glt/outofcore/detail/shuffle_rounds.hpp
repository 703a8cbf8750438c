// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/io/progress.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt::io::detail {

/// Range of the items of a list.
struct item_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Returns the share of n items that a rank reads: ranges of equal size, in the order of the ranks.
[[nodiscard]] inline item_range slice_of(std::int64_t n, int ranks, int rank) {
  return {glt::detail::first_place(n, ranks, rank), glt::detail::first_place(n, ranks, rank + 1)};
}

/// Processes this rank's slice of n items by `shuffle_in_rounds`, and reports the progress of its pieces.
///
/// @comm   collective; as `glt::detail::shuffle_in_rounds`
/// @throws collective_error  on every rank, if `work` or `take` throws on a rank
template <communicator Comm, class Work, class Take>
void shuffle_in_rounds(Comm& comm, glt::detail::record_shuffle<Comm>& shuffle, std::int64_t n,
                       std::int64_t items_a_round, progress now, progress::callback const& on_progress, Work work,
                       Take take) {
  auto const own = slice_of(n, comm.size(), comm.rank());
  now.total = own.last - own.first;
  glt::detail::shuffle_in_rounds(
      comm, shuffle, own.first, own.last, items_a_round,
      [&](std::int64_t first, std::int64_t last) {
        work(first, last);
        now.done = last - own.first;
        if (on_progress) {
          on_progress(now);
        }
      },
      take);
}

} // namespace glt::io::detail

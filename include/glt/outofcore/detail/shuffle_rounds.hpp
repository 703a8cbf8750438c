// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/progress.hpp>
#include <glt/outofcore/detail/record_shuffle.hpp>
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

/// Processes this rank's slice of n items piece by piece, and exchanges records after each piece.
///
/// work(first, last) adds the records of a piece to the shuffle, take(record) gets the records that arrive. All ranks
/// make as many rounds as the rank with the longest slice. An exception of `work` or `take` ends the rounds of all
/// ranks.
///
/// @comm   collective; per round one of `record_shuffle`, and a header exchange at the end
/// @throws collective_error  on every rank, if `work` or `take` throws on a rank
template <communicator Comm, class Work, class Take>
void shuffle_in_rounds(Comm& comm, record_shuffle<Comm>& shuffle, std::int64_t n, std::int64_t items_a_round,
                       progress now, progress_callback const& on_progress, Work work, Take take) {
  auto const [begin, end] = slice_of(n, comm.size(), comm.rank());
  auto const longest = slice_of(n, comm.size(), 0).last;
  now.total = end - begin;
  std::string failure;
  auto const attempt = [&](auto part) {
    if (failure.empty()) {
      failure = glt::detail::failure_of(part);
    }
  };
  std::int64_t step = 0;
  for (std::int64_t done = 0; done < longest; done += items_a_round, ++step) {
    auto const first = std::min(begin + done, end);
    auto const last = std::min(first + items_a_round, end);
    attempt([&] {
      work(first, last);
      now.done = last - begin;
      if (on_progress) {
        on_progress(now);
      }
    });
    shuffle.exchange(step, failure, [&](std::byte const* record) { attempt([&] { take(record); }); });
  }
  glt::detail::agree(comm, {.what = glt::detail::operation::shuffle, .step = step}, failure);
}

} // namespace glt::io::detail

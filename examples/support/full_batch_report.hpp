// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>

#include <array>
#include <cstdio>
#include <span>
#include <string>

namespace example {

/// How many vertices of a split a rank got right.
struct hits {
  double right = 0;
  double all = 0;

  [[nodiscard]] double share() const noexcept { return all > 0 ? right / all : 0; }
};

/// What one rank did in an epoch.
struct full_batch_report {
  double loss = 0; ///< sum over training vertices
  hits train;
  hits valid;
  hits test;
  double seconds = 0;
  double communication_seconds = 0; ///< part of these
  double bytes = 0;                 ///< of rows of vertices, sent
  double messages = 0;              ///< with these
  double peak_remote_bytes = 0;     ///< the most memory of other ranks' rows so far
};

/// The reports of all ranks added up, but for the peak, of which the largest is taken.
///
/// The ranks meet first, so that one that failed before takes the others along.
template <glt::communicator Comm>
full_batch_report sum_over_ranks(Comm& comm, full_batch_report const& own) {
  glt::run_together(comm, [] {});
  std::array<double, 11> sums{own.loss,    own.train.right,           own.train.all, own.valid.right,
                              own.valid.all, own.test.right,          own.test.all,  own.seconds,
                              own.communication_seconds, own.bytes, own.messages};
  comm.all_reduce(std::span<double>(sums), glt::reduction::sum);
  auto peak = own.peak_remote_bytes;
  comm.all_reduce(std::span<double>(&peak, 1), glt::reduction::max);
  return {.loss = sums[0],
          .train = {sums[1], sums[2]},
          .valid = {sums[3], sums[4]},
          .test = {sums[5], sums[6]},
          .seconds = sums[7],
          .communication_seconds = sums[8],
          .bytes = sums[9],
          .messages = sums[10],
          .peak_remote_bytes = peak};
}

/// One line of text; seconds are means over ranks, everything else is of all ranks.
inline std::string line_of(full_batch_report const& total, int num_ranks) {
  std::array<char, 300> text{};
  std::snprintf(text.data(), text.size(),
                "loss %.6f, accuracy train %.4f valid %.4f test %.4f, communication %.2f s, computation %.2f s, "
                "sent %.2f MB of rows in %.0f messages, remote rows at most %.2f MB a rank",
                total.train.all > 0 ? total.loss / total.train.all : 0, total.train.share(), total.valid.share(),
                total.test.share(), total.communication_seconds / num_ranks,
                (total.seconds - total.communication_seconds) / num_ranks, total.bytes / 1e6, total.messages,
                total.peak_remote_bytes / 1e6);
  return text.data();
}

} // namespace example

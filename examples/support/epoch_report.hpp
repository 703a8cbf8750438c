// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/counting.hpp>
#include <glt/comm/guard.hpp>
#include <glt/dist/batch.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace example {

/// What one rank did in an epoch's training steps, and how many of its validation vertices it got right.
struct epoch_report {
  double loss = 0; ///< sum over seeds
  double seeds = 0;
  double sampled_edges = 0;
  double feature_rows = 0;
  double sampling_seconds = 0;
  double feature_seconds = 0;
  double waiting_seconds = 0; ///< for batches; where the rank makes them itself, all of the two above
  double training_seconds = 0;
  double communication_seconds = 0; ///< part of the three above
  double bytes = 0;
  double messages = 0;
  double right = 0;
  double validated = 0;

  [[nodiscard]] double accuracy() const noexcept { return validated > 0 ? right / validated : 0; }
};

/// The reports of all ranks added up.
///
/// The ranks meet first, so that one that failed before takes the others along.
template <glt::communicator Comm>
epoch_report sum_over_ranks(Comm& comm, epoch_report const& own) {
  glt::run_together(comm, [] {});
  std::array<double, 13> values{own.loss,
                                own.seeds,
                                own.sampled_edges,
                                own.feature_rows,
                                own.sampling_seconds,
                                own.feature_seconds,
                                own.waiting_seconds,
                                own.training_seconds,
                                own.communication_seconds,
                                own.bytes,
                                own.messages,
                                own.right,
                                own.validated};
  comm.all_reduce(std::span<double>(values), glt::reduction::sum);
  return {values[0], values[1], values[2], values[3], values[4],  values[5], values[6],
          values[7], values[8], values[9], values[10], values[11], values[12]};
}

/// One line of text; seconds are means over ranks, everything else is of all ranks.
inline std::string line_of(epoch_report const& total, int num_ranks) {
  auto const mean = [num_ranks](double seconds) { return seconds / num_ranks; };
  auto const rate = [mean](double count, double seconds) {
    return seconds > 0 ? count / mean(seconds) / 1e6 : 0;
  };
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(),
                "loss %.6f, validation accuracy %.4f, waiting for batches %.2f s (sampling %.2f s, features %.2f s), "
                "training %.2f s, of these communication %.2f s; %.2f M sampled edges/s, %.2f M feature rows/s, "
                "sent %.2f MB in %.0f messages",
                total.seeds > 0 ? total.loss / total.seeds : 0, total.accuracy(),
                mean(total.waiting_seconds), mean(total.sampling_seconds), mean(total.feature_seconds),
                mean(total.training_seconds), mean(total.communication_seconds), rate(total.sampled_edges, total.sampling_seconds),
                rate(total.feature_rows, total.feature_seconds), total.bytes / 1e6, total.messages);
  return text.data();
}

} // namespace example

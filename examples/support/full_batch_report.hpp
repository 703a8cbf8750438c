// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "epoch_table.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
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

  [[nodiscard]] double mean_loss() const noexcept { return train.all > 0 ? loss / train.all : 0; }
};

/// The reports of all ranks added up, but for the peak, of which the largest is taken.
template <glt::communicator Comm>
full_batch_report sum_over_ranks(Comm& comm, full_batch_report const& own) {
  std::array<double, 11> sums{own.loss,       own.train.right, own.train.all, own.valid.right,           own.valid.all,
                              own.test.right, own.test.all,    own.seconds,   own.communication_seconds, own.bytes,
                              own.messages};
  glt::reduce_over_ranks(comm, sums, glt::reduction::sum);
  auto const peak = glt::reduce_over_ranks(comm, own.peak_remote_bytes, glt::reduction::max);
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

/// The table that people read; what is not `MPI` is computation.
inline epoch_table full_batch_table() {
  using enum epoch_table::style;
  return epoch_table({{"epoch", 5},
                      {"loss", 10, 6},
                      {"train", 8, 4},
                      {"valid", 8, 4},
                      {"test", 8, 4},
                      {"seconds", 9, 2},
                      {"compute", 9, 0, share},
                      {"MPI", 5, 0, share},
                      {"MB of rows", 12, 2},
                      {"messages", 10},
                      {"peak MB", 9, 2}});
}

/// A line of that table; seconds are means over ranks, the peak is of the rank with most, everything else is of all ranks.
inline std::string line_of(full_batch_report const& total, double epoch, int num_ranks) {
  auto const waiting = total.seconds > 0 ? total.communication_seconds / total.seconds : 0;
  return full_batch_table().row(std::array{epoch, total.mean_loss(), total.train.share(), total.valid.share(),
                                           total.test.share(), total.seconds / num_ranks, 1 - waiting, waiting,
                                           total.bytes / 1e6, total.messages, total.peak_remote_bytes / 1e6});
}

/// The same for programs.
inline nlohmann::ordered_json json_of(full_batch_report const& total, int num_ranks) {
  auto const whole = [](double count) { return static_cast<std::int64_t>(count); };
  return {{"loss", total.mean_loss()},
          {"train_accuracy", total.train.share()},
          {"valid_accuracy", total.valid.share()},
          {"test_accuracy", total.test.share()},
          {"seconds", total.seconds / num_ranks},
          {"computation_seconds", (total.seconds - total.communication_seconds) / num_ranks},
          {"communication_seconds", total.communication_seconds / num_ranks},
          {"bytes", whole(total.bytes)},
          {"messages", whole(total.messages)},
          {"peak_remote_bytes", whole(total.peak_remote_bytes)}};
}

} // namespace example

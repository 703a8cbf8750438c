// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "epoch_table.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace example {

/// What one rank did in an epoch's training steps, and how many of its validation vertices it got right.
struct epoch_report {
  double loss = 0; ///< sum over seeds
  double seeds = 0;
  double batches = 0; ///< with seeds
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

  [[nodiscard]] double mean_loss() const noexcept { return seeds > 0 ? loss / seeds : 0; }
  [[nodiscard]] double accuracy() const noexcept { return validated > 0 ? right / validated : 0; }
  [[nodiscard]] double seconds() const noexcept { return waiting_seconds + training_seconds; }
};

/// The reports of all ranks added up.
///
/// The ranks meet first, so that one that failed before takes the others along.
template <glt::communicator Comm>
epoch_report sum_over_ranks(Comm& comm, epoch_report const& own) {
  using report = epoch_report;
  constexpr std::array members{&report::loss,
                               &report::seeds,
                               &report::batches,
                               &report::sampled_edges,
                               &report::feature_rows,
                               &report::sampling_seconds,
                               &report::feature_seconds,
                               &report::waiting_seconds,
                               &report::training_seconds,
                               &report::communication_seconds,
                               &report::bytes,
                               &report::messages,
                               &report::right,
                               &report::validated};
  std::array<double, members.size()> values{};
  for (std::size_t i = 0; i < members.size(); ++i) {
    values[i] = own.*members[i];
  }
  glt::reduce_over_ranks(comm, values, glt::reduction::sum);
  report total;
  for (std::size_t i = 0; i < members.size(); ++i) {
    total.*members[i] = values[i];
  }
  return total;
}

/// The table that people read; `wait` and `train` are all of the seconds, what ranks prepare in advance comes on top.
inline epoch_table training_table() {
  using enum epoch_table::style;
  return epoch_table({{"epoch", 5},
                      {"loss", 10, 6},
                      {"valid", 8, 4},
                      {"seconds", 9, 2},
                      {"wait", 6, 0, share},
                      {"sample", 7, 0, share},
                      {"fetch", 6, 0, share},
                      {"train", 6, 0, share},
                      {"MPI", 5, 0, share},
                      {"M edges/s", 10, 2},
                      {"M rows/s", 9, 2},
                      {"MB", 8, 1},
                      {"messages", 9}});
}

/// A line of that table; seconds are means over ranks, everything else is of all ranks.
inline std::string line_of(epoch_report const& total, double epoch, int num_ranks) {
  auto const share = [&](double seconds) { return total.seconds() > 0 ? seconds / total.seconds() : 0; };
  auto const rate = [&](double count, double seconds) { return seconds > 0 ? count / seconds * num_ranks / 1e6 : 0; };
  return training_table().row(
      std::array{epoch, total.mean_loss(), total.accuracy(), total.seconds() / num_ranks, share(total.waiting_seconds),
                 share(total.sampling_seconds), share(total.feature_seconds), share(total.training_seconds),
                 share(total.communication_seconds), rate(total.sampled_edges, total.sampling_seconds),
                 rate(total.feature_rows, total.feature_seconds), total.bytes / 1e6, total.messages});
}

/// The same for programs.
inline nlohmann::ordered_json json_of(epoch_report const& total, int num_ranks) {
  auto const whole = [](double count) { return static_cast<std::int64_t>(count); };
  return {{"loss", total.mean_loss()},
          {"valid_accuracy", total.accuracy()},
          {"seconds", total.seconds() / num_ranks},
          {"waiting_seconds", total.waiting_seconds / num_ranks},
          {"sampling_seconds", total.sampling_seconds / num_ranks},
          {"feature_seconds", total.feature_seconds / num_ranks},
          {"training_seconds", total.training_seconds / num_ranks},
          {"communication_seconds", total.communication_seconds / num_ranks},
          {"batches", whole(total.batches)},
          {"seeds", whole(total.seeds)},
          {"sampled_edges", whole(total.sampled_edges)},
          {"feature_rows", whole(total.feature_rows)},
          {"bytes", whole(total.bytes)},
          {"messages", whole(total.messages)}};
}

} // namespace example

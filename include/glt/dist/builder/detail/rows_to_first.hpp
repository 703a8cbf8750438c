// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/builder/exchange.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Sends rows of a graph to rank 0 in rounds, the rows of rank 0 first. There it calls take(first, rows) for every
/// round, where `first` is the number of rows before.
///
/// rows_of(round) returns the rows of a round of this rank as a `csr_view`, valid until the next call. A `failure` from
/// before ends the rounds of all ranks, as does an exception of `rows_of` or `take`. An exception of the last `take`
/// becomes the failure of rank 0.
///
/// @shape  rows_of(round): any number of rows; columns are the num_columns vertices of the whole graph
/// @comm   collective; a header exchange, and `exchange_lists` of 8 bytes an edge and a row per round
/// @throws collective_error  on every rank, if there is a failure on a rank
template <communicator Comm, class RowsOf, class Take>
void rows_to_first(Comm& comm, std::int64_t num_columns, std::int64_t num_rounds, std::string& failure, RowsOf rows_of,
                   Take take) {
  auto const rounds = exchange_values(comm, {.what = operation::shuffle, .hop = 50}, failure, num_rounds);
  std::int64_t first = 0;
  for (std::size_t rank = 0; rank < rounds.size(); ++rank) {
    for (std::int64_t round = 0; round < rounds[rank].value; ++round) {
      std::vector<std::int64_t> list; // degrees, columns, and the number of rows
      std::vector<std::int64_t> counts;
      attempt(failure, [&] {
        if (static_cast<int>(rank) == comm.rank()) {
          auto const rows = rows_of(round);
          auto const begin = rows.offset(0);
          auto const end = rows.offset(rows.num_rows());
          list.reserve(static_cast<std::size_t>(rows.num_rows() + end - begin + 1));
          for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
            list.push_back(rows.degree(row));
          }
          list.insert(list.end(), rows.sources().data() + begin, rows.sources().data() + end);
          list.push_back(rows.num_rows());
        }
        counts.assign(rounds.size(), 0);
        counts[0] = std::ssize(list);
      });
      auto const arrived = exchange_lists(comm, {.what = operation::shuffle, .step = round, .hop = 51}, failure,
                                          host_view<std::int64_t const>(list), counts, exchange_round_bytes);
      list = {};
      if (comm.rank() == 0) {
        attempt(failure, [&] {
          auto const received = arrived.from(static_cast<int>(rank));
          auto const num_rows = received[received.size() - 1];
          std::vector<edge_offset> offsets{0};
          offsets.reserve(static_cast<std::size_t>(num_rows) + 1);
          for (auto const degree : received.subview(0, num_rows)) {
            offsets.push_back(offsets.back() + degree);
          }
          take(first, csr_view<memory_space::host, global_id>(num_columns, host_view<edge_offset const>(offsets),
                                                              received.subview(num_rows, offsets.back())));
          first += num_rows;
        });
      }
    }
  }
}

/// Passes all rows on to `rounds` on rank 0 as often as it wants them: a `balance_repair`, or the stream of a
/// multilevel partitioner. On other ranks there are none.
///
/// pass(take) sends all rows to rank 0, where it calls take(first, rows); see `rows_to_first`.
///
/// @comm   collective; a header exchange and a pass for every round, and a header exchange
/// @throws collective_error  on every rank, if there is a failure on a rank, but the last exception becomes the failure
template <communicator Comm, class Rounds, class Pass>
void run_rounds(Comm& comm, std::string& failure, std::optional<Rounds>& rounds, Pass pass) {
  auto const wants_round = [&] {
    bool const wanted = rounds && rounds->wants_round();
    return any_above_zero(exchange_values(comm, {.what = operation::shuffle, .hop = 49}, failure, wanted ? 1 : 0));
  };
  while (wants_round()) {
    pass([&](global_id first, auto const& rows) { rounds->see_rows(first, rows); });
    attempt(failure, [&] {
      if (rounds) {
        rounds->finish_round();
      }
    });
  }
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/prefetch.hpp>
#include <glt/io/detail/checked_pairs.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/progress.hpp>
#include <glt/memory/memory.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/shuffle_rounds.hpp>
#include <glt/sample/hotness/detail/log_miss.hpp>

namespace glt::io::detail {

/// Work on the edges [first, last) of one type: each adds its destination's values to the sums of its source.
///
/// @shape  values, sums [V, columns]
struct spread_listed_edges {
  static constexpr std::int64_t share_size = copied_pairs::most;
  static constexpr std::size_t ahead = 16;
  checked_pairs const& ends;
  std::int64_t first;
  std::int64_t last;
  global_id first_source; // of the type, among all types
  global_id first_destination;
  host_view<glt::detail::log_miss const> values;
  host_view<glt::detail::log_miss> sums;
  std::int64_t columns;

  [[nodiscard]] std::int64_t num_shares() const { return (last - first + share_size - 1) / share_size; }

  /// @throws precondition_error  as `checked_pairs::copy`
  void operator()(std::int64_t share) const {
    auto const begin = first + share * share_size;
    auto const end = std::min(begin + share_size, last);
    copied_pairs piece;
    ends.copy(begin, end, piece);
    auto const value_of = [&](std::size_t e) { return (first_destination + piece.destinations[e]) * columns; };
    auto const sum_of = [&](std::size_t e) { return (first_source + piece.sources[e]) * columns; };
    auto const count = static_cast<std::size_t>(end - begin);
    for (std::size_t e = 0; e < count; ++e) {
      if (e + ahead < count) {
        glt::detail::prefetch(values.data() + value_of(e + ahead));
        glt::detail::prefetch(sums.data() + sum_of(e + ahead));
      }
      for (std::int64_t c = 0; c < columns; ++c) {
        if (auto const value = values[value_of(e) + c]; value > 0) {
          glt::detail::add_capped(sums[sum_of(e) + c], value);
        }
      }
    }
  }
};

/// Spreads the values over this rank's slices of the edges, one slice of every type.
///
/// @shape  values, sums [V, columns]
/// @throws precondition_error  as `checked_pairs::copy`
/// @throws io_error            if a watched file was changed
inline void spread_own_edges(all_types const& graph, int ranks, int rank, host_view<glt::detail::log_miss const> values,
                             host_view<glt::detail::log_miss> sums, std::int64_t columns, device::cpu const& policy,
                             progress::callback const& on_progress) {
  constexpr std::int64_t edges_a_round = spread_listed_edges::share_size << 10;
  auto const& schema = graph.schema();
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const ends = ends_of(graph, e);
    auto const [first, last] = slice_of(ends.sources.size(), ranks, rank);
    for (auto begin = first; begin < last; begin += edges_a_round) {
      auto const count = std::min(edges_a_round, last - begin);
      spread_listed_edges const work{.ends = ends,
                                     .first = begin,
                                     .last = begin + count,
                                     .first_source = graph.first_vertex(schema.source_type(e)),
                                     .first_destination = graph.first_vertex(schema.destination_type(e)),
                                     .values = values,
                                     .sums = sums,
                                     .columns = columns};
      with_inputs(ends.inputs, [&] {
        policy.executor().for_ranges(work.num_shares(), 1, [&](std::int64_t from, std::int64_t to) {
          for (; from < to; ++from) {
            work(from);
          }
        });
      });
      if (on_progress) {
        on_progress(
            {.what = "estimating hotness", .unit = "edges", .done = begin + count - first, .total = last - first});
      }
    }
  }
}

} // namespace glt::io::detail

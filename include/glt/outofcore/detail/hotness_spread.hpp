// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/prefetch.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/progress.hpp>
#include <glt/memory/policy.hpp>
#include <glt/outofcore/all_types.hpp>
#include <glt/outofcore/detail/shuffle_rounds.hpp>
#include <glt/sample/hotness/detail/log_miss.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace glt::io::detail {

/// Edges of one type, of which each adds the values of its destination to the sums of its source.
///
/// @shape  values, sums [V, columns]
struct spread_listed_edges {
  static constexpr std::int64_t share_size = 1 << 12;
  static constexpr std::int64_t ahead = 16;
  host_view<global_id const> sources;
  host_view<global_id const> destinations;
  global_id first_source; // of the type, among all types
  global_id first_destination;
  host_view<glt::detail::log_miss const> values;
  host_view<glt::detail::log_miss> sums;
  std::int64_t columns;

  [[nodiscard]] std::int64_t num_shares() const { return (sources.size() + share_size - 1) / share_size; }

  void operator()(std::int64_t share) const {
    auto const last = std::min(sources.size(), (share + 1) * share_size);
    for (auto e = share * share_size; e < last; ++e) {
      if (e + ahead < last) {
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

private:
  [[nodiscard]] std::int64_t value_of(std::int64_t e) const {
    return (first_destination + destinations[e]) * columns;
  }
  [[nodiscard]] std::int64_t sum_of(std::int64_t e) const { return (first_source + sources[e]) * columns; }
};

/// Spreads the values over the slices of the edges, one of every type, that belong to a rank.
///
/// @shape  values, sums [V, columns]
/// @pre    the ends of the edges are vertices of their types; not checked
inline void spread_own_edges(all_types const& graph, int ranks, int rank,
                             host_view<glt::detail::log_miss const> values,
                             host_view<glt::detail::log_miss> sums, std::int64_t columns,
                             device::cpu const& policy, progress_callback const& on_progress) {
  constexpr std::int64_t edges_a_round = spread_listed_edges::share_size << 10;
  auto const& schema = graph.schema();
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const& edges = graph.data().edges[static_cast<std::size_t>(e)].columns;
    auto const [first, last] = slice_of(edges.sources.size(), ranks, rank);
    for (auto begin = first; begin < last; begin += edges_a_round) {
      auto const count = std::min(edges_a_round, last - begin);
      spread_listed_edges const work{.sources = edges.sources.subview(begin, count),
                                     .destinations = edges.destinations.subview(begin, count),
                                     .first_source = graph.first_vertex(schema.source_type(e)),
                                     .first_destination = graph.first_vertex(schema.destination_type(e)),
                                     .values = values,
                                     .sums = sums,
                                     .columns = columns};
      policy.executor().for_ranges(work.num_shares(), 1, [&](std::int64_t from, std::int64_t to) {
        for (; from < to; ++from) {
          work(from);
        }
      });
      if (on_progress) {
        on_progress({.what = "estimating hotness",
                     .unit = "edges",
                     .done = begin + count - first,
                     .total = last - first});
      }
    }
  }
}

} // namespace glt::io::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/io/detail/checked_pairs.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/outofcore/detail/edge_spill.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/shuffle_rounds.hpp>

namespace glt::io::detail {

/// Counts the edges into every vertex of a type and checks their ends; every rank reads its slice of the edges.
///
/// @shape  ends: the ends of `edges` → [num_destinations], by row_of(destination)
/// @comm   collective; one header exchange and a reduction of 8 bytes a vertex
/// @throws collective_error  on every rank, as `checked_pairs::for_each`, or if the numbers of sources, destinations
///                           and any weights or times differ
template <communicator Comm, class RowOf>
[[nodiscard]] std::vector<std::int64_t> count_in_edges(Comm& comm, edge_columns const& edges, checked_pairs const& ends,
                                                       RowOf row_of) {
  std::vector<std::int64_t> counts;
  auto const& of_type = ends.of_type;
  auto const failure = glt::detail::failure_of([&] {
    if (edges.sources.size() != edges.destinations.size()) {
      throw precondition_error(glt::detail::message(edges.sources.size(), " sources and ", edges.destinations.size(),
                                                    " destinations of edges", of_type,
                                                    "; every edge needs one of each"));
    }
    for (auto const values : {edges.weights.size(), edges.times.size()}) {
      if (values != 0 && values != edges.sources.size()) {
        throw precondition_error(glt::detail::message(values, " weights or times for ", edges.sources.size(), " edges",
                                                      of_type, "; give one per edge or none"));
      }
    }
    counts.assign(static_cast<std::size_t>(ends.num_destinations), 0);
    auto const [first, last] = slice_of(edges.sources.size(), comm.size(), comm.rank());
    ends.for_each(first, last, [&](edge_id, global_id, global_id destination) {
      ++counts[static_cast<std::size_t>(row_of(destination))];
    });
  });
  glt::detail::agree(
      comm, {.what = glt::detail::operation::shuffle}, failure, edges.sources.size(), [](auto own, auto first) {
        return glt::detail::message("has ", own, " edges, but rank 0 has ", first, "; give all ranks the same list");
      });
  comm.all_reduce(std::span<std::int64_t>(counts), reduction::sum);
  return counts;
}

/// Appends the bounds of ranges of the rows [first, last). A range has at most `most_edges` edges and at most twice as
/// many rows, or a single row.
///
/// @shape  counts: edges of every row
inline void append_bounds(std::vector<std::int64_t> const& counts, global_id first, global_id last,
                          std::int64_t most_edges, std::vector<global_id>& bounds) {
  auto const most_rows = std::max<std::int64_t>(2 * most_edges, 1);
  std::int64_t edges = 0;
  bounds.push_back(first);
  for (auto row = first; row < last; ++row) {
    auto const own = counts[static_cast<std::size_t>(row)];
    if ((edges > 0 && edges + own > most_edges) || row - bounds.back() == most_rows) {
      bounds.push_back(row);
      edges = 0;
    }
    edges += own;
  }
}

/// Returns the number of edges of a range for which `compress_range` fits in memory.
[[nodiscard]] inline std::int64_t edges_of_range(memory_plan const& plan) noexcept {
  return plan.for_edges / 4 / static_cast<std::int64_t>(sizeof(moving_edge) + sizeof(global_id) + sizeof(edge_id));
}

/// Moves edges to the ranks that keep their rows, where they wait in spills. make_edge(e, source, destination) returns
/// an edge as it is to arrive.
///
/// @comm   collective; as `shuffle_in_rounds`
/// @throws collective_error  on every rank, as `checked_pairs::for_each`, or if a spill cannot be written
/// @cost   reads every edge once, and sends 24 bytes for it
template <communicator Comm, class MakeEdge, class RankOfRow>
void spill_edges(Comm& comm, checked_pairs const& ends, MakeEdge make_edge, memory_plan const& plan,
                 progress::callback const& on_progress, RankOfRow rank_of_row, edge_spill& spill) {
  glt::detail::record_shuffle shuffle(comm, sizeof(moving_edge));
  shuffle_in_rounds(
      comm, shuffle, ends.sources.size(), plan.items_a_round(sizeof(moving_edge)),
      {.what = "moving edges to their parts", .unit = "edges"}, on_progress,
      [&](std::int64_t first, std::int64_t last) {
        ends.for_each(first, last, [&](edge_id e, global_id source, global_id destination) {
          moving_edge const edge = make_edge(e, source, destination);
          shuffle.add(rank_of_row(edge.row), &edge);
        });
      },
      [&](std::byte const* record) {
        moving_edge edge{};
        std::memcpy(&edge, record, sizeof(edge));
        spill.add(edge);
      });
}

} // namespace glt::io::detail

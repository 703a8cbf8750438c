// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/edge_spill.hpp>
#include <glt/outofcore/staging/detail/staged_edges.hpp>

#include <filesystem>

namespace glt::io::detail {

// Calls visit(source, destination, place) for every edge and for the reverse of every edge but self-loops. Places have
// the order of `symmetrize`, with gaps.
template <class Visit>
void for_both_ways(edge_columns const& edges, Visit visit) {
  auto const num_edges = edges.sources.size();
  for (std::int64_t e = 0; e < num_edges; ++e) {
    visit(edges.sources[e], edges.destinations[e], e);
    if (edges.sources[e] != edges.destinations[e]) {
      visit(edges.destinations[e], edges.sources[e], num_edges + e);
    }
  }
}

inline std::vector<std::int64_t> count_both_ways(edge_columns const& edges, std::int64_t num_vertices) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(num_vertices), 0);
  for_both_ways(edges, [&](global_id source, global_id destination, std::int64_t place) {
    for (auto const end : {source, destination}) {
      if (end < 0 || end >= num_vertices) {
        throw precondition_error(glt::detail::message("an end of edge ", place, " is ", end, ", outside [0, ",
                                                      num_vertices, "), the ids of the graph"));
      }
    }
    ++counts[static_cast<std::size_t>(destination)];
  });
  return counts;
}

/// Makes every edge go both ways, without duplicates and within a limit of memory. Returns the edges of
/// `remove_duplicates(symmetrize(…))`, in their order.
///
/// @shape  edges [E], whose weights and times are ignored → at most [2 E]
/// @where  8 bytes a vertex, and about `memory_bytes`, more if a single vertex has more edges; 96 bytes an edge in
///         temporary files of `folder`
/// @throws precondition_error  naming an edge whose end is outside [0, num_vertices)
/// @throws io_error            if the folder cannot be written
/// @cost   O(E log E); two passes over the edges, and two over files
[[nodiscard]] inline detail::staged_edges::columns stage_both_ways(detail::edge_columns const& edges,
                                                                   std::int64_t num_vertices,
                                                                   std::filesystem::path const& folder,
                                                                   std::int64_t memory_bytes) {
  constexpr auto edge_bytes = static_cast<std::int64_t>(sizeof(detail::moving_edge));
  auto const most_edges = std::max<std::int64_t>(memory_bytes / 2 / edge_bytes, 1);
  auto const waiting_bytes = memory_bytes / 8;

  std::vector<global_id> rows;
  detail::append_bounds(detail::count_both_ways(edges, num_vertices), 0, num_vertices, most_edges, rows);
  rows.push_back(num_vertices);
  std::vector<global_id> places;
  auto const num_places = 2 * edges.sources.size();
  for (std::int64_t first = 0; first < num_places; first += most_edges) {
    places.push_back(first);
  }
  places.resize(std::max<std::size_t>(places.size(), 1), 0);
  places.push_back(num_places);

  // Duplicates are in one row; the first of them returns to its place.
  auto const in_order = make_folders(folder.parent_path(), folder.filename() / "in-order");
  detail::edge_spill kept(in_order, std::move(places), waiting_bytes);
  {
    detail::edge_spill by_row(folder, std::move(rows), waiting_bytes);
    detail::for_both_ways(edges, [&](global_id source, global_id destination, std::int64_t place) {
      by_row.add({.row = destination, .column = source, .id = place});
    });
    for (int range = 0; range < by_row.num_ranges(); ++range) {
      auto taken = by_row.take(range);
      std::ranges::sort(taken, {},
                        [](detail::moving_edge const& edge) { return std::tuple(edge.row, edge.column, edge.id); });
      for (auto const* edge = taken.begin(); edge != taken.end(); ++edge) {
        if (edge == taken.begin() || std::pair(edge->row, edge->column) != std::pair(edge[-1].row, edge[-1].column)) {
          kept.add({.row = edge->id, .column = edge->column, .id = edge->row});
        }
      }
    }
  }
  detail::staged_edges made(folder, "both-ways");
  raw_data::edge_table piece;
  for (int range = 0; range < kept.num_ranges(); ++range) {
    auto taken = kept.take(range);
    std::ranges::sort(taken, {}, &detail::moving_edge::row);
    for (auto const& edge : taken) {
      piece.sources.push_back(edge.column);
      piece.destinations.push_back(edge.id);
      if (std::ssize(piece.sources) == std::int64_t{1} << 12) {
        made.take(piece);
      }
    }
  }
  made.take(piece);
  return std::move(made).finish();
}

} // namespace glt::io::detail

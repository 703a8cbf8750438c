// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/bisection.hpp>
#include <glt/exec/detail/team.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/link/detail/exclusions.hpp>

namespace glt::detail {

// Finds the positions in one row that hold an excluded source, and stores as many as there is room for. A row has room
// for one per excluded source, which is enough unless there are parallel edges.
template <class Graph, memory_space Space = Graph::space>
struct find_excluded {
  static constexpr memory_space space = Space;
  Graph graph;
  bool ascending;                          // every row of the graph
  array_view<space, row_edge const> edges; // ascending
  array_view<space, std::int64_t const> rows;
  array_view<space, std::int64_t const> first; // of every row in edges, and their number
  array_view<space, edge_offset> counts;
  array_view<space, edge_offset> kept;

  // Returns the row of the graph, which is the same for all batches.
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row(std::int64_t i) const { return rows[i] % graph.num_rows(); }

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    edge_offset const room = first[i + 1] - first[i];
    counts[i] = search(i, kept.data() + first[i], room);
  }

  // Searches by a team, for rows that are not sorted.
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    auto const found = search_by(team, i, kept.data() + first[i], first[i + 1] - first[i]);
    team.once([&] { counts[i] = found; });
  }
  template <class Team>
  GLT_HOST_DEVICE edge_offset search_by(Team const& team, std::int64_t i, edge_offset* out, edge_offset room) const {
    edge_offset const begin = graph.offset(row(i));
    edge_offset const degree = graph.degree(row(i));
    return team.select_if(
        degree, degree, [&](std::int64_t p) { return excluded(first[i], first[i + 1], graph.source(begin + p)); },
        [&](std::int64_t k, std::int64_t p) { k < room ? void(out[k] = p) : void(); });
  }

  // Writes the first `room` positions and returns the number of all.
  GLT_HOST_DEVICE edge_offset search(std::int64_t i, edge_offset* out, edge_offset room) const {
    edge_offset const begin = graph.offset(row(i));
    edge_offset const end = begin + graph.degree(row(i));
    edge_offset found = 0;
    auto const keep_matches = [&](edge_offset from, edge_offset to) {
      for (edge_offset e = from; e < to; ++e) {
        if (excluded(first[i], first[i + 1], graph.source(e))) {
          if (found < room) {
            out[found] = e - begin;
          }
          ++found;
        }
      }
    };
    if (ascending) {
      edge_offset from = begin;
      for (std::int64_t x = first[i]; x < first[i + 1]; ++x) {
        from = first_where(from, end, [&](edge_offset e) { return graph.source(e) >= edges[x].source; });
        edge_offset to = from;
        while (to < end && graph.source(to) == edges[x].source) {
          ++to;
        }
        keep_matches(from, to);
        from = to;
      }
      return found;
    }
    constexpr std::int64_t few = 8; // a search of each block pays for so many sources
    bool const by_block = first[i + 1] - first[i] <= few;
    for (edge_offset from = begin; from < end; from += search_block) {
      edge_offset const to = end - from < search_block ? end : from + search_block;
      if (!by_block || to - from < search_block || any_in_block(i, from)) {
        keep_matches(from, to);
      }
    }
    return found;
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE bool any_in_block(std::int64_t i, edge_offset from) const {
    bool found = false;
    for (std::int64_t x = first[i]; x < first[i + 1]; ++x) {
      found |= block_holds(graph.sources().data() + from, static_cast<typename Graph::vertex_type>(edges[x].source));
    }
    return found;
  }

  // True if one of edges[low], …, edges[high − 1] has this source; needs low < high.
  [[nodiscard]] GLT_HOST_DEVICE bool excluded(std::int64_t low, std::int64_t high, std::int64_t source) const {
    // One less than the first above it: a row with one excluded source, the usual case, needs no bisection.
    auto const behind = first_where(low + 1, high, [&](std::int64_t at) { return edges[at].source > source; });
    return edges[behind - 1].source == source;
  }
};

// Moves the positions of one row to their place; searches again if there was not room for all.
template <class Graph, memory_space Space = Graph::space>
struct place_excluded {
  find_excluded<Graph, Space> find;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, edge_offset> positions;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    if (search_again(i)) {
      find.search(i, positions.data() + offsets[i], offsets[i + 1] - offsets[i]);
    } else {
      place(serial_team<>{}, i);
    }
  }
  // Searches by a team, for rows that are not sorted.
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    if (search_again(i)) {
      find.search_by(team, i, positions.data() + offsets[i], offsets[i + 1] - offsets[i]);
    } else {
      place(team, i);
    }
  }
  [[nodiscard]] GLT_HOST_DEVICE bool search_again(std::int64_t i) const {
    return offsets[i + 1] - offsets[i] > find.first[i + 1] - find.first[i];
  }

private:
  template <class Team>
  GLT_HOST_DEVICE void place(Team const& team, std::int64_t i) const {
    team.for_each(offsets[i + 1] - offsets[i],
                  [&](std::int64_t k) { positions[offsets[i] + k] = find.kept[find.first[i] + k]; });
  }
};

} // namespace glt::detail

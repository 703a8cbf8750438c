// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/exec/detail/team.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/link/detail/exclusions.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>

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

  // Searches the row of edge i, if it is the first of the row.
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    counts[i] = is_first(i) ? search(i, kept.data() + first[i], first[i + 1] - first[i]) : 0;
  }

  // Searches by a team, for rows that are not sorted.
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    auto const found = is_first(i) ? search_by(team, i, kept.data() + first[i], first[i + 1] - first[i]) : 0;
    team.once([&] { counts[i] = found; });
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size(std::int64_t i) const {
    return is_first(i) ? graph.degree(row(i)) : 0;
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
  [[nodiscard]] GLT_HOST_DEVICE bool is_first(std::int64_t i) const { return i == 0 || rows[i] != rows[i - 1]; }

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
      find.search(i, positions.data() + offsets[i], found(i));
    } else {
      place(serial_team<>{}, i);
    }
  }
  // Searches by a team, for rows that are not sorted.
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    if (search_again(i)) {
      find.search_by(team, i, positions.data() + offsets[i], found(i));
    } else {
      place(team, i);
    }
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size(std::int64_t i) const {
    return search_again(i) ? find.size(i) : found(i);
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE edge_offset found(std::int64_t i) const { return offsets[i + 1] - offsets[i]; }
  [[nodiscard]] GLT_HOST_DEVICE bool search_again(std::int64_t i) const {
    return found(i) > 0 && found(i) > find.first[i + 1] - find.first[i];
  }

  template <class Team>
  GLT_HOST_DEVICE void place(Team const& team, std::int64_t i) const {
    team.for_each(found(i), [&](std::int64_t k) { positions[offsets[i] + k] = find.kept[find.first[i] + k]; });
  }
};

/// Edges that seed edges exclude: the seed edges, their reverses, or first the ones and then the others.
template <memory_space Space, class Vertex>
struct excluded_seed_edges {
  seed_edges_view<Space, Vertex> seeds;
  bool edges;
  bool reverses;

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size() const { return (edges && reverses ? 2 : 1) * seeds.size(); }
  [[nodiscard]] GLT_HOST_DEVICE row_edge operator()(std::int64_t x) const {
    auto const i = x < seeds.size() ? x : x - seeds.size();
    bool const reversed = !edges || x >= seeds.size();
    std::int64_t const source = seeds.sources[seeds.source_of(i)];
    std::int64_t const destination = seeds.destinations[i];
    return reversed ? row_edge{source, destination} : row_edge{destination, source};
  }
};

template <memory_space Space, class Edges>
struct list_excluded_sources {
  Edges edge;
  array_view<Space, std::int64_t> keys;
  array_view<Space, std::int64_t> order;
  GLT_HOST_DEVICE void operator()(std::int64_t x) const {
    keys[x] = edge(x).source;
    order[x] = x;
  }
};
template <memory_space Space, class Edges>
struct list_excluded_rows {
  Edges edge;
  array_view<Space, std::int64_t const> order;
  array_view<Space, std::int64_t> rows;
  GLT_HOST_DEVICE void operator()(std::int64_t x) const { rows[x] = edge(order[x]).row; }
};

// Writes the sorted edges and, for the first edge of a row, the row's begin and end. Duplicate edges are harmless; a
// row belongs to its first edge, and its other edges have no positions.
template <memory_space Space, class Edges>
struct divide_excluded {
  Edges edge;
  array_view<Space, std::int64_t const> order;
  array_view<Space, std::int64_t const> rows;
  array_view<Space, row_edge> edges;
  array_view<Space, std::int64_t> first; // [X + 1]; x and x + 1 hold both ends of the row of its first edge x
  array_view<Space, std::uint64_t> filter;

  GLT_HOST_DEVICE void operator()(std::int64_t x) const {
    using view = exclusions_view<Space>;
    if (x == rows.size()) {
      first[x] = x;
      return;
    }
    edges[x] = edge(order[x]);
    if (x > 0 && rows[x] == rows[x - 1]) {
      first[x] = first_where(x, rows.size(), [&](std::int64_t at) { return rows[at] > rows[x]; });
      return;
    }
    first[x] = x;
    auto* const word = filter.data() + view::word(rows[x], filter.size());
    auto const bit = std::uint64_t{1} << view::bit(rows[x]);
    for (auto seen = atomic_load(word); (seen & bit) == 0;) {
      auto const before = atomic_compare_exchange(word, seen, seen | bit);
      seen = before == seen ? seen | bit : before;
    }
  }
};

// Searches rows; threads of a GPU share rows that are searched from end to end.
template <class Executor, class F>
void search_rows(Executor const& ex, bool ascending, std::int64_t n, F const& f) {
  if constexpr (!host_executor<Executor>) {
    if (!ascending) {
      for_teams_by_size(ex, n, f);
      return;
    }
  }
  ex.for_each(n, f);
}

/// Edges that sampling leaves out; made anew for every batch in the same memory.
template <device_policy Policy>
class edge_exclusions {
public:
  static constexpr memory_space space = Policy::space;

  explicit edge_exclusions(Policy policy = {})
      : policy_(policy), keys_(0, policy), order_(0, policy), rows_(0, policy), edges_(0, policy), first_(0, policy),
        counts_(0, policy), kept_(0, policy), offsets_(0, policy), positions_(0, policy), filter_(0, policy) {}

  /// Looks edges up, all parallel ones included; they need not exist, and may occur twice. `ascending` is the result of
  /// `rows_ascend`. The view is valid until the next call.
  ///
  /// @param  edges  a functor over memory that the policy's executor reaches: `edges(x)` is a `row_edge` for x in
  ///                [0, edges.size())
  /// @where  waits once, for the number of edges found
  /// @units  row b · graph.num_rows() + r is row r of the graph for batch b
  /// @pre    no row is negative; not checked
  /// @cost   two sorts of the edges and, unless rows ascend, one pass over the rows; allocates only while they are more
  ///         than in any call before
  template <memory_space GraphSpace, vertex_id Vertex, class Edges>
  exclusions_view<space> look_up(csr_view<GraphSpace, Vertex> graph, Edges edges, bool ascending = false) {
    using graph_type = csr_view<GraphSpace, Vertex>;
    auto const ex = policy_.executor();
    auto const size = edges.size();
    if (size == 0) {
      return {};
    }
    sort(edges, size);
    counts_.resize(size);
    kept_.resize(size);
    offsets_.resize(size + 1);
    auto const rows = std::as_const(rows_).view();
    find_excluded<graph_type, space> const find{
        graph,          ascending,   std::as_const(edges_).view(), rows, std::as_const(first_).view(),
        counts_.view(), kept_.view()};
    search_rows(ex, ascending, size, find);
    ex.exclusive_scan(std::as_const(counts_).view(), offsets_.view());
    auto const offsets = std::as_const(offsets_).view();
    positions_.resize(read_element(policy_, offsets, size));
    search_rows(ex, ascending, size, place_excluded<graph_type, space>{find, offsets, positions_.view()});
    return {std::as_const(filter_).view(), rows, offsets, std::as_const(positions_).view()};
  }

private:
  template <class Edges>
  void sort(Edges edges, std::int64_t size) {
    auto const ex = policy_.executor();
    keys_.resize(size);
    order_.resize(size);
    rows_.resize(size);
    edges_.resize(size);
    first_.resize(size + 1);
    filter_.resize(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size) / 4 + 1)));
    auto const order = std::as_const(order_).view();
    ex.for_each(size, list_excluded_sources<space, Edges>{edges, keys_.view(), order_.view()});
    ex.sort_by_key(keys_.view(), order_.view());
    ex.for_each(size, list_excluded_rows<space, Edges>{edges, order, rows_.view()});
    ex.sort_by_key(rows_.view(), order_.view());
    ex.for_each(filter_.size(), fill_elements<space, std::uint64_t>{filter_.view(), 0});
    ex.for_each(size + 1, divide_excluded<space, Edges>{edges, order, std::as_const(rows_).view(), edges_.view(),
                                                        first_.view(), filter_.view()});
  }

  Policy policy_;
  buffer<Policy, std::int64_t> keys_;
  buffer<Policy, std::int64_t> order_;
  buffer<Policy, std::int64_t> rows_;
  buffer<Policy, row_edge> edges_;
  buffer<Policy, std::int64_t> first_;
  buffer<Policy, edge_offset> counts_;
  buffer<Policy, edge_offset> kept_;
  buffer<Policy, edge_offset> offsets_;
  buffer<Policy, edge_offset> positions_;
  buffer<Policy, std::uint64_t> filter_;
};

} // namespace glt::detail

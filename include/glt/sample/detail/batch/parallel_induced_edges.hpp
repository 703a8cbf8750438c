// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/detail/adopt_policy.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/row_search.hpp>

#include <utility>

namespace glt::detail {

// Rows are cut into pieces of equal length, but for the last piece of each: equal work for threads.
inline constexpr std::int64_t edges_of_piece = 32;

template <class Graph, memory_space Space, class Row>
struct count_pieces {
  Graph graph;
  array_view<Space, Row const> rows;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return (graph.degree(rows[i]) + edges_of_piece - 1) / edges_of_piece;
  }
};

template <class Graph, memory_space Space, class Row>
struct row_pieces {
  Graph graph;
  array_view<Space, Row const> rows;
  array_view<Space, std::int64_t const> first_pieces; // [S + 1]

  struct piece {
    edge_offset begin;
    edge_offset end;
  };
  [[nodiscard]] GLT_HOST_DEVICE piece operator[](std::int64_t p) const {
    auto const i = row_of_edge(first_pieces, p);
    auto const begin = graph.offset(rows[i]) + (p - first_pieces[i]) * edges_of_piece;
    auto const end = graph.offset(rows[i] + 1);
    return {begin, end - begin < edges_of_piece ? end : begin + edges_of_piece};
  }
};

template <class Graph, memory_space Space, class Row, class PositionOf>
struct count_known {
  row_pieces<Graph, Space, Row> pieces;
  PositionOf position_of;
  array_view<Space, std::int64_t> counts;
  GLT_HOST_DEVICE void operator()(std::int64_t p) const {
    auto const [begin, end] = pieces[p];
    std::int64_t count = 0;
    for (auto e = begin; e < end; ++e) {
      count += position_of(pieces.graph.source(e)) >= 0 ? 1 : 0;
    }
    counts[p] = count;
  }
};

template <memory_space Space>
struct offset_of_row {
  array_view<Space, std::int64_t const> first_pieces;
  array_view<Space, std::int64_t const> before; // known edges before a piece
  array_view<Space, edge_offset> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { offsets[i] = before[first_pieces[i]]; }
};

template <class Graph, memory_space Space, class Row, class PositionOf>
struct write_known {
  row_pieces<Graph, Space, Row> pieces;
  PositionOf position_of;
  array_view<Space, std::int64_t const> before;
  array_view<Space, local_id> sources;
  array_view<Space, edge_id> edge_ids;
  GLT_HOST_DEVICE void operator()(std::int64_t p) const {
    auto const [begin, end] = pieces[p];
    auto next = before[p];
    for (auto e = begin; e < end; ++e) {
      if (auto const position = position_of(pieces.graph.source(e)); position >= 0) {
        sources[next] = static_cast<local_id>(position);
        if (!edge_ids.empty()) {
          edge_ids[next] = pieces.graph.id_of_edge(e);
        }
        ++next;
      }
    }
  }
};

/// Selection of edges whose sources belong to a set of vertices, with all threads of a policy; reusable.
///
/// Looks up every edge twice instead of storing it; threads share long rows.
template <device_policy Policy, vertex_id Vertex>
class parallel_induced_edges {
  static constexpr memory_space space = Policy::space;

public:
  explicit parallel_induced_edges(Policy policy = {})
      : policy_(policy), counts_(0, policy), first_pieces_(0, policy), before_(0, policy) {}

  /// Writes, for every row of a list, the positions in the set of its sources that belong to the set.
  ///
  /// @shape  rows [S] · set [N], not read · out.offsets [S + 1], written, with sources and, on request, edge ids
  /// @units  out.sources are the results of the functor `position_of` for the sources; results below 0 are left out
  /// @where  waits twice, for the number of pieces of rows and for the number of edges found
  /// @pre    every row is in [0, graph.num_rows()); not checked
  /// @cost   two look-ups per edge of the rows; 16 bytes for each of S rows and for each 32 edges of a row
  template <memory_space GraphSpace, class Row, class PositionOf>
  void select(csr_view<GraphSpace, Vertex> graph, array_view<space, Row const> rows, array_view<space, Vertex const>,
              PositionOf position_of, bool edge_ids, hop_sample<Policy, local_id>& out) {
    using graph_type = csr_view<GraphSpace, Vertex>;
    auto const ex = policy_.executor();
    adopt_policy(policy_, out.offsets, out.sources, out.edge_ids);
    first_pieces_.resize(rows.size() + 1);
    ex.exclusive_scan(rows.size(), count_pieces<graph_type, space, Row>{graph, rows}, first_pieces_.view());
    auto const first_pieces = std::as_const(first_pieces_).view();
    auto const num_pieces = read_element(policy_, first_pieces, rows.size());
    row_pieces<graph_type, space, Row> const pieces{graph, rows, first_pieces};
    counts_.clear(); // nothing to keep
    counts_.resize(num_pieces);
    before_.resize(num_pieces + 1);
    ex.for_each(num_pieces, count_known<graph_type, space, Row, PositionOf>{pieces, position_of, counts_.view()});
    ex.exclusive_scan(std::as_const(counts_).view(), before_.view());
    auto const before = std::as_const(before_).view();
    out.offsets.resize(rows.size() + 1);
    ex.for_each(out.offsets.size(), offset_of_row<space>{first_pieces, before, out.offsets.view()});
    auto const num_known = read_element(policy_, before, num_pieces);
    out.sources.resize(num_known);
    out.edge_ids.resize(edge_ids ? num_known : 0);
    ex.for_each(num_pieces, write_known<graph_type, space, Row, PositionOf>{pieces, position_of, before,
                                                                            out.sources.view(), out.edge_ids.view()});
  }

private:
  Policy policy_;
  buffer<Policy, std::int64_t> counts_;
  buffer<Policy, std::int64_t> first_pieces_;
  buffer<Policy, std::int64_t> before_;
};

} // namespace glt::detail

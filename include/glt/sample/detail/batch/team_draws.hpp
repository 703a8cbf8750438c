// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/detail/team.hpp>
#include <glt/sample/detail/batch/row_draws.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

// Count of a row, for scans that compute it on the fly.
template <class Graph, class Request>
struct count_row {
  Graph graph;
  Request request;

  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return count_of_row(graph, request, i); }
};

// Counts for a row by a team.
template <class Graph, class Request>
struct count_row_by_team {
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset> counts;

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size(std::int64_t i) const {
    return request.rule.work(graph, request.rows[i]);
  }
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    auto const& r = request;
    auto const count = r.rule.count_by(team, graph, r.rows[i], r.query(i), r.options, r.key, r.subject(i));
    team.once([&] { counts[i] = count; });
  }
};

// Replaces positions in a row by the sources there, for threads that process one row each; several reads overlap.
template <class Graph>
GLT_HOST_DEVICE void read_picked_together(Graph const& graph, std::int64_t row, std::int64_t count,
                                          typename Graph::vertex_type* sources, edge_id* edge_ids) {
  constexpr int together = 8;
  edge_offset const begin = graph.offset(row);
  for (std::int64_t first = 0; first < count; first += together) {
    edge_id ids[together];
    typename Graph::vertex_type read[together];
    for (int k = 0; k < together; ++k) {
      if (first + k < count) {
        auto const edge = begin + sources[first + k];
        read[k] = graph.source(edge);
        ids[k] = edge_ids == nullptr ? 0 : graph.id_of_edge(edge);
      }
    }
    for (int k = 0; k < together; ++k) {
      if (first + k < count) {
        sources[first + k] = read[k];
        edge_ids == nullptr ? void() : void(edge_ids[first + k] = ids[k]);
      }
    }
  }
}

// Reads a picked edge to its place, for teams.
template <class Graph>
struct read_edge {
  Graph const& graph;
  edge_offset begin; // of the row
  typename Graph::vertex_type* sources;
  edge_id* edge_ids; // null if not requested

  GLT_HOST_DEVICE void operator()(std::int64_t i, std::int64_t position) const {
    auto const source = graph.source(begin + position);
    if (edge_ids != nullptr) {
      edge_ids[i] = graph.id_of_edge(begin + position);
    }
    sources[i] = source;
  }
};

// Draws a row and reads it at once, for threads that process one row each, and for teams.
template <class Graph, class Request>
struct sample_row {
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset const> offsets;
  array_view<Request::space, typename Graph::vertex_type> sources;
  array_view<Request::space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    draw(i, [&](std::int64_t row, std::int64_t count, auto* out, edge_id* ids) {
      auto const& r = request;
      r.rule.pick(graph, row, r.query(i), r.options, r.key, r.subject(i), count, out);
      read_picked_together(graph, row, count, out, ids);
    });
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size(std::int64_t i) const {
    return request.rule.work(graph, request.rows[i]);
  }
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    draw(i, [&](std::int64_t row, std::int64_t count, auto* out, edge_id* ids) {
      auto const& r = request;
      r.rule.pick_by(team, graph, row, r.query(i), r.options, r.key, r.subject(i), count, out,
                     read_edge<Graph>{graph, graph.offset(row), out, ids});
    });
  }

private:
  template <class Draw>
  GLT_HOST_DEVICE void draw(std::int64_t i, Draw const& draw_row) const {
    auto const first = offsets[i];
    if (auto const count = offsets[i + 1] - first; count > 0) {
      draw_row(std::int64_t{request.rows[i]}, count, sources.data() + first,
               edge_ids.empty() ? nullptr : edge_ids.data() + first);
    }
  }
};

// Reads edge e of rows that give all their edges in order: one thread per edge, for any length of rows.
template <class Graph, class Request>
struct read_edge_of_rows {
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset const> offsets;
  array_view<Request::space, typename Graph::vertex_type> sources;
  array_view<Request::space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    auto const i = row_of_edge(offsets, e);
    read_edge<Graph> const read{graph, graph.offset(request.rows[i]), sources.data(),
                                edge_ids.empty() ? nullptr : edge_ids.data()};
    read(e, e - offsets[i]);
  }
};

// Runs a functor such as `sample_row` for n rows, with the number of threads per row that the rule requests.
template <class Rule, class Graph, class Executor, class F>
void draw_rows(Executor const& ex, hop_options options, std::int64_t n, F const& f) {
  if constexpr (counts_by_team<Rule, Graph>) {
    for_teams_by_size(ex, n, f);
  } else {
    if constexpr (requires { Rule::shares_row(options); }) {
      if (Rule::shares_row(options)) {
        for_teams(ex, n, f);
        return;
      }
    }
    ex.for_each(n, f);
  }
}

} // namespace glt::detail

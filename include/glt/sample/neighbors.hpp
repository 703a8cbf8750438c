// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/prefetch.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule.hpp>

#include <cstdint>
#include <type_traits>

namespace glt {

/// Names vertices for the random numbers: their original ids, or the row numbers themselves where nothing was
/// renumbered.
template <memory_space Space>
using original_ids = array_view<Space, global_id const>;

/// What one hop is to draw: the rows to expand, and how. What is known of the graph may be in another space than the
/// request.
///
/// @shape  rows [S] · original [graph.num_rows()] or empty · queries [S], or empty if the rule has none
/// @units  rows are row numbers of the graph, in any order
template <memory_space Space, class Row, class Rule = uniform_rule, memory_space GraphSpace = Space>
struct hop_request {
  static constexpr memory_space space = Space;

  array_view<Space, Row const> rows;
  original_ids<GraphSpace> original;
  hop_options options;
  random_key key;
  Rule rule{};
  array_view<Space, typename Rule::query_type const> queries{};

  /// Names the random stream of request i.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t subject(std::int64_t i) const noexcept {
    return static_cast<std::uint64_t>(original.empty() ? std::int64_t{rows[i]} : original[rows[i]]);
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto query(std::int64_t i) const noexcept {
    if constexpr (has_query<Rule>) {
      return queries[i];
    } else {
      return no_query{};
    }
  }
};

namespace detail {

// How many rows ahead the offsets of a row are asked for, and how many rows later its sources are read: enough
// work for a miss of the cache.
inline constexpr std::int64_t rows_ahead = 48;
inline constexpr std::int64_t rows_behind = 32;

// Rows that are worth a thread.
inline constexpr std::int64_t rows_per_thread = 256;

// Asks for what the draws of a later row will read: its offsets first, then what its rule looks at.
template <class Graph, class Request>
GLT_HOST_DEVICE void look_ahead(Graph const& graph, Request const& request, std::int64_t i, std::int64_t last) {
  if (i + rows_ahead < last) {
    std::int64_t const row = request.rows[i + rows_ahead];
    prefetch(graph.offsets().data() + row);
    if (!request.original.empty()) {
      prefetch(request.original.data() + row);
    }
  }
  if constexpr (requires { request.rule.prefetch(graph, std::int64_t{}); }) {
    if (i + rows_ahead / 2 < last) {
      request.rule.prefetch(graph, request.rows[i + rows_ahead / 2]);
    }
  }
}

template <class Graph, class Request>
[[nodiscard]] GLT_HOST_DEVICE std::int64_t count_of_row(Graph const& graph, Request const& request, std::int64_t i) {
  return request.rule.count(graph, request.rows[i], request.query(i), request.options, request.key,
                            request.subject(i));
}

// Counts for a row, for threads that do one row each.
template <class Graph, class Request>
struct count_row {
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset> counts;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const { counts[i] = count_of_row(graph, request, i); }
};

// The same, row after row.
template <class Graph, class Request>
struct count_rows {
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset> counts;

  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    for (std::int64_t i = first; i < last; ++i) {
      look_ahead(graph, request, i, last);
      counts[i] = count_of_row(graph, request, i);
    }
  }
};

// Replaces positions in a row by the sources there; writes edge ids too if there is room for them.
template <class Graph>
GLT_HOST_DEVICE void read_picked(Graph const& graph, std::int64_t row, std::int64_t count,
                                 typename Graph::vertex_type* sources, edge_id* edge_ids) {
  edge_offset const begin = graph.offset(row);
  for (std::int64_t j = 0; edge_ids != nullptr && j < count; ++j) {
    edge_ids[j] = graph.id_of_edge(begin + sources[j]);
  }
  for (std::int64_t j = 0; j < count; ++j) {
    sources[j] = graph.source(begin + sources[j]);
  }
}

// Draws a row and reads it at once, for threads that do one row each.
template <class Graph, class Request>
struct sample_row {
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset const> offsets;
  array_view<Request::space, typename Graph::vertex_type> sources;
  array_view<Request::space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const first = offsets[i];
    auto const count = offsets[i + 1] - first;
    if (count > 0) {
      auto const& r = request;
      std::int64_t const row = r.rows[i];
      auto* const out = sources.data() + first;
      r.rule.pick(graph, row, r.query(i), r.options, r.key, r.subject(i), count, out);
      read_picked(graph, row, count, out, edge_ids.empty() ? nullptr : edge_ids.data() + first);
    }
  }
};

// The same, row after row. The places of the sources hold the picked positions first, so that no other memory is
// needed; the sources replace them some rows later, when their cache lines have arrived.
template <class Graph, class Request>
struct sample_rows {
  using vertex = typename Graph::vertex_type;
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset const> offsets;
  array_view<Request::space, vertex> sources;
  array_view<Request::space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    constexpr std::int64_t picks_behind = in_two_halves ? rows_behind : 0;
    constexpr std::int64_t reads_behind = picks_behind + rows_behind;
    for (std::int64_t i = first; i < last + reads_behind; ++i) {
      look_ahead(graph, request, i, last);
      if constexpr (in_two_halves) {
        if (i < last) {
          auto const& r = request;
          r.rule.prepare(graph, r.rows[i], r.query(i), r.options, r.key, r.subject(i), count(i), picked(i));
        }
      }
      if (i - picks_behind >= first && i - picks_behind < last) {
        pick(i - picks_behind);
      }
      if (i - reads_behind >= first) {
        auto const row = i - reads_behind;
        read_picked(graph, request.rows[row], count(row), picked(row),
                    edge_ids.empty() ? nullptr : edge_ids.data() + offsets[row]);
      }
    }
  }

private:
  static constexpr bool in_two_halves = requires(Request const& r, Graph const& g, vertex* out) {
    r.rule.prepare(g, std::int64_t{}, r.query(0), r.options, r.key, r.subject(0), std::int64_t{}, out);
  };

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count(std::int64_t i) const { return offsets[i + 1] - offsets[i]; }
  [[nodiscard]] GLT_HOST_DEVICE vertex* picked(std::int64_t i) const { return sources.data() + offsets[i]; }

  GLT_HOST_DEVICE void pick(std::int64_t i) const {
    auto const& r = request;
    std::int64_t const row = r.rows[i];
    vertex* const out = picked(i);
    if constexpr (in_two_halves) {
      r.rule.finish(graph, row, r.query(i), r.options, r.key, r.subject(i), count(i), out);
    } else {
      r.rule.pick(graph, row, r.query(i), r.options, r.key, r.subject(i), count(i), out);
    }
    edge_offset const begin = graph.offset(row);
    for (std::int64_t j = 0; j < count(i); ++j) {
      prefetch(graph.sources().data() + begin + out[j]);
    }
    if (!edge_ids.empty() && graph.has_edge_ids()) {
      for (std::int64_t j = 0; j < count(i); ++j) {
        prefetch(graph.edge_ids().data() + begin + out[j]);
      }
    }
  }
};

template <class Graph, class Request>
void check_request(Graph const& graph, Request const& request, std::int64_t num_offsets) {
  validate(request.options);
  if (num_offsets != request.rows.size() + 1) {
    throw precondition_error(message("sampling ", request.rows.size(), " rows with ", num_offsets,
                                     " offsets; give one more offset than rows"));
  }
  if (!request.original.empty() && request.original.size() != graph.num_rows()) {
    throw precondition_error(message(request.original.size(), " original ids for ", graph.num_rows(),
                                     " rows; give one per row or none"));
  }
  if (has_query<decltype(request.rule)> && request.queries.size() != request.rows.size()) {
    throw precondition_error(message(request.queries.size(), " queries for ", request.rows.size(),
                                     " rows; give one per row"));
  }
}

} // namespace detail

/// Counts what `sample_neighbors` will write for every row and sums the counts up.
///
/// @shape  counts [S], scratch · offsets [S + 1], written, from 0
/// @where  memory that `ex` reaches; enqueues and does not synchronise
/// @pre    every row is in [0, graph.num_rows()); not checked
/// @throws precondition_error  if counts is not [S] or offsets not [S + 1], or the request contradicts itself
/// @cost   O(S) for a rule that counts in O(1)
template <executor Executor, memory_space Space, memory_space GraphSpace, vertex_id Vertex, class Row,
          draw_rule<csr_view<GraphSpace, Vertex>> Rule>
  requires reaches<Executor, Space> && reaches<Executor, GraphSpace>
void count_neighbors(Executor const& ex, csr_view<GraphSpace, Vertex> graph,
                     hop_request<Space, Row, Rule, GraphSpace> const& request, array_view<Space, edge_offset> counts,
                     array_view<Space, edge_offset> offsets) {
  using graph_type = csr_view<GraphSpace, Vertex>;
  using request_type = hop_request<Space, Row, Rule, GraphSpace>;
  detail::check_request(graph, request, offsets.size());
  if (counts.size() != request.rows.size()) {
    throw precondition_error(detail::message("counting neighbours of ", request.rows.size(), " rows into ",
                                             counts.size(), " counts; give as many counts as rows"));
  }
  if constexpr (host_executor<Executor>) {
    ex.for_ranges(request.rows.size(), detail::rows_per_thread,
                  detail::count_rows<graph_type, request_type>{graph, request, counts});
  } else {
    ex.for_each(request.rows.size(), detail::count_row<graph_type, request_type>{graph, request, counts});
  }
  ex.exclusive_scan(array_view<Space, edge_offset const>(counts), offsets);
}

/// Samples in-neighbours of every row as its rule says.
///
/// The draws of a row depend on the key, the original id of its vertex and its query, not on its place in
/// `rows` or on the executor.
///
/// @shape  offsets [S + 1] of `count_neighbors` · sources [offsets[S]], written · edge_ids [offsets[S]],
///         written, or empty
/// @units  sources are numbered as the columns of the graph
/// @where  memory that `ex` reaches; enqueues and does not synchronise
/// @pre    every row is in [0, graph.num_rows()), offsets come from the same request, and a row has fewer than
///         2³¹ edges where `Vertex` has 32 bits; not checked
/// @throws precondition_error  if the sizes do not fit each other, or the options are wrong; on an executor of the
///                             host also if sources is not [offsets[S]]
/// @cost   O(S · fanout) work for `uniform_rule`, no memory
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 2
template <executor Executor, memory_space Space, memory_space GraphSpace, vertex_id Vertex, class Row,
          draw_rule<csr_view<GraphSpace, Vertex>> Rule>
  requires reaches<Executor, Space> && reaches<Executor, GraphSpace>
void sample_neighbors(Executor const& ex, csr_view<GraphSpace, Vertex> graph,
                      hop_request<Space, Row, Rule, GraphSpace> const& request,
                      array_view<Space, edge_offset const> offsets, array_view<Space, Vertex> sources,
                      array_view<Space, edge_id> edge_ids) {
  using graph_type = csr_view<GraphSpace, Vertex>;
  using request_type = hop_request<Space, Row, Rule, GraphSpace>;
  detail::check_request(graph, request, offsets.size());
  if constexpr (host_executor<Executor>) {
    if (offsets[request.rows.size()] != sources.size()) {
      throw precondition_error(detail::message("sampling ", offsets[request.rows.size()], " neighbours into ",
                                               sources.size(),
                                               " sources; give as many sources as the last offset says"));
    }
  }
  if (!edge_ids.empty() && edge_ids.size() != sources.size()) {
    throw precondition_error(detail::message("sampling into ", sources.size(), " sources and ", edge_ids.size(),
                                             " edge ids; give as many ids as sources, or none"));
  }
  if constexpr (host_executor<Executor>) {
    ex.for_ranges(request.rows.size(), detail::rows_per_thread,
                  detail::sample_rows<graph_type, request_type>{graph, request, offsets, sources, edge_ids});
  } else {
    ex.for_each(request.rows.size(),
                detail::sample_row<graph_type, request_type>{graph, request, offsets, sources, edge_ids});
  }
}

} // namespace glt

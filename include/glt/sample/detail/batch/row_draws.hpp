// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Returns the row of an edge, by bisection of the offsets: for threads that process one edge each.
///
/// @shape  offsets [S + 1], ascending from 0
/// @pre    edge is in [0, offsets[S]); not checked
/// @cost   O(log S)
template <memory_space Space, class Offset>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t row_of_edge(array_view<Space, Offset const> offsets,
                                                                 std::int64_t edge) noexcept {
  return first_where(0, offsets.size() - 2, [&](std::int64_t row) { return offsets[row + 1] > edge; });
}

// Prefetch distances in rows: offsets are prefetched `rows_ahead`, sources are read `rows_behind` later; enough to hide
// a cache miss.
inline constexpr std::int64_t rows_ahead = 48;
inline constexpr std::int64_t rows_behind = 32;

// Least number of rows for a thread.
inline constexpr std::int64_t rows_per_thread = 256;

// Prefetches the data that the draws of a later row will read: its offsets first, then the data of its rule.
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
  return request.rule.count(graph, request.rows[i], request.query(i), request.options, request.key, request.subject(i));
}

// Counts row after row; if the rule has `find`, stores the results of `find` instead.
template <class Graph, class Request>
struct count_rows {
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset> counts;

  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    for (std::int64_t i = first; i < last; ++i) {
      look_ahead(graph, request, i, last);
      if constexpr (finds_in_rows<decltype(Request::rule), Graph>) {
        counts[i] = request.rule.find(graph, request.rows[i], request.query(i));
      } else {
        counts[i] = count_of_row(graph, request, i);
      }
    }
  }
};

// Returns the counts of rows from the results of `find`.
template <class Request>
struct count_found {
  Request request;
  array_view<Request::space, edge_offset const> found;

  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return request.rule.count_found(found[i], request.options);
  }
};

// Replaces positions in a row by the sources there; writes edge ids too if there is room for them.
template <class Graph>
GLT_HOST_DEVICE void read_picked(Graph const& graph, std::int64_t row, std::int64_t count,
                                 typename Graph::vertex_type* sources, edge_id* edge_ids) {
  edge_offset const begin = graph.offset(row);
  if (edge_ids != nullptr) {
    for (std::int64_t j = 0; j < count; ++j) {
      edge_ids[j] = graph.id_of_edge(begin + sources[j]);
    }
  }
  for (auto* const end = sources + count; sources < end; ++sources) {
    *sources = graph.source(begin + *sources);
  }
}

// Reads the first edges of a row, for rules that give just these.
template <class Graph>
GLT_HOST_DEVICE void read_first(Graph const& graph, std::int64_t row, std::int64_t count,
                                typename Graph::vertex_type* sources, edge_id* edge_ids) {
  edge_offset const begin = graph.offset(row);
  for (std::int64_t j = 0; j < count; ++j) {
    sources[j] = graph.source(begin + j);
  }
  for (std::int64_t j = 0; edge_ids != nullptr && j < count; ++j) {
    edge_ids[j] = graph.id_of_edge(begin + j);
  }
}

// Draws rows and reads them, row after row. The places of the sources hold the picked positions first, so that no other
// memory is needed. Sources replace them some rows later, when their cache lines have arrived.
template <class Graph, class Request>
struct sample_rows {
  using vertex = typename Graph::vertex_type;
  Graph graph;
  Request request;
  array_view<Request::space, edge_offset const> offsets;
  array_view<Request::space, vertex> sources;
  array_view<Request::space, edge_id> edge_ids;
  array_view<Request::space, edge_offset const> found = {}; // by `count_rows`, if available

  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    constexpr std::int64_t picks_behind = in_two_halves ? rows_behind : 0;
    constexpr std::int64_t reads_behind = picks_behind + rows_behind;
    if (gives_all_in_order(request.rule, request.options)) {
      for (std::int64_t i = first; i < last; ++i) {
        look_ahead(graph, request, i, last);
        read_first(graph, request.rows[i], count(i), picked(i),
                   edge_ids.empty() ? nullptr : edge_ids.data() + offsets[i]);
      }
      return;
    }
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
    } else if constexpr (finds_in_rows<decltype(Request::rule), Graph>) {
      found.empty() ? r.rule.pick(graph, row, r.query(i), r.options, r.key, r.subject(i), count(i), out)
                    : r.rule.pick_found(graph, row, found[i], r.options, r.key, r.subject(i), count(i), out);
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

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/pick.hpp>

#include <cstdint>
#include <type_traits>

namespace glt {

/// Names vertices for the random numbers: their original ids, or the row numbers themselves where nothing was
/// renumbered.
template <memory_space Space>
using original_ids = array_view<Space, global_id const>;

namespace detail {

template <class Graph, class Rows>
struct count_row {
  Graph graph;
  Rows rows;
  hop_options options;
  array_view<Graph::space, edge_offset> counts;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { counts[i] = num_picked(graph.degree(rows[i]), options); }
};

template <class Graph, class Rows>
struct sample_row {
  using vertex = typename Graph::vertex_type;
  Graph graph;
  Rows rows;
  original_ids<Graph::space> original;
  hop_options options;
  random_key key;
  array_view<Graph::space, edge_offset const> offsets;
  array_view<Graph::space, vertex> sources;
  array_view<Graph::space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    std::int64_t const row = rows[i];
    std::int64_t const subject = original.empty() ? row : original[row];
    edge_offset const first = graph.offset(row);
    vertex* const out = sources.data() + offsets[i];
    std::int64_t const count = offsets[i + 1] - offsets[i];
    // The places of the sources hold the picked positions first, so that no other memory is needed.
    pick_positions(random_stream(key, static_cast<std::uint64_t>(subject)), graph.degree(row), options, out);
    for (std::int64_t j = 0; j < count; ++j) {
      edge_offset const position = first + out[j];
      if (!edge_ids.empty()) {
        edge_ids[offsets[i] + j] = graph.id_of_edge(position);
      }
      out[j] = graph.source(position);
    }
  }
};

} // namespace detail

/// Counts what `sample_neighbors` will write for every row and sums the counts up.
///
/// @shape  rows [S] · counts [S], scratch · offsets [S + 1], written, from 0
/// @where  memory of the graph's space; enqueues on `ex` and does not synchronise
/// @pre    every row is in [0, graph.num_rows()); not checked
/// @throws precondition_error  if counts is not [S] or offsets not [S + 1], or the options are wrong
/// @cost   O(S)
template <executor Executor, memory_space Space, vertex_id Vertex, class Row>
  requires reaches<Executor, Space>
void count_neighbors(Executor const& ex, csr_view<Space, Vertex> graph, array_view<Space, Row> rows,
                     hop_options options, array_view<Space, edge_offset> counts,
                     array_view<Space, edge_offset> offsets) {
  validate(options);
  if (counts.size() != rows.size() || offsets.size() != rows.size() + 1) {
    throw precondition_error(detail::message("counting neighbours of ", rows.size(), " rows into ", counts.size(),
                                             " counts and ", offsets.size(),
                                             " offsets; give as many counts as rows and one offset more"));
  }
  ex.for_each(rows.size(), detail::count_row<csr_view<Space, Vertex>, array_view<Space, Row>>{graph, rows, options, counts});
  ex.exclusive_scan(array_view<Space, edge_offset const>(counts), offsets);
}

/// Samples in-neighbours of every row uniformly, without or with replacement.
///
/// The draws of a row depend on `key` and its original id alone, not on its place in `rows` or on the
/// executor.
///
/// @shape  rows [S] · offsets [S + 1] of `count_neighbors` · sources [offsets[S]], written · edge_ids
///         [offsets[S]], written, or empty · original [graph.num_rows()] or empty
/// @units  rows are row numbers; sources are numbered as the columns of the graph
/// @where  memory of the graph's space; enqueues on `ex` and does not synchronise
/// @pre    every row is in [0, graph.num_rows()), offsets come from the same rows and options, and a row has
///         fewer than 2³¹ edges where `Vertex` has 32 bits; not checked
/// @throws precondition_error  if the sizes do not fit each other, or the options are wrong; in host memory
///                             also if sources is not [offsets[S]]
/// @cost   O(S · fanout) work, no memory
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 2
template <executor Executor, memory_space Space, vertex_id Vertex, class Row>
  requires reaches<Executor, Space>
void sample_neighbors(Executor const& ex, csr_view<Space, Vertex> graph, array_view<Space, Row> rows,
                      original_ids<Space> original, hop_options options, random_key key,
                      array_view<Space, edge_offset const> offsets, array_view<Space, Vertex> sources,
                      array_view<Space, edge_id> edge_ids) {
  validate(options);
  if (offsets.size() != rows.size() + 1) {
    throw precondition_error(detail::message("sampling ", rows.size(), " rows with ", offsets.size(),
                                             " offsets; give one more offset than rows"));
  }
  if constexpr (Space == memory_space::host) {
    if (offsets[rows.size()] != sources.size()) {
      throw precondition_error(detail::message("sampling ", offsets[rows.size()], " neighbours into ", sources.size(),
                                               " sources; give as many sources as the last offset says"));
    }
  }
  if (!edge_ids.empty() && edge_ids.size() != sources.size()) {
    throw precondition_error(detail::message("sampling into ", sources.size(), " sources and ", edge_ids.size(),
                                             " edge ids; give as many ids as sources, or none"));
  }
  if (!original.empty() && original.size() != graph.num_rows()) {
    throw precondition_error(detail::message(original.size(), " original ids for ", graph.num_rows(),
                                             " rows; give one per row or none"));
  }
  ex.for_each(rows.size(), detail::sample_row<csr_view<Space, Vertex>, array_view<Space, Row>>{
                               graph, rows, original, options, key, offsets, sources, edge_ids});
}

} // namespace glt

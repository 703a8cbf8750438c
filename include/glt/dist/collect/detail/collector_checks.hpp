// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

// Checks that a collector of one row per vertex has rows that were made for its rank.
template <communicator Comm>
void check_collected(partition_book const& book, std::int64_t rows, Comm const& comm) {
  if (book.num_parts() != comm.size() || book.size(comm.rank()) != rows) {
    throw precondition_error(message("features of ", book.num_parts(), " parts collected by ", own_rank_text(comm),
                                     "; use the communicator that the store was made with"));
  }
}

// Checks that `count` is not negative, nor more than the number of vertices.
inline void check_num_first(std::string_view what, std::int64_t count, std::int64_t num_vertices) {
  if (count < 0 || count > num_vertices) {
    throw precondition_error(
        message(count, " ", what, " of ", num_vertices, " vertices; ask for as many as there are vertices, or fewer"));
  }
}

// Checks a number of labels in the same way; it must be 0 if there are no labels.
inline void check_num_labels(std::int64_t num_labels, std::int64_t num_vertices, bool has_labels) {
  check_num_first("labels", num_labels, num_vertices);
  if (num_labels > 0 && !has_labels) {
    throw precondition_error("labels were asked for, but the feature store has none; give it labels or ask for 0");
  }
}

// Checks that a collector of edge rows has features that were made for as many ranks.
inline void check_collected_edges(partition_book const& book, int ranks) {
  if (book.num_parts() != ranks) {
    throw precondition_error(message("edge features of ", book.num_parts(), " parts collected by ", ranks,
                                     " ranks; use the communicator that they were made with"));
  }
}

// Checks that a list has memory to write to.
inline void check_is_wanted(bool has_out) {
  if (!has_out) {
    throw precondition_error("a list has nothing to write its rows to; set `out`");
  }
}

// Checks that there is one destination per edge, and that the rows are of edges.
inline void check_edges(std::int64_t num_edges, std::int64_t num_destinations, bool by_edge) {
  if (!by_edge) {
    throw precondition_error("ids of edges, but the features are of vertices; collect them by vertices");
  }
  if (num_edges != num_destinations) {
    throw precondition_error(message(num_edges, " edges with ", num_destinations, " destinations; give one per edge"));
  }
}

} // namespace glt::detail

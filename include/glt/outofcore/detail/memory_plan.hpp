// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::io::detail {

/// Division of a rank's memory limit, to partition a graph larger than memory.
struct memory_plan {
  std::int64_t for_vertices = 0; ///< arrays of one element per vertex of the graph
  std::int64_t for_edges = 0;    ///< three quarters of the remaining memory: pieces of the edge list and of features

  static constexpr std::int64_t bytes_a_vertex = 32;
  static constexpr std::int64_t least_left = std::int64_t{16} << 20; ///< a quarter of it for the program itself

  /// Returns the number of items, held three times each, that fit in a quarter of `for_edges`; at least 1.
  [[nodiscard]] std::int64_t items_a_round(std::int64_t item_bytes) const noexcept {
    auto const items = for_edges / 4 / (3 * item_bytes);
    return items > 0 ? items : 1;
  }
};

/// Divides a memory limit; the work needs `more_a_vertex` bytes a vertex more than usual.
///
/// @units  bytes of this process, mapped files and its code aside
/// @throws precondition_error  naming the smallest sufficient limit, if this one is too small
[[nodiscard]] inline detail::memory_plan plan_memory(std::int64_t num_vertices, std::int64_t memory_bytes,
                                                     std::int64_t more_a_vertex = 0) {
  constexpr auto most = std::int64_t{1} << 62; // more than any memory
  auto const a_vertex = memory_plan::bytes_a_vertex + more_a_vertex;
  detail::memory_plan plan{.for_vertices = num_vertices > most / a_vertex ? most : a_vertex * num_vertices};
  auto const left = memory_bytes - plan.for_vertices;
  plan.for_edges = left / 4 * 3;
  if (left < memory_plan::least_left) {
    throw precondition_error(glt::detail::message("memory limit of ", memory_bytes, " bytes for ", num_vertices,
                                                  " vertices; allow ", plan.for_vertices + memory_plan::least_left,
                                                  " bytes or more"));
  }
  return plan;
}

} // namespace glt::io::detail

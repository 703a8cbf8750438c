// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "available_memory.hpp"
#include "console.hpp"
#include "options.hpp"

#include <glt/core/detail/atomic_file.hpp>
#include <glt/core/error.hpp>
#include <glt/io/detail/atomic_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

namespace glt_partition {

/// Removes what killed runs left beside --out, and refuses outputs that could not be written after the work.
inline void prepare_outputs(options const& chosen, console& out) {
  for (auto const& left : glt::io::detail::remove_abandoned(chosen.out)) {
    out.say("note: removed " + left.string() + ", which a run left that was killed");
  }
  glt::io::detail::atomic_folder const trial(chosen.out);
}

/// Refuses reports that could not be written after the work.
inline void check_reports(options const& chosen) {
  for (auto const& report : chosen.reports) {
    glt::detail::atomic_file const trial(report);
  }
}

/// Refuses numbers of parts that make no sense, and work that takes more memory than there is; notes an empty graph.
/// `bytes` are those that the work takes beside what it has read.
inline void check_size(options const& chosen, std::int64_t num_vertices, std::int64_t num_edges, double bytes,
                       console& out) {
  if (num_vertices == 0 || num_edges == 0) {
    out.say("note: " + chosen.input.string() + " holds no " + (num_vertices == 0 ? "vertices" : "edges"));
  }
  if (num_vertices > 0 && chosen.parts > num_vertices) {
    throw glt::precondition_error(glt::detail::message("--parts ", chosen.parts, " of ", num_vertices,
                                                       " vertices; ask for ", num_vertices, " or fewer"));
  }
  auto const available = available_memory();
  auto const room = static_cast<double>(chosen.memory > 0 ? std::min(chosen.memory, available) : available);
  auto const in_text = [](double number) { return short_number(number) + "B"; };
  auto const of_parts = 16.0 * chosen.parts * chosen.parts; // edges between each two of them
  if (of_parts > room) {
    throw glt::precondition_error(glt::detail::message("--parts ", chosen.parts, " takes about ", in_text(of_parts),
                                                       " of memory for edges between parts, and ", in_text(room),
                                                       " can be had; ask for fewer"));
  }
  if (bytes > room) {
    throw glt::precondition_error(
        glt::detail::message("dividing ", num_vertices, " vertices and ", num_edges, " edges takes about ",
                             in_text(bytes), " of memory, and ", in_text(room), " can be had; ",
                             chosen.memory > 0 ? "allow more by --memory" : "--memory keeps edges and features on disk",
                             ", and ids that are far apart should be numbered from 0"));
  }
}

} // namespace glt_partition

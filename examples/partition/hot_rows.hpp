// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "options.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/hot_vertices.hpp>
#include <glt/outofcore/detail/hotness.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace glt_partition {

/// Throws if --cache-ratio has nothing to go by.
inline void check_cache_ratio(options const& chosen, glt::io::detail::all_types const& graph) {
  if (chosen.cache_ratio == 0) {
    return;
  }
  if (graph.train().empty()) {
    throw glt::precondition_error("--cache-ratio of a data set without training vertices, which choose the rows; leave "
                                  "out the option, or add a split");
  }
  if (chosen.fanouts.front() == 0) {
    throw glt::precondition_error(
        "--cache-ratio with a first --fanout of 0, which reaches no vertex; give a larger one");
  }
}

/// For every part and node type the remote vertices that the part's training vertices reach most, as many as
/// --cache-ratio says of the vertices of the type; none if it says 0. A rank has the lists of the parts that it writes.
///
/// @shape  part_of [V of all types], the same on all ranks → [node types] or empty
template <glt::communicator Comm>
std::vector<glt::io::write_options::hot_vertices>
find_hot(Comm comm, options const& chosen, glt::io::detail::all_types const& graph,
         glt::host_view<glt::local_id const> part_of, glt::io::detail::memory_plan const& plan,
         glt::io::task_progress::callback on_progress = {}) {
  if (chosen.cache_ratio == 0) {
    return {};
  }
  return glt::io::detail::find_hot_vertices(comm, graph, part_of, chosen.parts, chosen.cache_ratio,
                                            {.hotness = hotness_of(chosen),
                                             .plan = plan,
                                             .policy = cpu(chosen.threads),
                                             .on_progress = std::move(on_progress)});
}

/// The same for a data set in the memory of one process, with room for four parts at a time and for all lists.
inline std::vector<glt::io::write_options::hot_vertices> find_hot(options const& chosen, glt::io::raw_data const& data,
                                                                  glt::host_view<glt::local_id const> part_of) {
  glt::io::detail::all_types const graph(data.view());
  auto const kept = static_cast<std::int64_t>(chosen.cache_ratio * static_cast<double>(graph.num_vertices())) + 1;
  return find_hot(glt::serial_comm(), chosen, graph, part_of,
                  {.for_vertices = 4 * glt::io::detail::memory_plan::bytes_a_vertex * graph.num_vertices(),
                   .for_edges = 32 * (chosen.parts + 2) * kept});
}

} // namespace glt_partition

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/detail/balance_repair.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt {

/// Moves vertices out of parts that exceed limits; first the vertices that cut fewest edges for the relief.
///
/// A partitioner that assigns one vertex after the other, and METIS, keep limits only while they find room. If all
/// limits hold, no vertex moves, except into empty parts: if V >= num_parts, every part gets a vertex. If the limits
/// cannot all be kept, the parts exceed them less than before, or are unchanged. A limit on vertices alone is always
/// kept.
///
/// @shape  graph [V] rows · part_of [V] → [V]
/// @pre    sources are in [0, V); not checked, see `validate`
/// @throws precondition_error  if num_parts < 1, the graph is not square, part_of does not have one entry a vertex, an
///                             entry is outside [0, num_parts), or a limit is wrong
/// @cost   O(V · limits) if the limits hold; else up to 8 rounds of O(V log V + E), and 20 bytes a vertex
template <vertex_id Vertex>
[[nodiscard]] buffer<device::cpu, local_id> repair_balance(csr_view<memory_space::host, Vertex> graph,
                                                           buffer<device::cpu, local_id> part_of,
                                                           balance_constraints const& limits, int num_parts) {
  detail::check_partition(graph, num_parts);
  if (part_of.size() != graph.num_rows()) {
    throw precondition_error(detail::message("parts of ", part_of.size(), " vertices for a graph of ", graph.num_rows(),
                                             "; give one for each"));
  }
  detail::balance_repair repair(std::move(part_of), limits, num_parts);
  while (repair.wants_round()) {
    repair.see_rows(0, graph);
    repair.finish_round();
  }
  return std::move(repair).result();
}

} // namespace glt

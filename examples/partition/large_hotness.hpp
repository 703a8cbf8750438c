// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assign.hpp"
#include "options.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/hot_vertices.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>

#include <filesystem>
#include <utility>

namespace glt_partition {

/// Assigns the vertices of a graph that stays on disk by --method frequency.
///
/// make_limits(in_degrees) makes the limits of --balance, on rank 0; scratch is a folder of this rank.
///
/// @shape  dealt [V of all types]: parts by LDG without limits, which training vertices count for; the same on all
///         ranks → [V of all types], on every rank
template <glt::communicator Comm, class MakeLimits>
assignment assign_by_frequency(Comm comm, options const& chosen, glt::io::detail::all_types const& graph,
                               glt::host_view<glt::local_id const> dealt, MakeLimits make_limits,
                               glt::io::detail::memory_plan const& plan, std::filesystem::path const& scratch,
                               glt::io::task_progress::callback on_progress = {}) {
  return glt::io::detail::assign_by_frequency(comm, graph, dealt, chosen.parts,
                                              {.estimate = {.hotness = hotness_of(chosen),
                                                            .plan = plan,
                                                            .policy = cpu(chosen.threads),
                                                            .on_progress = std::move(on_progress)},
                                               .capacity_slack = chosen.slack,
                                               .scratch = scratch},
                                              make_limits);
}

} // namespace glt_partition

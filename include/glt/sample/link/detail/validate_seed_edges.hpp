// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>

namespace glt::detail {

/// Throws for invalid lists of seed edges.
///
/// @shape  sources [S] · destinations [S · per_source]
/// @where  synchronises
/// @throws precondition_error  if the lengths do not fit, or an end is not a vertex of its type, naming the first
/// @cost   O(P)
template <device_policy Policy, class Id>
void validate_seed_edges(Policy const& policy, array_view<Policy::space, Id> sources,
                         array_view<Policy::space, Id> destinations, std::int64_t num_sources,
                         std::int64_t num_destinations, std::int64_t per_source = 1) {
  if (sources.size() * per_source != destinations.size()) {
    throw precondition_error(message("seed edges with ", sources.size(), " sources and ", destinations.size(),
                                     " destinations; give ", per_source,
                                     " per source, as negative_options::positives "
                                     "says"));
  }
  validate_vertices(policy, "source of seed edge", sources, num_sources);
  validate_vertices(policy, "destination of seed edge", destinations, num_destinations);
}

/// Checks lists in ordinary memory.
template <class Id>
void validate_seed_edges(host_view<Id> sources, host_view<Id> destinations, std::int64_t num_sources,
                         std::int64_t num_destinations, std::int64_t per_source = 1) {
  validate_seed_edges(device::cpu(), sources, destinations, num_sources, num_destinations, per_source);
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/link/link_options.hpp>

namespace glt::detail {

// Returns the place of an offset that does not ascend from 0 to `num_destinations`, or the number of offsets.
template <memory_space Space>
struct place_of_wrong_offset {
  array_view<Space, std::int64_t const> offsets;
  std::int64_t num_destinations;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    bool const fits = (i == 0 ? offsets[i] == 0 : offsets[i] >= offsets[i - 1]) &&
                      (i < offsets.size() - 1 ? offsets[i] <= num_destinations : offsets[i] == num_destinations);
    return fits ? offsets.size() : i;
  }
};

/// Throws if sources do not have as many destinations as there are.
///
/// @shape  offsets [S + 1], or empty: one each
/// @where  synchronises
/// @throws precondition_error  if there is another number of offsets, or they do not ascend from 0 to the number of
///                             destinations, naming the first
/// @cost   O(S)
template <device_policy Policy>
void validate_offsets(Policy const& policy, array_view<Policy::space, std::int64_t const> offsets,
                      std::int64_t num_sources, std::int64_t num_destinations) {
  if (offsets.empty() ? num_sources != num_destinations : offsets.size() != num_sources + 1) {
    throw precondition_error(message("seed edges with ", num_sources, " sources, ", num_destinations,
                                     " destinations and ", offsets.size(),
                                     " offsets; give one destination per source and no offsets, or one offset more "
                                     "than sources"));
  }
  auto const wrong = policy.executor().reduce(
      offsets.size(), offsets.size(), place_of_wrong_offset<Policy::space>{offsets, num_destinations}, smaller{});
  if (wrong < offsets.size()) {
    throw precondition_error(message("offset ", wrong, " of seed edges is ", read_element(policy, offsets, wrong),
                                     "; offsets ascend from 0 to the number of destinations, ", num_destinations));
  }
}

/// Throws for invalid lists of seed edges.
///
/// @shape  destinations [P]
/// @where  synchronises
/// @throws precondition_error  as `validate_offsets`, or if an end is not a vertex of its type, naming the first
/// @cost   O(S + P)
template <device_policy Policy, vertex_id Vertex>
void validate_seed_edges(Policy const& policy, link_sources<Policy::space, Vertex> sources,
                         array_view<Policy::space, Vertex const> destinations, std::int64_t num_sources,
                         std::int64_t num_destinations) {
  validate_offsets(policy, sources.offsets, sources.size(), destinations.size());
  validate_vertices(policy, "source of seed edge", sources.ids, num_sources);
  validate_vertices(policy, "destination of seed edge", destinations, num_destinations);
}

} // namespace glt::detail

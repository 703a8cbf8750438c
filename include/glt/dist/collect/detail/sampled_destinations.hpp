// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

template <class Nodes, class Places>
struct gather_destinations {
  Nodes nodes;
  Places places;
  global_id* out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = static_cast<global_id>(nodes[places[i]]); }
};

/// Writes the destinations of edges, given by their places among the nodes of a sample; they tell the edges' owners.
template <device_policy Policy, vertex_id Vertex>
void sampled_destinations(Policy const& policy, array_view<Policy::space, Vertex const> nodes,
                          array_view<Policy::space, local_id const> places, buffer<Policy, global_id>& out) {
  out.clear();
  out.resize(places.size());
  policy.executor().for_each(places.size(),
                             gather_destinations<decltype(nodes), decltype(places)>{nodes, places, out.data()});
}

/// Writes the destinations of all edges of a sample, in its order.
template <device_policy Policy, vertex_id Vertex>
void sampled_destinations(Policy const& policy, sampled_subgraph<Policy, Vertex> const& sample,
                          buffer<Policy, global_id>& out) {
  sampled_destinations(policy, sample.nodes(), sample.col(), out);
}

} // namespace glt::detail

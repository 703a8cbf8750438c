// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/dist/full_batch/detail/needed_sources.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/graph.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace glt::dist {

/// Layers of a network over only the vertices that some seeds depend on.
///
/// @shape  inputs: local rows of the graph that the first layer reads, its sources · layers: first layer first; the
///         destinations of each layer are the sources of the next, the destinations of the last are the seeds ·
///         edge_ids: for each layer, ids of its edges in the order in which passes number them (positions in the part
///         if the graph has no ids)
template <communicator Comm, device_policy Policy>
struct message_flow_graphs {
  std::vector<local_id> inputs;
  std::vector<sharded_graph<Comm, Policy>> layers;
  std::vector<buffer<Policy, edge_id>> edge_ids;
};

/// Finds, layer by layer, the vertices that the seeds of all ranks need: seeds, their in-neighbours, the in-neighbours
/// of these, and so on.
///
/// As in sampled blocks, destinations are the first of the sources. A pass over a layer combines all in-edges of its
/// destinations. So L layers give the seeds the same result as on the whole graph.
///
/// @shape  seeds [S], distinct local rows of the graph
/// @where  ordinary memory
/// @comm   collective, every rank with the same number of layers; per layer as `sharded_graph`
/// @throws collective_error  on every rank, if a seed is not a row of a rank's part or is repeated, num_layers differs
///                           or is below 1, or as `sharded_graph`
/// @cost   O(V) and, per layer, O(E' log R) for E' edges of the layer
template <communicator Comm, host_policy Policy, vertex_id Vertex>
[[nodiscard]] message_flow_graphs<Comm, Policy> make_mfgs(Comm comm, graph<Policy, Vertex> const& graph,
                                                          host_view<local_id const> seeds, std::int64_t num_layers,
                                                          sharding_options options = {}, Policy policy = {}) {
  auto const rows = graph.local();
  glt::detail::needed_sources numbers;
  auto const failure = detail::failure_of([&] {
    if (num_layers < 1) {
      throw precondition_error(detail::message("message-flow graphs of ", num_layers, " layers; ask for 1 or more"));
    }
    numbers = glt::detail::needed_sources(rows.num_rows(), seeds);
  });
  auto const headers = glt::detail::exchange_values(glt::detail::host_comm(comm),
                                                    {.what = detail::operation::make_mfgs}, failure, num_layers);
  glt::detail::check_same(comm, headers, &glt::detail::call_header::value, [](std::int64_t value, std::int64_t first) {
    return detail::message("asks for ", value, " layers while rank 0 asks for ", first,
                           "; make the same calls on all ranks");
  });
  message_flow_graphs<Comm, Policy> made;
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    auto edges = glt::detail::take_rows<Policy, Vertex>(rows, numbers.vertices(), policy);
    auto boundary =
        glt::detail::find_boundary(comm, graph.book(), edges.graph.view(), rows.num_rows(), options, policy);
    numbers.add_sources(boundary);
    made.layers.emplace_back(comm, edges.graph.view(), std::move(boundary), options, policy);
    made.edge_ids.push_back(std::move(edges.ids));
  }
  std::ranges::reverse(made.layers);
  std::ranges::reverse(made.edge_ids);
  made.inputs = std::move(numbers).vertices();
  return made;
}

} // namespace glt::dist

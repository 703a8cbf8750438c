// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/sample/full_neighborhoods.hpp>

namespace glt {

namespace detail {

// Returns the walk of make(first vertex), padded to the same number of batches on every rank.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Make>
full_neighborhoods<Policy, Vertex> walk_in_step(Comm& comm, dist::graph<Policy, Vertex> const& graph, Make make) {
  std::optional<full_neighborhoods<Policy, Vertex>> walk;
  auto const failure = detail::failure_of([&] {
    detail::check_own_part(comm, graph.part(), graph.book().num_parts(), "part", "walked by");
    walk.emplace(make(static_cast<Vertex>(graph.book().begin(graph.part()))));
  });
  auto const headers =
      detail::exchange_values(comm, {.what = detail::operation::plan_epoch}, failure, walk ? walk->num_batches() : 0);
  walk->pad_to(std::ranges::max(headers, {}, &detail::call_header::value).value);
  return *std::move(walk);
}

} // namespace detail

namespace dist {

/// Makes a walk over the vertices of this rank's part with all their in-edges; all ranks have as many batches.
///
/// A rank with fewer batches than others gets empty batches at the end. So each batch can be followed by a collective
/// call, such as `feature_collector::collect(batch.nodes(), …)`. In-neighbourhoods are complete on one rank: the walk
/// itself sends nothing.
///
/// @shape  nodes() of a batch are global ids, first the destinations, which are of this part
/// @comm   collective; one header exchange
/// @throws collective_error  on every rank, if a limit of a rank is below 1, or the graph was made for another rank or
///                           number of ranks
/// @cost   O(rows of the part); the graph must outlive the walk
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] full_neighborhoods<Policy, Vertex>
make_full_neighborhoods(Comm comm, graph<Policy, Vertex> const& graph,
                        typename full_neighborhoods<Policy, Vertex>::options_type options = {}, Policy policy = {}) {
  return detail::walk_in_step(comm, graph, [&](Vertex first_vertex) {
    return full_neighborhoods<Policy, Vertex>(graph.local(), options, std::move(policy), first_vertex);
  });
}

/// Makes a walk over a list of vertices of this rank's part, in the order of the list.
///
/// @shape  vertices [S] global ids; the list must outlive the walk
/// @comm   collective; one header exchange
/// @throws collective_error  also if a rank lists a vertex of another part
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] full_neighborhoods<Policy, Vertex>
make_full_neighborhoods(Comm comm, graph<Policy, Vertex> const& graph,
                        std::type_identity_t<array_view<Policy::space, Vertex const>> vertices,
                        typename full_neighborhoods<Policy, Vertex>::options_type options, Policy policy = {}) {
  return detail::walk_in_step(comm, graph, [&](Vertex first_vertex) {
    return full_neighborhoods<Policy, Vertex>(graph.local(), vertices, options, std::move(policy), first_vertex);
  });
}

} // namespace dist
} // namespace glt

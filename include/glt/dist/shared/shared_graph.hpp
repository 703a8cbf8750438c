// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/shared/detail/shared_arrays.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/graph_part.hpp>

#include <span>

namespace glt::detail {

/// Borrowed rows of a part, with the original ids of their vertices.
///
/// @shape  original [graph.num_rows()]
template <memory_space Space, vertex_id Vertex>
struct part_view {
  csr_view<Space, Vertex> graph;
  array_view<Space, global_id const> original;
};

/// Graph that the ranks of one machine share: one copy of each part.
template <device_policy Policy, vertex_id Vertex>
struct shared_graph {
  graph_part<Policy, Vertex> own;                            ///< of this rank, inside the shared memory
  node_views<part_view<Policy::space, Vertex>> neighborhood; ///< of ranks whose rows are sampled in place
};

} // namespace glt::detail

namespace glt::dist {

/// Copies this rank's part to node-shared memory; the original may be freed afterwards.
///
/// @comm   collective; see `node_memory`
/// @throws collective_error  on every rank, if a rank has neither shared nor private memory for its part
/// @cost   one copy of the part
template <host_policy Policy, vertex_id Vertex, node_memory Node>
  requires(Policy::space == memory_space::host)
[[nodiscard]] detail::shared_graph<Policy, Vertex> share_graph(Node& node, graph_part<Policy, Vertex> const& part,
                                                               Policy policy = {}) {
  auto const graph = part.graph.view();
  std::int64_t const columns = graph.num_columns();
  constexpr auto word = std::int64_t{8};
  detail::shared_arrays<5> const own({word, graph.offsets().size() * word,
                                      graph.num_edges() * static_cast<std::int64_t>(sizeof(Vertex)),
                                      graph.edge_ids().size() * word, part.original.size() * word});
  auto const blocks = node.share(own.bytes(), [&](std::span<std::byte> block) {
    own.write(block, {&columns, graph.offsets().data(), graph.sources().data(), graph.edge_ids().data(),
                      part.original.data()});
  });
  detail::shared_graph<Policy, Vertex> made{
      .own = {part.book,
              part.part,
              {columns, own.template adopt<edge_offset>(blocks, 1, policy),
               own.template adopt<Vertex>(blocks, 2, policy), own.template adopt<edge_id>(blocks, 3, policy)},
              own.template adopt<global_id>(blocks, 4, policy)},
      .neighborhood = {.of_rank = {}, .reason = blocks.reason, .keeper = blocks.keeper}};
  for (auto const& block : blocks.of_rank) {
    auto& view = made.neighborhood.of_rank.emplace_back();
    if (block) {
      auto const arrays = detail::shared_arrays<5>::of(*block);
      view = {{arrays.template view<std::int64_t>(*block, 0)[0], arrays.template view<edge_offset>(*block, 1),
               arrays.template view<Vertex>(*block, 2), arrays.template view<edge_id>(*block, 3)},
              arrays.template view<global_id>(*block, 4)};
    }
  }
  return made;
}

} // namespace glt::dist

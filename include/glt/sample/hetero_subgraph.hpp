// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt {

namespace detail {
template <device_policy Policy, vertex_id Vertex>
class hetero_builder;
struct member_access;
} // namespace detail

/// Sample of a batch from a heterogeneous graph: vertices by node type, edges by edge type and hop. Views each edge
/// type as one block per layer. Reusable: sampling into it again keeps the memory.
///
/// Concurrent calls: none while it is sampled into; const members may run concurrently.
///
/// @shape  by node type: nodes [N], first-seen order, seeds first · seed_index [S] · batch [N] or empty ·
///         num_sampled_nodes [L + 1]; by edge type: row, col [E], hop by hop · edge_ids [E] or empty ·
///         num_sampled_edges [L]
/// @units  nodes are ids within their type; seed_index are positions in the nodes of the type; row and col
///         are positions in the nodes of the source and of the destination type; batch counts the seeds of
///         all types, type after type
template <device_policy Policy, vertex_id Vertex = local_id>
class hetero_subgraph {
public:
  static constexpr memory_space space = Policy::space;
  using vertex_type = Vertex;

  [[nodiscard]] int num_node_types() const noexcept { return static_cast<int>(vertices_.size()); }
  [[nodiscard]] int num_edge_types() const noexcept { return static_cast<int>(relations_.size()); }
  [[nodiscard]] int num_hops() const noexcept { return num_hops_; }

  /// @throws precondition_error  if there is no such node type; likewise the next three
  [[nodiscard]] array_view<space, Vertex const> nodes(int node_type) const { return of_type(node_type).nodes.view(); }
  /// Returns the position in nodes of each seed of the type; equal seeds have equal positions.
  [[nodiscard]] array_view<space, local_id const> seed_index(int node_type) const {
    return of_type(node_type).seed_index.view();
  }
  /// Returns, for each node, the seed of its tree; empty if the batch is not disjoint.
  [[nodiscard]] array_view<space, local_id const> batch(int node_type) const { return of_type(node_type).batch.view(); }
  /// Returns the new vertices of the type per hop; the first entry counts the distinct seeds.
  [[nodiscard]] std::span<std::int64_t const> num_sampled_nodes(int node_type) const {
    return of_type(node_type).num_sampled;
  }

  /// @throws precondition_error  if there is no such edge type; likewise the next three
  [[nodiscard]] array_view<space, local_id const> row(int edge_type) const { return of_relation(edge_type).row.view(); }
  [[nodiscard]] array_view<space, local_id const> col(int edge_type) const { return of_relation(edge_type).col.view(); }
  [[nodiscard]] array_view<space, edge_id const> edge_ids(int edge_type) const {
    return of_relation(edge_type).edge_ids.view();
  }
  [[nodiscard]] std::span<std::int64_t const> num_sampled_edges(int edge_type) const {
    return of_relation(edge_type).num_sampled;
  }

  /// Returns the block of one edge type in a layer; layer 0 is the outermost hop, layer L − 1 ends at the seeds.
  ///
  /// Its sources are the first nodes of the source type, its destinations the first nodes of the destination type. With
  /// `frontier::all` it holds the edges of its hop, as in `sampled_subgraph`; with `frontier::fresh` also the edges of
  /// all hops nearer to the seeds.
  ///
  /// @throws precondition_error  if there is no such edge type, or layer is not in [0, num_hops())
  [[nodiscard]] block_view<space> block(int edge_type, int layer) const {
    auto const& edges = of_relation(edge_type);
    return edges.block(layer, expand_, of_type(edges.source_type).num_sampled,
                       of_type(edges.destination_type).num_sampled);
  }

private:
  friend class detail::hetero_builder<Policy, Vertex>;
  friend struct detail::member_access;

  using vertices = detail::sampled_vertices<Policy, Vertex>;

  struct relation : detail::sampled_edges<Policy> {
    int source_type = 0;
    int destination_type = 0;

    template <class Self>
    [[nodiscard]] static auto members(Self& self) noexcept {
      return std::tuple_cat(detail::sampled_edges<Policy>::members(self),
                            std::tie(self.source_type, self.destination_type));
    }
  };

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.vertices_, self.relations_, self.expand_, self.num_hops_);
  }

  [[nodiscard]] vertices const& of_type(int node_type) const {
    if (node_type < 0 || node_type >= num_node_types()) {
      throw precondition_error(detail::message("vertices of node type ", node_type, " of a sample of ",
                                               num_node_types(), " node types; types count from 0"));
    }
    return vertices_[static_cast<std::size_t>(node_type)];
  }

  [[nodiscard]] relation const& of_relation(int edge_type) const {
    if (edge_type < 0 || edge_type >= num_edge_types()) {
      throw precondition_error(detail::message("edges of edge type ", edge_type, " of a sample of ", num_edge_types(),
                                               " edge types; types count from 0"));
    }
    return relations_[static_cast<std::size_t>(edge_type)];
  }

  frontier expand_ = frontier::fresh;
  int num_hops_ = 0;
  std::vector<vertices> vertices_;
  std::vector<relation> relations_;
};

} // namespace glt

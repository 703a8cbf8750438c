// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loading/batch_recipe.hpp>
#include <glt/dist/loading/detail/expansion.hpp>
#include <glt/dist/loading/detail/link_seeding.hpp>
#include <glt/dist/loading/detail/vertex_seeding.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/link/link_options.hpp>

namespace glt::detail {

/// Seeds of this rank in one step, their sampled neighbourhood by types, and the requested tensors:
/// `batch.tensors[node_type]["x"]`.
///
/// @shape  tensors [node types], tables of one row per vertex of the type, or per distinct seed · edge_tensors [edge
///         types], tables of one row per sampled edge of the type
template <device_policy Policy, vertex_id Vertex>
struct typed_batch : batch_place {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = typed_batch<Other, Vertex>;

  int seed_type = 0; ///< the node type of the seeds
  hetero_subgraph<Policy, Vertex> subgraph;
  std::vector<collected_table<Policy>> tensors;
  std::vector<collected_table<Policy>> edge_tensors;

  /// Returns the block of an edge type and a layer; see `hetero_subgraph::block`.
  [[nodiscard]] block_view<Policy::space> block(int edge_type, int layer) const {
    return subgraph.block(edge_type, layer);
  }

  template <class Reason = batches_with_types_have_no_features_but_tensors_of_a_type>
  void features() const = delete;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(batch_place::members(self),
                          std::tie(self.seed_type, self.subgraph, self.tensors, self.edge_tensors));
  }
};

/// Mini-batch of seed edges of one type: their negatives, the sampled neighbourhood of all ends by types, and the
/// requested tensors.
///
/// @shape  as `typed_batch`; distinct ends take the place of distinct seeds
template <device_policy Policy, vertex_id Vertex>
struct typed_link_batch : batch_place {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = typed_link_batch<Other, Vertex>;

  link_sample<Policy, Vertex, hetero_subgraph<Policy, Vertex>>
      sample; ///< with its `edge_label_index()` and `edge_label()`, or triplets
  std::vector<collected_table<Policy>> tensors;
  std::vector<collected_table<Policy>> edge_tensors;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(batch_place::members(self), std::tie(self.sample, self.tensors, self.edge_tensors));
  }
};

template <>
struct expansion<hetero_options> : typed_expansion {
  template <class Vertex>
  using seeds_type = dist::typed_seeds<Vertex>;
  template <class Policy, class Vertex, class T>
  using batch_type = typed_batch<Policy, Vertex>;
  template <class Comm, class Policy, class GraphPolicy, class Vertex, class Rule>
  using seeding_type =
      vertex_seeding<Comm, Policy, Vertex, Rule, dist::hetero_graph<GraphPolicy, Vertex>, seeds_type<Vertex>,
                     dist::hetero_neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy>>;
};

template <>
struct expansion<hetero_link_options> : link_expansion<typed_expansion> {
  template <class Policy, class Vertex, class T>
  using batch_type = typed_link_batch<Policy, Vertex>;
};

} // namespace glt::detail

namespace glt::dist {

/// Recipe for mini-batches with sampled neighbourhoods in a heterogeneous graph: around vertices of one type, or by
/// `hetero_link_options` around edges of one type and their negatives. It names the graph, sampling options, rules, and
/// the tensors to collect. Tensors of a batch are found by type and name: `batch.tensors[node_type]["x"]`, with a row for
/// each vertex of the type; `batch.edge_tensors[edge_type]["time"]`, with a row for each sampled edge.
///
///     glt::dist::typed_batches recipe(data, {.fanouts = glt::same_fanouts(data.schema(), {15, 10})});
///     recipe.with(author, data.tensors(author), {{.name = "age"}}); // instead of "x"
///     glt::dist::loader loader(comm, recipe, glt::dist::typed_seeds<>(paper, {data.split("train", paper)}));
template <device_policy GraphPolicy, vertex_id Vertex, class Rule = uniform_rule, class Options = hetero_options>
using typed_batches = batch_recipe<Options, GraphPolicy, Vertex, float, Rule>;

} // namespace glt::dist

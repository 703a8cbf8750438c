// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loading/batch_recipe.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/expansion.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/walk/metapath_walk.hpp>
#include <glt/dist/walk/node2vec_walk.hpp>
#include <glt/dist/walk/random_walk.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt::detail {

/// Walks from this rank's seeds of one step, in the order of the seeds.
template <device_policy Policy, vertex_id Vertex>
struct walk_batch : batch_place {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = walk_batch<Other, Vertex>;

  glt::walks<Policy, Vertex> walks;

  template <class Reason = batches_of_walks_have_no_features_so_use_a_feature_collector>
  void features() const = delete;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(batch_place::members(self), std::tie(self.walks));
  }
};

/// Walker of a maker of batches of walks; along types, `Rules` are the edge types.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Graph, class Walker>
class walk_seeding {
public:
  using seeds_type = dist::vertex_seeds<Vertex>;
  using sampler_type = Walker;

  /// @comm   as the walker
  template <class Options, class Rules>
  walk_seeding(Comm comm, Graph const& graph, Options const& options, Rules const& rules, nothing, Policy policy)
      : items_(policy), walker_(make_walker(std::move(comm), graph, options, rules, std::move(policy))),
        num_vertices_(num_starts(graph, rules)) {}

  /// @throws precondition_error  if a seed is not a vertex, or seeds have times
  void check(seeds_type const& seeds) const {
    seeds.check();
    validate_vertices("seed", host_view<Vertex const>(seeds.vertices), num_vertices_);
    check_times(seeds, false);
  }

  [[nodiscard]] sampler_type& sampler() noexcept { return walker_; }

  /// Walks for batches in as many rounds as one batch takes; a rank without seeds takes part.
  ///
  /// @comm   collective; as the walker
  template <class Batch>
  void sample(std::span<batch_request<seeds_type, Batch> const> batches) {
    walker_.walk_bulk(items_.of(batches, [](auto& memory, auto const& batch) -> typename Walker::bulk_item {
      return {memory.vertices(*batch.seeds), batch.key, &batch.out->walks};
    }));
  }

private:
  template <class Options, class Rules>
  static Walker make_walker(Comm comm, Graph const& graph, Options const& options,
                            [[maybe_unused]] Rules const& edge_types, Policy policy) {
    if constexpr (has_schema<Graph>) {
      return Walker(std::move(comm), graph, edge_types, options, std::move(policy));
    } else {
      return Walker(std::move(comm), graph, options, std::move(policy));
    }
  }
  template <class Rules>
  static std::int64_t num_starts(Graph const& graph, [[maybe_unused]] Rules const& edge_types) { // which are checked
    if constexpr (has_schema<Graph>) {
      return graph.schema().num_vertices(graph.schema().destination_type(edge_types.front()));
    } else {
      return graph.num_vertices();
    }
  }

  bulk_items<Policy, seed_memory<Policy, Vertex>, typename Walker::bulk_item> items_;
  Walker walker_;
  std::int64_t num_vertices_;
};

/// Common part of the kinds of walks, whose batches have no rows; `Base` is the base for the graph.
template <class Base>
struct walk_expansion : Base {
  template <class Policy, class Vertex, class T>
  using batch_type = walk_batch<Policy, Vertex>;
  static constexpr bool has_rows = false;

  [[nodiscard]] static bool edge_ids(auto const&) noexcept { return false; }
};
template <>
struct expansion<walk_options> : walk_expansion<plain_expansion> {
  template <class Comm, class Policy, class GraphPolicy, class Vertex, class Rule>
  using seeding_type =
      walk_seeding<Comm, Policy, Vertex, dist::graph<GraphPolicy, Vertex>, dist::random_walker<Comm, Policy, Vertex>>;
};
template <>
struct expansion<node2vec_options> : walk_expansion<plain_expansion> {
  template <class Comm, class Policy, class GraphPolicy, class Vertex, class Rule>
  using seeding_type =
      walk_seeding<Comm, Policy, Vertex, dist::graph<GraphPolicy, Vertex>, dist::node2vec_walker<Comm, Policy, Vertex>>;
};
template <>
struct expansion<metapath_options> : walk_expansion<typed_expansion> {
  using along_types = void;
  template <class Rule>
  using rules_type = std::vector<int>; // the edge types of the cycle
  template <class Comm, class Policy, class GraphPolicy, class Vertex, class Rule>
  using seeding_type = walk_seeding<Comm, Policy, Vertex, dist::hetero_graph<GraphPolicy, Vertex>,
                                    dist::metapath_walker<Comm, Policy, Vertex>>;
};

} // namespace glt::detail

namespace glt::dist {

/// Recipe for mini-batches of walks: a graph and the kind of walk. `walk_options` are for uniform walks,
/// `node2vec_options` for node2vec. `metapath_options` are for walks in a heterogeneous graph along a cycle of edge
/// types; seeds have the destination type of the first edge type.
///
///     glt::dist::loader loader(comm, glt::dist::walk_batches(graph, {.length = 40, .walks_per_start = 10}), seeds);
///     glt::dist::walk_batches const along_types(typed_graph, {writes, written_by}, {.length = 40});
template <device_policy GraphPolicy, vertex_id Vertex, class Options = walk_options>
using walk_batches = batch_recipe<Options, GraphPolicy, Vertex>;

} // namespace glt::dist

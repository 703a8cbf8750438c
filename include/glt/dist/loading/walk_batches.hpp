// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/walk/metapath_walk.hpp>
#include <glt/dist/walk/node2vec_walk.hpp>
#include <glt/dist/walk/random_walk.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt::detail {

/// Types of the graph and the walker for each kind of options.
template <class Options>
struct walks_by;
template <>
struct walks_by<walk_options> {
  template <class Policy, class Vertex>
  using graph_type = dist::graph<Policy, Vertex>;
  template <class Comm, class Policy, class Vertex>
  using walker_type = dist::random_walker<Comm, Policy, Vertex>;
};
template <>
struct walks_by<node2vec_options> {
  template <class Policy, class Vertex>
  using graph_type = dist::graph<Policy, Vertex>;
  template <class Comm, class Policy, class Vertex>
  using walker_type = dist::node2vec_walker<Comm, Policy, Vertex>;
};
template <>
struct walks_by<metapath_options> {
  template <class Policy, class Vertex>
  using graph_type = dist::hetero_graph<Policy, Vertex>;
  template <class Comm, class Policy, class Vertex>
  using walker_type = dist::metapath_walker<Comm, Policy, Vertex>;
};

template <class Options>
concept options_of_walks = requires { sizeof(walks_by<Options>); };

/// Walks from this rank's seeds of one step, in the order of the seeds.
template <device_policy Policy, vertex_id Vertex>
struct walk_batch : dist::batch_place {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = walk_batch<Other, Vertex>;

  glt::walks<Policy, Vertex> walks;

  /// Explains at compile time how to collect rows.
  template <class... None>
  auto features() const {
    static_assert(never<Policy, None...>,
                  "batches of walks have no features(): collect rows of their vertices by a dist::feature_collector");
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(dist::batch_place::members(self), std::tie(self.walks));
  }
};

} // namespace glt::detail

namespace glt::dist {

/// Recipe for mini-batches of walks: a graph, which is borrowed and must outlive the loaders, and the kind of walk.
/// `walk_options` are for uniform walks, `node2vec_options` for node2vec. `metapath_options` are for walks in a
/// heterogeneous graph along a cycle of edge types; seeds have the destination type of the first edge type.
///
///     glt::dist::loader loader(comm, glt::dist::walk_batches(graph, {.length = 40, .walks_per_start = 10}), seeds);
///     glt::dist::walk_batches const along_types(typed_graph, {writes, written_by}, {.length = 40});
///
/// Concurrent calls: const members may run concurrently.
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_walks Options = walk_options>
class walk_batches {
  static constexpr bool along_types = std::same_as<Options, metapath_options>;

public:
  using vertex_type = Vertex;
  using graph_type = typename detail::walks_by<Options>::template graph_type<GraphPolicy, Vertex>;
  using seeds_type = vertex_seeds<Vertex>;
  using options_type = Options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on = detail::walk_batch<Policy, Vertex>;
  template <class Comm, class Policy> // clang 19 rejects the definition below if one of them is constrained
  class maker;

  walk_batches(graph_type const& graph, Options options)
    requires(!along_types)
      : graph_(&graph), options_(options) {}
  /// Walks in the graph of a data set without types.
  walk_batches(data_set<GraphPolicy, Vertex> const& data, Options options)
    requires(!along_types)
      : walk_batches(data.graph(), options) {}
  /// Walks along edge types; see `metapath_walker`.
  walk_batches(graph_type const& graph, std::vector<int> edge_types, Options options)
    requires along_types
      : graph_(&graph), edge_types_(std::move(edge_types)), options_(options) {}
  /// Walks along edge types of a data set.
  walk_batches(data_set<GraphPolicy, Vertex> const& data, std::vector<int> edge_types, Options options)
    requires along_types
      : walk_batches(data.hetero_graph(), std::move(edge_types), options) {}

  /// Replaces the options.
  walk_batches& with(Options options) {
    options_ = options;
    return *this;
  }

  [[nodiscard]] Options const& options() const noexcept { return options_; }

private:
  graph_type const* graph_;
  std::vector<int> edge_types_; // of meta-paths
  Options options_;
};

template <device_policy GraphPolicy, vertex_id Vertex, class Options = walk_options>
walk_batches(graph<GraphPolicy, Vertex> const&, Options) -> walk_batches<GraphPolicy, Vertex, Options>;
template <device_policy GraphPolicy, vertex_id Vertex, class Options = walk_options>
walk_batches(data_set<GraphPolicy, Vertex> const&, Options) -> walk_batches<GraphPolicy, Vertex, Options>;
template <device_policy GraphPolicy, vertex_id Vertex>
walk_batches(data_set<GraphPolicy, Vertex> const&, std::vector<int>, metapath_options)
    -> walk_batches<GraphPolicy, Vertex, metapath_options>;
template <device_policy GraphPolicy, vertex_id Vertex>
walk_batches(hetero_graph<GraphPolicy, Vertex> const&, std::vector<int>, metapath_options)
    -> walk_batches<GraphPolicy, Vertex, metapath_options>;

/// Maker of the batches of `walk_batches` on a communicator, in memory of the graph's policy.
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_walks Options>
template <class Comm, class Policy>
class walk_batches<GraphPolicy, Vertex, Options>::maker {
  static_assert(communicator<Comm> && std::same_as<Policy, GraphPolicy>,
                "these batches are made in memory of the graph's policy; leave the loader's policy out");

public:
  using batch_type = detail::walk_batch<Policy, Vertex>;

  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from the options of rank 0
  maker(Comm comm, walk_batches const& what, Policy policy)
      : items_(policy), walker_(make_walker(std::move(comm), what, std::move(policy))),
        num_vertices_(num_starts(what)) {}

  /// @throws precondition_error  if a seed is not a vertex, or seeds have times
  void check(seeds_type const& seeds) const {
    seeds.check();
    detail::validate_vertices("seed", host_view<Vertex const>(seeds.vertices), num_vertices_);
    detail::check_times(seeds, false);
  }

  /// Makes batches of valid seeds in as many rounds as one batch takes; a rank without seeds takes part.
  ///
  /// @comm   collective; see the walkers
  void make_bulk(std::span<detail::batch_request<seeds_type, batch_type> const> batches) {
    detail::stopwatch watch;
    walker_.walk_bulk(items_.of(batches, [](auto& memory, auto const& batch) -> typename walker_type::bulk_item {
      return {memory.vertices(*batch.seeds), batch.key, &batch.out->walks};
    }));
    watch.lap(seconds_.sampling);
  }

  [[nodiscard]] loader_report report() const { return {.seconds = seconds_}; }

private:
  using walker_type = typename detail::walks_by<Options>::template walker_type<Comm, Policy, Vertex>;

  static walker_type make_walker(Comm comm, walk_batches const& what, Policy policy) {
    if constexpr (along_types) {
      return walker_type(std::move(comm), *what.graph_, what.edge_types_, what.options_, std::move(policy));
    } else {
      return walker_type(std::move(comm), *what.graph_, what.options_, std::move(policy));
    }
  }
  static std::int64_t num_starts(walk_batches const& what) { // called after the walker has checked the edge types
    if constexpr (along_types) {
      return what.graph_->schema().num_vertices(what.graph_->schema().destination_type(what.edge_types_.front()));
    } else {
      return what.graph_->num_vertices();
    }
  }

  detail::bulk_items<Policy, detail::seed_memory<Policy, Vertex>, typename walker_type::bulk_item> items_;
  walker_type walker_;
  std::int64_t num_vertices_;
  detail::loader_seconds seconds_;
};

} // namespace glt::dist

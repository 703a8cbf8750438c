// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/row_recipe.hpp>
#include <glt/dist/loading/detail/vertex_maker.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::dist {

/// Recipe for mini-batches of vertices with their sampled neighbourhoods: graph, sampling options, rule, and the rows
/// to collect. Graph and stores are borrowed and must outlive the loaders.
///
///     glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, {.fanouts = {15, 10}}), data.split("train"),
///                              {.batch_size = 1024, .shuffle = true, .prefetch = 2});
///
/// Concurrent calls: const members may run concurrently.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T = float, class Rule = uniform_rule,
          device_policy StorePolicy = GraphPolicy>
class neighbor_batches
    : public detail::row_recipe<neighbor_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>, StorePolicy, T> {
  using row_recipe = detail::row_recipe<neighbor_batches, StorePolicy, T>;

public:
  using vertex_type = Vertex;
  using rule_type = Rule;
  using graph_type = graph<GraphPolicy, Vertex>;
  using seeds_type = vertex_seeds<Vertex>;
  using options_type = neighbor_options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on = batch<Policy, Vertex, T>;
  template <class Comm, class Policy> // clang 19 rejects the definition below if one of them is constrained
  class maker;

  /// Samples the graph of a data set without types; collects its features and labels.
  neighbor_batches(data_set<GraphPolicy, Vertex> const& data, neighbor_options options, Rule rule = {})
    requires(std::same_as<T, float> && std::same_as<StorePolicy, GraphPolicy>)
      : neighbor_batches(data.graph(), data.features(), std::move(options), rule) {}
  /// Collects features and labels of the vertices.
  neighbor_batches(graph_type const& graph, feature_store<StorePolicy, T> const& features, neighbor_options options,
                   Rule rule = {})
      : row_recipe(features), graph_(&graph), options_(std::move(options)), rule_(rule) {}
  /// Samples only; call `with` to collect rows.
  neighbor_batches(graph_type const& graph, neighbor_options options, Rule rule = {})
      : graph_(&graph), options_(std::move(options)), rule_(rule) {}

  /// Explains at compile time that the features have another element type than the recipe.
  template <class Other, class Options = neighbor_options>
  neighbor_batches(std::type_identity_t<graph_type> const&, feature_store<StorePolicy, Other> const&, Options const&,
                   Rule = {})
    requires(!std::same_as<Other, T>)
  {
    static_assert(detail::never<Other>,
                  "features of another type than the recipe: neighbor_batches<Policy, Vertex, T> takes a "
                  "dist::feature_store<Policy, T>; leave the types to the compiler, or name that of the features");
  }

  using row_recipe::with;
  /// Replaces the options.
  neighbor_batches& with(neighbor_options options) {
    options_ = std::move(options);
    return *this;
  }

  [[nodiscard]] neighbor_options const& options() const noexcept { return options_; }

private:
  graph_type const* graph_;
  neighbor_options options_;
  Rule rule_;
};

template <device_policy GraphPolicy, vertex_id Vertex>
neighbor_batches(data_set<GraphPolicy, Vertex> const&, neighbor_options) -> neighbor_batches<GraphPolicy, Vertex>;
template <device_policy GraphPolicy, vertex_id Vertex, class Rule>
neighbor_batches(data_set<GraphPolicy, Vertex> const&, neighbor_options, Rule)
    -> neighbor_batches<GraphPolicy, Vertex, float, Rule>;
template <device_policy GraphPolicy, vertex_id Vertex, device_policy StorePolicy, bytes_copyable T>
neighbor_batches(graph<GraphPolicy, Vertex> const&, feature_store<StorePolicy, T> const&, neighbor_options)
    -> neighbor_batches<GraphPolicy, Vertex, T, uniform_rule, StorePolicy>;
template <device_policy GraphPolicy, vertex_id Vertex, device_policy StorePolicy, bytes_copyable T, class Rule>
neighbor_batches(graph<GraphPolicy, Vertex> const&, feature_store<StorePolicy, T> const&, neighbor_options, Rule)
    -> neighbor_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>;
template <device_policy GraphPolicy, vertex_id Vertex>
neighbor_batches(graph<GraphPolicy, Vertex> const&, neighbor_options) -> neighbor_batches<GraphPolicy, Vertex>;
template <device_policy GraphPolicy, vertex_id Vertex, class Rule>
neighbor_batches(graph<GraphPolicy, Vertex> const&, neighbor_options, Rule)
    -> neighbor_batches<GraphPolicy, Vertex, float, Rule>;

/// Maker of the batches of `neighbor_batches` on a communicator, in memory of a policy.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T, class Rule, device_policy StorePolicy>
template <class Comm, class Policy>
class neighbor_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>::maker
    : public detail::vertex_maker<Comm, Policy, Vertex, T, StorePolicy,
                                  neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy>,
                                  typename Rule::query_type> {
  static_assert(communicator<Comm> && device_policy<Policy>);

public:
  using batch_type = batch<Policy, Vertex, T>;

  /// @comm   collective; three header exchanges and the exchanges of `named_collector`
  /// @throws collective_error  on every rank, if the options of a rank are wrong, stores and graph are of different
  ///                           partitions, or ranks collect different things
  maker(Comm comm, neighbor_batches const& what, Policy policy)
      : maker::vertex_maker(std::move(comm), what.rows_, what.options_.edge_ids, std::move(policy), *what.graph_,
                            what.options_, what.rule_) {}

  /// Makes batches of valid seeds in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see `neighbor_sampler` and the collectors
  void make_bulk(std::span<detail::batch_request<seeds_type, batch_type> const> batches) {
    this->make_items(batches, [](auto& memory, auto const& batch) {
      typename maker::item_type item{
          .seeds = memory.vertices(*batch.seeds), .key = batch.key, .out = &batch.out->subgraph};
      if constexpr (detail::has_query<Rule>) {
        item.queries = memory.queries(*batch.seeds);
      }
      return item;
    });
  }
};

} // namespace glt::dist

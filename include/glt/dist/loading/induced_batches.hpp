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
#include <glt/dist/sampling/induced_subgraph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/induced_subgraph.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::dist {

/// Recipe for mini-batches of induced subgraphs: all edges between the vertices within some hops of the seeds, or
/// between the vertices that a rule draws by fanouts. It names a graph, hops or fanouts, a rule, and the rows to
/// collect. Graph and stores are borrowed and must outlive the loaders.
///
///     glt::dist::loader loader(comm, glt::dist::induced_batches(data, {.fanouts = {10, 5}}), data.split("train"));
///
/// Concurrent calls: const members may run concurrently.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T = float, class Rule = uniform_rule,
          device_policy StorePolicy = GraphPolicy>
class induced_batches
    : public detail::row_recipe<induced_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>, StorePolicy, T> {
  using row_recipe = detail::row_recipe<induced_batches, StorePolicy, T>;

public:
  using vertex_type = Vertex;
  using rule_type = Rule;
  using graph_type = graph<GraphPolicy, Vertex>;
  using seeds_type = vertex_seeds<Vertex>;
  using options_type = induced_options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on = batch<Policy, Vertex, T>;
  template <class Comm, class Policy> // clang 19 rejects the definition below if one of them is constrained
  class maker;

  /// Samples the graph of a data set without types; collects its features and labels.
  explicit induced_batches(data_set<GraphPolicy, Vertex> const& data, induced_options options = {}, Rule rule = {})
    requires(std::same_as<T, float> && std::same_as<StorePolicy, GraphPolicy>)
      : induced_batches(data.graph(), data.features(), std::move(options), rule) {}
  /// Collects features and labels of the vertices.
  induced_batches(graph_type const& graph, feature_store<StorePolicy, T> const& features, induced_options options = {},
                  Rule rule = {})
      : row_recipe(features), graph_(&graph), options_(std::move(options)), rule_(rule) {}
  /// Samples only; call `with` to collect rows.
  explicit induced_batches(graph_type const& graph, induced_options options = {}, Rule rule = {})
      : graph_(&graph), options_(std::move(options)), rule_(rule) {}

  using row_recipe::with;
  /// Replaces the options.
  induced_batches& with(induced_options options) {
    options_ = std::move(options);
    return *this;
  }

  [[nodiscard]] induced_options const& options() const noexcept { return options_; }

private:
  graph_type const* graph_;
  induced_options options_;
  Rule rule_;
};

template <device_policy GraphPolicy, vertex_id Vertex, class Rule = uniform_rule>
induced_batches(data_set<GraphPolicy, Vertex> const&, induced_options = {}, Rule = {})
    -> induced_batches<GraphPolicy, Vertex, float, Rule>;
template <device_policy GraphPolicy, vertex_id Vertex, device_policy StorePolicy, bytes_copyable T,
          class Rule = uniform_rule>
induced_batches(graph<GraphPolicy, Vertex> const&, feature_store<StorePolicy, T> const&, induced_options = {},
                Rule = {}) -> induced_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>;
template <device_policy GraphPolicy, vertex_id Vertex, class Rule = uniform_rule>
induced_batches(graph<GraphPolicy, Vertex> const&, induced_options = {}, Rule = {})
    -> induced_batches<GraphPolicy, Vertex, float, Rule>;

/// Maker of the batches of `induced_batches` on a communicator, in memory of the graph's policy.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T, class Rule, device_policy StorePolicy>
template <class Comm, class Policy>
class induced_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>::maker
    : public detail::vertex_maker<Comm, Policy, Vertex, T, StorePolicy, induced_sampler<Comm, Policy, Vertex, Rule>> {
  static_assert(communicator<Comm> && std::same_as<Policy, GraphPolicy>,
                "these batches are made in memory of the graph's policy; leave the loader's policy out");

public:
  using batch_type = batch<Policy, Vertex, T>;

  /// @comm   collective; four header exchanges and the exchanges of `named_collector`
  /// @throws collective_error  on every rank, if the options of a rank are wrong, stores and graph are of different
  ///                           partitions, or ranks collect different things
  maker(Comm comm, induced_batches const& what, Policy policy)
      : maker::vertex_maker(std::move(comm), what.rows_, what.options_.edge_ids, std::move(policy), *what.graph_,
                            what.options_, what.rule_) {}

  /// Makes batches of valid seeds in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see `induced_sampler` and the collectors
  void make_bulk(std::span<detail::batch_request<seeds_type, batch_type> const> batches) {
    this->make_items(batches, [](auto& memory, auto const& batch) -> typename maker::item_type {
      return {memory.vertices(*batch.seeds), batch.key, &batch.out->subgraph};
    });
  }
};

} // namespace glt::dist

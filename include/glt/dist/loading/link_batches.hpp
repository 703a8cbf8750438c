// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/batch_rows.hpp>
#include <glt/dist/loading/detail/link_seeding.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/dist/loading/detail/row_maker.hpp>
#include <glt/dist/loading/detail/row_recipe.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/link_sample.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Mini-batch of seed edges: their negatives, the sampled neighbourhood of all ends, and the requested rows.
///
/// @shape  sample.subgraph() of N vertices and E edges · features() [N, F] · labels() [distinct ends], or empty if
///         vertices have no labels · tensors of N rows, or of one per distinct end
template <device_policy Policy, vertex_id Vertex, bytes_copyable T>
struct link_batch : dist::batch_place, batch_rows<Policy, T> {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = link_batch<Other, Vertex, T>;

  link_sample<Policy, Vertex> sample; ///< with its `edge_label_index()` and `edge_label()`, or triplets

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(dist::batch_place::members(self), std::tie(self.sample), link_batch::row_members(self));
  }
};

} // namespace glt::detail

namespace glt::dist {

/// Recipe for mini-batches of edges: negative pairs and the sampled neighbourhood of all ends. It names a graph,
/// sampling options, a draw rule, and the rows to collect. Graph and stores are borrowed and must outlive the loaders.
/// By a rule that compares times, such as `temporal_rule`, seed edges have times.
///
///     glt::dist::loader loader(comm, glt::dist::link_batches(data, {.neighbors = {.fanouts = {15, 10}}}),
///                              glt::dist::edge_seeds<>{.sources = sources, .destinations = destinations});
///
/// Every loader makes a `vertex_directory`, and a table of weights if there are weights, because they communicate with
/// its batches. They cost O(V / R) time and memory of V / R ids. Weights take memory of about 2 · V / R numbers more.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T = float, class Rule = uniform_rule,
          device_policy StorePolicy = GraphPolicy>
class link_batches
    : public detail::row_recipe<link_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>, StorePolicy, T> {
  using row_recipe = detail::row_recipe<link_batches, StorePolicy, T>;

public:
  using vertex_type = Vertex;
  using rule_type = Rule;
  using graph_type = graph<GraphPolicy, Vertex>;
  using seeds_type = edge_seeds<Vertex>;
  using options_type = link_options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on = detail::link_batch<Policy, Vertex, T>;
  template <class Comm, class Policy> // clang 19 rejects the definition below if one of them is constrained
  class maker;

  /// Samples the graph of a data set without types; collects its features and labels.
  link_batches(data_set<GraphPolicy, Vertex> const& data, link_options options, Rule rule = {})
    requires(std::same_as<T, float> && std::same_as<StorePolicy, GraphPolicy>)
      : link_batches(data.graph(), data.features(), std::move(options), rule) {}
  /// Collects features and labels of the vertices.
  link_batches(graph_type const& graph, feature_store<StorePolicy, T> const& features, link_options options,
               Rule rule = {})
      : row_recipe(features), graph_(&graph), options_(std::move(options)), rule_(rule) {}
  /// Samples only; call `with` to collect rows.
  link_batches(graph_type const& graph, link_options options, Rule rule = {})
      : graph_(&graph), options_(std::move(options)), rule_(rule) {}

  using row_recipe::with;
  /// Replaces the options.
  link_batches& with(link_options options) {
    options_ = std::move(options);
    return *this;
  }
  /// Draws the ends of negatives in proportion to weights, on all ranks; without weights all vertices are equally
  /// likely.
  ///
  /// @shape  weights [rows of the part]
  link_batches& with_weights(array_view<GraphPolicy::space, double const> weights) {
    weights_.insert_or_assign(0, weights);
    return *this;
  }

  [[nodiscard]] link_options const& options() const noexcept { return options_; }

private:
  graph_type const* graph_;
  link_options options_;
  Rule rule_;
  detail::weights_by_type<GraphPolicy::space> weights_;
};

template <device_policy GraphPolicy, vertex_id Vertex>
link_batches(data_set<GraphPolicy, Vertex> const&, link_options) -> link_batches<GraphPolicy, Vertex>;
template <device_policy GraphPolicy, vertex_id Vertex, class Rule>
link_batches(data_set<GraphPolicy, Vertex> const&, link_options, Rule)
    -> link_batches<GraphPolicy, Vertex, float, Rule>;
template <device_policy GraphPolicy, vertex_id Vertex, device_policy StorePolicy, bytes_copyable T>
link_batches(graph<GraphPolicy, Vertex> const&, feature_store<StorePolicy, T> const&, link_options)
    -> link_batches<GraphPolicy, Vertex, T, uniform_rule, StorePolicy>;
template <device_policy GraphPolicy, vertex_id Vertex, device_policy StorePolicy, bytes_copyable T, class Rule>
link_batches(graph<GraphPolicy, Vertex> const&, feature_store<StorePolicy, T> const&, link_options, Rule)
    -> link_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>;
template <device_policy GraphPolicy, vertex_id Vertex>
link_batches(graph<GraphPolicy, Vertex> const&, link_options) -> link_batches<GraphPolicy, Vertex>;
template <device_policy GraphPolicy, vertex_id Vertex, class Rule>
link_batches(graph<GraphPolicy, Vertex> const&, link_options, Rule) -> link_batches<GraphPolicy, Vertex, float, Rule>;

/// Maker of the batches of `link_batches` on a communicator, in memory of the graph's policy.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T, class Rule, device_policy StorePolicy>
template <class Comm, class Policy>
class link_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>::maker
    : public detail::row_maker<detail::row_collectors<Comm, Policy, T, StorePolicy>> {
  static_assert(communicator<Comm> && std::same_as<Policy, GraphPolicy>,
                "these batches are made in memory of the graph's policy; leave the loader's policy out");
  using rows = detail::row_maker<detail::row_collectors<Comm, Policy, T, StorePolicy>>;

public:
  using batch_type = detail::link_batch<Policy, Vertex, T>;

  /// @comm   collective; the exchanges of `vertex_directory`, `vertex_weights`, `link_sampler` and the collectors
  /// @throws collective_error  on every rank, if the options or weights of a rank are wrong, stores and graph are of
  ///                           different partitions, or ranks collect different things
  maker(Comm comm, link_batches const& what, Policy policy)
      : rows(comm, what.rows_, *what.graph_, what.options_.neighbors.edge_ids, policy),
        links_(comm, *what.graph_, what.options_, what.rule_, what.weights_, std::move(policy)) {}

  /// @throws precondition_error  if an end of a seed edge is not a vertex, a label is not a class, triplets have
  ///                             labels, or an edge has a time that the rule does not use, or lacks a time
  void check(seeds_type const& seeds) const { links_.check(seeds); }

  [[nodiscard]] loader_report report() const { return this->report_of(links_.sampler()); }
  using rows::read_in_place;
  void read_in_place(node_views<detail::part_view<Policy::space, Vertex>> parts)
    requires host_policy<Policy>
  {
    links_.read_in_place(std::move(parts));
  }

  /// Makes batches of valid seed edges in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see `link_sampler` and the collectors
  void make_bulk(std::span<detail::batch_request<seeds_type, batch_type> const> batches) {
    this->make_around(
        batches, [&] { links_.sample(batches); },
        [](batch_type const& made) -> auto& { return made.sample.subgraph(); });
  }

private:
  detail::link_seeding<Comm, Policy, Vertex, Rule, graph_type> links_;
};

} // namespace glt::dist

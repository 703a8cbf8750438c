// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/edge_features.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// What makes batches of vertices with their sampled neighbourhoods: a graph, how to sample it by any rule, and what is
/// collected for the vertices and edges. All of it is borrowed and must outlive the loaders.
///
///     glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, {.fanouts = {15, 10}}), seeds,
///                              {.batch_size = 1024, .shuffle = true, .prefetch = 2});
///
/// Concurrent calls: const members may run concurrently.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T = float, class Rule = uniform_rule,
          device_policy StorePolicy = GraphPolicy>
class neighbor_batches {
public:
  using vertex_type = Vertex;
  using element_type = T;
  using rule_type = Rule;
  using graph_type = graph<GraphPolicy, Vertex>;
  using seeds_type = vertex_seeds<Vertex>;
  using options_type = neighbor_options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on = batch<Policy, Vertex, T>;
  template <communicator Comm, device_policy Policy>
  class maker;

  /// Features and labels of the vertices.
  neighbor_batches(graph_type const& graph, feature_store<StorePolicy, T> const& features, neighbor_options options,
                   Rule rule = {})
      : graph_(&graph), options_(std::move(options)), rule_(rule), rows_{&features} {}
  /// Nothing but the sample, unless it is asked for below.
  neighbor_batches(graph_type const& graph, neighbor_options options, Rule rule = {})
      : graph_(&graph), options_(std::move(options)), rule_(rule) {}

  /// Collects features of the sampled edges as well; needs `edge_ids` in the options.
  neighbor_batches& with(edge_features<StorePolicy, T> const& features) {
    rows_.edges = &features;
    return *this;
  }
  /// Collects named tensors of the vertices as well, all or some of them.
  neighbor_batches& with(named_features<StorePolicy> const& features, std::vector<wanted_tensor> wanted = {}) {
    rows_.tensors = &features;
    rows_.wanted = std::move(wanted);
    return *this;
  }
  /// The same with other options.
  neighbor_batches& with(neighbor_options options) {
    options_ = std::move(options);
    return *this;
  }

  [[nodiscard]] neighbor_options const& options() const noexcept { return options_; }

private:
  graph_type const* graph_;
  neighbor_options options_;
  Rule rule_;
  detail::collected_things<StorePolicy, T> rows_;
};

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

/// Makes the batches of `neighbor_batches` on a communicator and in memory of a policy.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T, class Rule, device_policy StorePolicy>
template <communicator Comm, device_policy Policy>
class neighbor_batches<GraphPolicy, Vertex, T, Rule, StorePolicy>::maker {
public:
  static constexpr memory_space space = Policy::space;
  using batch_type = batch<Policy, Vertex, T>;

  /// @comm   collective; three header exchanges and those of `named_collector`
  /// @throws collective_error  on every rank, if the options of a rank are wrong, or what is collected is of another
  ///                           partition than the graph
  maker(Comm comm, neighbor_batches const& what, Policy policy)
      : num_vertices_(what.graph_->num_vertices()), policy_(policy),
        sampler_(comm, *what.graph_, what.options_, what.rule_, policy),
        rows_(comm, what.rows_, *what.graph_, what.options_.edge_ids, std::move(policy)) {}

  /// @throws precondition_error  if a seed is no vertex, or seeds have times that the rule does not look at, or none
  void check(seeds_type const& seeds) const {
    seeds.check();
    detail::validate_vertices("seed", host_view<Vertex const>(seeds.vertices), num_vertices_);
    detail::check_times(seeds, detail::has_query<Rule>);
  }

  /// Makes batches of seeds that are valid, in one sweep of messages; a rank without seeds joins.
  ///
  /// @comm   collective; see `neighbor_sampler` and the collectors
  void make_bulk(std::span<detail::batch_request<seeds_type, batch_type> const> batches) {
    detail::stopwatch watch;
    while (seeds_.size() < batches.size()) {
      seeds_.emplace_back(policy_);
    }
    items_.clear();
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto const& [seeds, key, out] = batches[b];
      items_.push_back({.seeds = seeds_[b].vertices(*seeds), .key = key, .out = &out->subgraph});
      if constexpr (detail::has_query<Rule>) {
        items_.back().queries = seeds_[b].times(*seeds);
      }
    }
    sampler_.sample_bulk(items_);
    watch.lap(seconds_.sampling);
    wanted_.clear();
    for (auto const& [seeds, key, out] : batches) {
      wanted_.push_back({&out->subgraph, out->subgraph.num_sampled_nodes()[0], true, out});
    }
    rows_.collect(std::span(std::as_const(wanted_)), batches[0].key.step);
    watch.lap(seconds_.features);
    seconds_.collecting = rows_.seconds();
  }

  [[nodiscard]] detail::loader_seconds const& seconds() const noexcept { return seconds_; }
  [[nodiscard]] loader_report report() const {
    return {sampler_.counts(), rows_.counts(), sampler_.why_not_in_place(), rows_.why_not_in_place()};
  }
  void read_in_place(node_views<detail::part_view<space, Vertex>> parts) requires host_policy<Policy> {
    sampler_.read_in_place(std::move(parts));
  }
  void read_in_place(node_views<feature_view<StorePolicy::space, T>> const& rows) { rows_.read_in_place(rows); }
  void use(hot_rows<Policy, T> const& hot) { rows_.use(hot); }

private:
  std::int64_t num_vertices_;
  Policy policy_;
  std::vector<detail::seed_memory<Policy, Vertex>> seeds_; // of each batch
  neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy> sampler_;
  std::vector<typename neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy>::bulk_item> items_;
  detail::row_collectors<Comm, Policy, T, StorePolicy> rows_;
  std::vector<detail::rows_of_batch<sampled_subgraph<Policy, Vertex>, batch_type>> wanted_;
  detail::loader_seconds seconds_;
};

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hetero_builder.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/detail/hetero_rules.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt {

/// Sampler of the multi-hop in-neighbourhood of batches of seeds in a heterogeneous graph, on one process.
///
/// In every hop, the vertices of each type draw in-neighbours over each edge type that ends there, edge types in
/// ascending order. A vertex that several hops or edge types reach is one node.
///
/// The graph and the data of the rules may be in another memory space than seeds and results: in pinned memory, which a
/// GPU reads in place.
///
/// Concurrent calls: none on one object; several samplers may share a graph.
///
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 2, per
///         edge type as in Schlichtkrull et al., "Modeling relational data with graph convolutional
///         networks", ESWC 2018
template <device_policy Policy, vertex_id Vertex = local_id, class Rule = uniform_rule,
          memory_space GraphSpace = Policy::space>
  requires draw_rule<Rule, csr_view<GraphSpace, Vertex>> &&
           reaches<decltype(std::declval<Policy const&>().executor()), GraphSpace>
class hetero_neighbor_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using subgraph_type = hetero_subgraph<Policy, Vertex>;
  using query_type = typename Rule::query_type;
  using seed_lists = std::span<array_view<space, Vertex const> const>;

  /// Borrows the graph and the data of the rules, which must outlive the sampler.
  ///
  /// `original` holds the ids of vertices before they were renumbered. Random numbers use them, so that renumbering
  /// does not change a sample.
  ///
  /// @shape  rules [edge types] · original [node types], [V] of that type each, or empty
  /// @throws precondition_error  if the options are wrong or wrong for a rule, there is not one rule per edge
  ///                             type, or original has another shape
  hetero_neighbor_sampler(hetero_view<GraphSpace, Vertex> graph, hetero_options options, std::vector<Rule> rules,
                          Policy policy = {}, std::vector<array_view<GraphSpace, global_id const>> original = {})
      : graph_(graph), options_(std::move(options)), rules_(std::move(rules)), original_(std::move(original)),
        seeds_(graph.schema()), policy_(std::move(policy)), worker_(policy_) {
    auto const& schema = graph.schema();
    detail::validate(options_, schema);
    detail::check_rules(schema, options_, rules_, [&](int e) { return graph.relation(e); });
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      detail::check_edge_ids(graph.relation(e), options_.edge_ids);
    }
    if (original_.empty()) {
      original_.resize(static_cast<std::size_t>(schema.num_node_types()));
    }
    if (std::ssize(original_) != schema.num_node_types()) {
      throw precondition_error(detail::message("original ids of ", original_.size(), " node types for a graph of ",
                                               schema.num_node_types(), "; give one list per type or none"));
    }
    for (int t = 0; t < schema.num_node_types(); ++t) {
      auto const ids = original_[static_cast<std::size_t>(t)].size();
      if (ids > 0 && ids != schema.num_vertices(t)) {
        throw precondition_error(detail::message(ids, " original ids for ", schema.num_vertices(t),
                                                 " vertices of type '",
                                                 schema.node_types()[static_cast<std::size_t>(t)].name, "'"));
      }
    }
  }

  /// Makes a sampler with rules that need no data, such as `uniform_rule`.
  hetero_neighbor_sampler(hetero_view<GraphSpace, Vertex> graph, hetero_options options, Policy policy = {},
                          std::vector<array_view<GraphSpace, global_id const>> original = {})
    requires std::default_initializable<Rule>
      : hetero_neighbor_sampler(graph, std::move(options),
                                std::vector<Rule>(static_cast<std::size_t>(graph.schema().num_edge_types())),
                                std::move(policy), std::move(original)) {}

  [[nodiscard]] hetero_options const& options() const noexcept { return options_; }

  /// Changes the rule of an edge type, because its data may differ from batch to batch.
  ///
  /// @pre    edge_type is in [0, edge types); not checked
  void set_rule(int edge_type, Rule rule) noexcept { rules_[static_cast<std::size_t>(edge_type)] = rule; }

  /// Samples one batch with seeds of several types into `out`; a seed may come more than once, and lists may
  /// be empty.
  ///
  /// @shape  seeds [node types], one list of ids each
  /// @throws precondition_error  if there is not one list per node type, or a seed is not a vertex of its type; `out`
  ///                             is then unchanged
  /// @cost   O(sampled edges); allocates only while the batch is larger than any before; waits as `hetero_hop_worker`
  ///         if the policy is not a host policy
  void sample(seed_lists seeds, sample_key key, subgraph_type& out)
    requires(!detail::has_query<Rule>)
  {
    seeds_.check(policy_, seeds);
    worker_.sample(graph_, options_, rules_, original_, seeds, {}, key, out);
  }

  /// Samples with one query per seed, such as a time, which every vertex sampled for that seed inherits.
  ///
  /// @shape  queries [seeds of all types], type after type
  /// @throws precondition_error  as the other `sample`, or if there is not one query per seed
  void sample(seed_lists seeds, array_view<space, query_type const> queries, sample_key key, subgraph_type& out)
    requires(detail::has_query<Rule>)
  {
    detail::check_queries(seeds_.check(policy_, seeds), queries.size());
    worker_.sample(graph_, options_, rules_, original_, seeds, queries, key, out);
  }

  /// Samples one batch with seeds of one type into `out`.
  ///
  /// @shape  seeds [S]
  /// @throws precondition_error  if there is no such node type, or as the first `sample`
  void sample(int node_type, array_view<space, Vertex const> seeds, sample_key key, subgraph_type& out)
    requires(!detail::has_query<Rule>)
  {
    sample(seeds_.of_one_type(node_type, seeds), key, out);
  }

private:
  hetero_view<GraphSpace, Vertex> graph_;
  hetero_options options_;
  std::vector<Rule> rules_;                                       // by edge type
  std::vector<array_view<GraphSpace, global_id const>> original_; // by node type, including empty ones
  detail::hetero_seeds<space, Vertex> seeds_;
  Policy policy_;
  detail::hetero_hop_worker<Policy, Vertex, Rule, GraphSpace> worker_;
};

} // namespace glt

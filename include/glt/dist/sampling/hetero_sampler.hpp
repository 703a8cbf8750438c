// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/sampling/detail/sampled_kind.hpp>
#include <glt/dist/sampling/detail/shared_draws.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/batch/hetero_builder.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/rule/detail/hetero_rules.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Seeds, options, rules and results of samplers of heterogeneous graphs.
template <device_policy Policy, class Rule, device_policy GraphPolicy, vertex_id Vertex>
struct sampled_kind<Policy, Rule, dist::hetero_graph<GraphPolicy, Vertex>> {
  using graph_type = dist::hetero_graph<GraphPolicy, Vertex>;
  using seed_lists = std::span<array_view<Policy::space, Vertex const> const>;
  using seeds_type = seed_lists;
  using checked_seeds = hetero_seeds<Policy::space, Vertex>;
  using options_type = hetero_options;
  using rules_type = std::vector<Rule>;
  using subgraph_type = hetero_subgraph<Policy, Vertex>;
  using builder_type = hetero_builder<Policy, Vertex>;
  using lone_type = hetero_hop_worker<Policy, Vertex, Rule, GraphPolicy::space>;
  using part_type = part_view<GraphPolicy::space, Vertex>;

  static std::vector<Rule> list(std::vector<Rule> rules) { return rules; }
  static seed_lists lists(seeds_type seeds) noexcept { return seeds; }
  static checked_seeds seeds_of(graph_type const& graph) { return checked_seeds(graph.schema()); }
  static part_type part_of(graph_type const& graph) {
    part_type part;
    for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
      part.graphs.push_back(graph.local(e));
    }
    for (int t = 0; t < graph.schema().num_node_types(); ++t) {
      part.original.push_back(graph.original(t));
    }
    return part;
  }
  static std::vector<partition_book> books(graph_type const& graph) {
    std::vector<partition_book> books;
    for (int t = 0; t < graph.schema().num_node_types(); ++t) {
      books.push_back(graph.book(t));
    }
    return books;
  }
  static std::vector<relation_ends> ends(graph_type const& graph) {
    std::vector<relation_ends> ends;
    for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
      ends.push_back({static_cast<std::size_t>(graph.schema().source_type(e)),
                      static_cast<std::size_t>(graph.schema().destination_type(e))});
    }
    return ends;
  }
  static void check(graph_type const& graph, hetero_options const& options, std::vector<Rule> const& rules) {
    validate(options, graph.schema());
    check_rules(graph.schema(), options, rules, [&](int e) { return graph.local(e); });
  }
  static std::span<std::int64_t const> num_nodes(subgraph_type const& out, int node_type) {
    return out.num_sampled_nodes(node_type);
  }

  static void begin(graph_type const& graph, builder_type& builder, seeds_type seeds, hetero_options const& options,
                    subgraph_type& out) {
    builder.begin(graph.schema(), seeds, options, out);
  }
  template <class Batch>
  static void sample_alone(graph_type const& graph, lone_type& worker, Policy const& policy, part_type const& part,
                           hetero_options const& options, std::vector<Rule> const& rules, Batch const& batch) {
    worker.sample(hetero_view<GraphPolicy::space, Vertex>(graph.schema(), part.graphs), options, rules, part.original,
                  batch.seeds, batch.queries, batch.key, *batch.out);
    for (int t = 0; t < graph.schema().num_node_types(); ++t) { // sources without an owner; routing finds them too
      auto const nodes = std::as_const(*batch.out).nodes(t);
      if (auto const bad = first_outside(policy, nodes, graph.book(t).num_vertices()); bad < nodes.size()) {
        static_cast<void>(graph.book(t).owner(read_element(policy, nodes, bad)));
      }
    }
  }
};

} // namespace glt::detail

namespace glt::dist {

/// Sampler of the multi-hop in-neighbourhood of batches of seeds across the parts of a heterogeneous graph: the
/// `dist::neighbor_sampler` of a graph with types, equal to the serial `hetero_neighbor_sampler`. Concurrent calls:
/// none on one object.
///
/// @source as the serial `hetero_neighbor_sampler` and `dist::neighbor_sampler`
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id, class Rule = uniform_rule,
          device_policy GraphPolicy = Policy>
  requires draw_rule<Rule, csr_view<GraphPolicy::space, Vertex>>
class hetero_neighbor_sampler
    : public neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy, hetero_graph<GraphPolicy, Vertex>> {
  using sampler = neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy, hetero_graph<GraphPolicy, Vertex>>;

public:
  /// Borrows the graph and the data of the rules, as `neighbor_sampler`.
  ///
  /// @shape  rules [edge types]
  hetero_neighbor_sampler(Comm comm, hetero_graph<GraphPolicy, Vertex> const& graph, hetero_options options,
                          std::vector<Rule> rules, Policy policy = {})
      : sampler(std::move(comm), graph, std::move(options), std::move(rules), std::move(policy)) {}

  /// Samples by rules without data, such as `uniform_rule`.
  hetero_neighbor_sampler(Comm comm, hetero_graph<GraphPolicy, Vertex> const& graph, hetero_options options,
                          Policy policy = {})
    requires std::default_initializable<Rule>
      : sampler(std::move(comm), graph, std::move(options), std::vector<Rule>(graph.schema().edge_types().size()),
                std::move(policy)) {}
};

template <communicator Comm, device_policy Policy, vertex_id Vertex>
hetero_neighbor_sampler(Comm, hetero_graph<Policy, Vertex> const&, hetero_options)
    -> hetero_neighbor_sampler<Comm, Policy, Vertex>;
template <communicator Comm, device_policy GraphPolicy, vertex_id Vertex, device_policy Policy>
hetero_neighbor_sampler(Comm, hetero_graph<GraphPolicy, Vertex> const&, hetero_options, Policy)
    -> hetero_neighbor_sampler<Comm, Policy, Vertex, uniform_rule, GraphPolicy>;
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule>
hetero_neighbor_sampler(Comm, hetero_graph<Policy, Vertex> const&, hetero_options, std::vector<Rule>)
    -> hetero_neighbor_sampler<Comm, Policy, Vertex, Rule>;
template <communicator Comm, device_policy GraphPolicy, vertex_id Vertex, class Rule, device_policy Policy>
hetero_neighbor_sampler(Comm, hetero_graph<GraphPolicy, Vertex> const&, hetero_options, std::vector<Rule>, Policy)
    -> hetero_neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy>;

} // namespace glt::dist

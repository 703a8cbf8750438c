// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/sampling/detail/shared_draws.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/hetero_builder.hpp>
#include <glt/sample/detail/batch/hop_worker.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

/// Seeds, options, rules and results of samplers of graphs without types: one node type and one edge type. For graphs
/// with types, hetero_sampler.hpp specialises it.
template <device_policy Policy, class Rule, class Graph>
struct sampled_kind {
  using vertex_type = typename Graph::vertex_type;
  using seeds_type = array_view<Policy::space, vertex_type const>;
  using seed_lists = std::span<seeds_type const>;
  using checked_seeds = hetero_seeds<Policy::space, vertex_type>;
  using options_type = neighbor_options;
  using rules_type = Rule;
  using subgraph_type = sampled_subgraph<Policy, vertex_type>;
  using builder_type = subgraph_builder<Policy, vertex_type>;
  using lone_type = hop_worker<Policy, vertex_type, Rule, Graph::space>;
  using part_type = part_view<Graph::space, vertex_type>;

  static std::vector<Rule> list(Rule rule) { return {std::move(rule)}; }
  static seed_lists lists(seeds_type const& seeds) noexcept { return {&seeds, 1}; }
  static checked_seeds seeds_of(Graph const& graph) { return checked_seeds(graph.num_vertices()); }
  static part_type part_of(Graph const& graph) { return {{graph.local()}, {graph.original()}}; }
  static std::vector<partition_book> books(Graph const& graph) { return {graph.book()}; }
  static std::vector<relation_ends> ends(Graph const&) { return {{}}; }
  static void check(Graph const& graph, options_type const& options, std::vector<Rule> const& rules) {
    validate(options);
    check_rule(graph.local(), options, rules[0]);
  }
  static std::span<std::int64_t const> num_nodes(subgraph_type const& out, int) { return out.num_sampled_nodes(); }

  static void begin(Graph const& graph, builder_type& builder, seeds_type seeds, options_type const& options,
                    subgraph_type& out) {
    options.disjoint ? builder.begin_disjoint(seeds, options.expand, out, graph.num_vertices())
                     : builder.begin(seeds, options.expand, out, graph.num_vertices());
  }
  template <class Batch>
  static void sample_alone(Graph const&, lone_type& worker, Policy const& policy, part_type const& part,
                           options_type const& options, std::vector<Rule> const& rules, Batch const& batch) {
    worker.sample(policy.executor(), part.graphs[0], options, rules[0], part.original[0], batch.seeds, batch.queries,
                  batch.key, *batch.out);
  }
};

struct no_lone_worker {
  template <class Policy>
  explicit no_lone_worker(Policy const&) {}
};

/// Checks the batches of a bulk, each by `check_seeds(batch)` as well.
///
/// @throws precondition_error  if there are none, or one has nothing to write to
template <class Item, class CheckSeeds>
void check_batches(std::span<Item const> batches, CheckSeeds check_seeds) {
  if (batches.empty()) {
    throw precondition_error("no batches; a rank without seeds joins with empty ones");
  }
  for (auto const& batch : batches) {
    check_seeds(batch);
    if (batch.out == nullptr) {
      throw precondition_error("a batch has nothing to write to; set `out`");
    }
  }
}

/// Returns the number of vertices of a node type for which a sample drew.
///
/// @shape  nodes [hops + 1], numbers of new vertices of the type · ends [edge types]
template <class Options>
[[nodiscard]] std::int64_t count_expanded(std::span<std::int64_t const> nodes, Options const& options,
                                          std::span<relation_ends const> ends, std::size_t node_type) {
  std::int64_t count = 0;
  std::int64_t so_far = 0;
  for (std::size_t hop = 0; hop + 1 < nodes.size(); ++hop) {
    so_far += nodes[hop];
    bool drew = false;
    for (std::size_t e = 0; e < ends.size(); ++e) {
      drew = drew || (ends[e].destination == node_type && hop_of(options, hop, static_cast<int>(e)).fanout != 0);
    }
    if (drew) {
      count += options.expand == frontier::all ? so_far : nodes[hop];
    }
  }
  return count;
}

/// Memory to make one batch of a bulk.
template <device_policy Policy, class Rule, class Builder>
struct batch_worker {
  batch_worker(Policy const& policy, std::size_t node_types) : builder(policy) {
    while (queries.size() < node_types) {
      queries.emplace_back(policy);
    }
  }

  Builder builder;
  std::vector<inherited_queries<Policy, Rule>> queries; // by node type
};

template <class Options>
[[nodiscard]] std::int64_t fingerprint_of(Options const& options, std::size_t num_edge_types) {
  fingerprint print;
  print.add(options.replace).add(static_cast<std::int64_t>(options.expand)).add(options.edge_ids);
  print.add(options.disjoint);
  for (std::size_t e = 0; e < num_edge_types; ++e) {
    print.add(static_cast<std::int64_t>(num_hops(options)));
    for (std::size_t hop = 0; hop < num_hops(options); ++hop) {
      print.add(hop_of(options, hop, static_cast<int>(e)).fanout);
    }
  }
  return print.value();
}

} // namespace glt::detail

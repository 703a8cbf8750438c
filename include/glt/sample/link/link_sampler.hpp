// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/link/detail/edge_exclusions.hpp>
#include <glt/sample/link/detail/exclusion_rule.hpp>
#include <glt/sample/link/detail/link_assembly.hpp>
#include <glt/sample/link/detail/local_candidates.hpp>
#include <glt/sample/link/detail/negative_drawer.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/detail/validate_seed_edges.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/link_sample.hpp>
#include <glt/sample/link/vertex_weights.hpp>
#include <glt/sample/neighbor_sampler.hpp>

namespace glt::detail {

/// Options, rules and neighbour samplers of link samplers on one process, by the type of graph.
template <device_policy Policy, class Rule, class Graph>
struct link_kind;

template <device_policy Policy, class Rule, memory_space GraphSpace, vertex_id Vertex>
struct link_kind<Policy, Rule, csr_view<GraphSpace, Vertex>> : plain_link_rules<Policy::space, Rule> {
  using graph_type = csr_view<GraphSpace, Vertex>;
  using originals_type = array_view<GraphSpace, global_id const>;
  using subgraph_type = sampled_subgraph<Policy, Vertex>;
  using rule_type = link_rule<Policy::space, Rule>;
  using sampler_type = neighbor_sampler<Policy, Vertex, rule_type, GraphSpace>;

  static graph_type relation(graph_type const& graph, int) noexcept { return graph; }
  static originals_type original(originals_type const& original, int) noexcept { return original; }
  static void set_rule(sampler_type& sampler, int, rule_type rule) noexcept { sampler.set_rule(rule); }
};

template <device_policy Policy, class Rule, memory_space GraphSpace, vertex_id Vertex>
struct link_kind<Policy, Rule, hetero_view<GraphSpace, Vertex>> : hetero_link_rules<Policy::space, Rule> {
  using graph_type = hetero_view<GraphSpace, Vertex>;
  using originals_type = std::vector<array_view<GraphSpace, global_id const>>;
  using subgraph_type = hetero_subgraph<Policy, Vertex>;
  using rule_type = link_rule<Policy::space, Rule>;
  using sampler_type = hetero_neighbor_sampler<Policy, Vertex, rule_type, GraphSpace>;

  static csr_view<GraphSpace, Vertex> relation(graph_type const& graph, int edge_type) {
    return graph.relation(edge_type);
  }
  static array_view<GraphSpace, global_id const> original(originals_type const& original, int node_type) noexcept {
    return original.empty() ? array_view<GraphSpace, global_id const>() : original[static_cast<std::size_t>(node_type)];
  }
  static void set_rule(sampler_type& sampler, int edge_type, rule_type rule) noexcept {
    sampler.set_rule(edge_type, rule);
  }
};

} // namespace glt::detail

namespace glt {

/// Sampler from seed edges, on one process: negative pairs, and the multi-hop in-neighbourhood of all ends by a draw
/// rule.
///
/// An edge from s to d is in the graph if row d lists s. For a graph of out-edges (`{.by_source = true}`) pass
/// destinations as sources and sources as destinations.
///
/// By a rule with queries, such as `temporal_rule`, every source of seed edges has a query: all ends of its pairs are
/// sampled with it. Negatives are drawn from all vertices, or if these have times only from those that exist at the
/// time of the seed edge. `strict` tests against all edges, whatever their times.
///
/// `Graph` may be a `hetero_view`. Seed edges are then of the edge type that the options name, sources and destinations
/// are ids of the types that it joins, and results have a `hetero_subgraph`.
///
/// The graph, the original ids and the data of the rule may be in another memory space than seeds and results: in
/// pinned memory, which a GPU reads in place.
///
/// Concurrent calls: none on one object; several samplers may share a graph.
///
/// @source Hamilton et al., NeurIPS 2017 (link loss, negatives by degree^0.75); index and label tensors as
///         PyG's LinkNeighborLoader
template <device_policy Policy, vertex_id Vertex = local_id, class Rule = uniform_rule,
          memory_space GraphSpace = Policy::space, class Graph = csr_view<GraphSpace, Vertex>>
  requires draw_rule<Rule, csr_view<GraphSpace, Vertex>> &&
           reaches<decltype(std::declval<Policy const&>().executor()), GraphSpace>
class link_sampler {
  using kind = detail::link_kind<Policy, Rule, Graph>;

public:
  static constexpr memory_space space = Policy::space;
  using query_type = typename Rule::query_type;
  using options_type = typename kind::options_type;
  using sample_type = link_sample<Policy, Vertex, typename kind::subgraph_type>;
  using sources_type = detail::link_sources<space, Vertex>; ///< a list of ids, or one with `offsets` of destinations

  /// Borrows all arrays and the data of the rule, which must outlive the sampler. With `weights`, ends of negatives are
  /// drawn in proportion to them, else all vertices are equally likely. Weights are `{of_sources, of_destinations}`, or
  /// one for both.
  ///
  /// With `times` the drawn ends of a negative exist at the time of the seed edge: their times are not later.
  ///
  /// @shape  rules: one, or with types [edge types] · weights of [V] vertices by original id, or {} · original [V], a
  ///         permutation, or empty; with types [node types] of them · times [V] for each end, or empty
  /// @throws precondition_error  if the options are wrong or wrong for the rule, a graph without types is not square,
  ///                             the number of weights or times is wrong, original is not a permutation, or there are
  ///                             times, but negatives are not strict or the rule compares no times
  /// @cost   O(V + E)
  template <std::same_as<typename kind::rules_type> SameRules> // so that {} is not a rule
  link_sampler(Graph graph, options_type options, SameRules rules,
               negative_options::of_both_ends<typename vertex_weights<Policy>::view_type> weights = {},
               Policy policy = {}, typename kind::originals_type original = {},
               negative_options::of_both_ends<array_view<space, std::int64_t const>> times = {})
      : graph_(graph), types_(kind::types(graph, options)), options_(std::move(options)), rules_(std::move(rules)),
        policy_(policy), sampler_(graph, options_.neighbors, kind::neighbor_rules(rules_), policy, original),
        original_(kind::original(original, types_.source), kind::original(original, types_.destination)),
        candidates_(kind::relation(graph, types_.edge_type), weights, original_, policy, types_.one_vertex_type(),
                    times),
        drawer_(detail::negatives_between(options_.negatives, types_), policy),
        assembly_(options_.negatives, policy, types_, kind::num_node_types(graph)), positives_(policy),
        keys_(0, policy) {
    detail::check_exclusion<Rule>(options_.exclude);
    detail::check_times_of_vertices<Rule>(!times.sources.empty() || !times.destinations.empty(), options_.negatives);
    for (auto const& what : detail::excluded_relations(types_, options_.exclude)) {
      bool const ascending = what.edges ? candidates_.ascending()
                                        : detail::rows_ascend(policy.executor(), kind::relation(graph, what.edge_type));
      exclusions_.push_back({what, ascending, detail::edge_exclusions<Policy>(policy)});
    }
  }

  /// Samples uniformly.
  link_sampler(Graph graph, options_type options,
               negative_options::of_both_ends<typename vertex_weights<Policy>::view_type> weights = {},
               Policy policy = {}, typename kind::originals_type original = {})
    requires std::same_as<Rule, uniform_rule>
      : link_sampler(graph, std::move(options), kind::rules_without_data(graph), weights, std::move(policy),
                     std::move(original)) {}

  [[nodiscard]] options_type const& options() const noexcept { return options_; }

  /// Samples one batch into `out`; an edge may come more than once, and no edges give an empty sample.
  ///
  /// @shape  sources [S] · destinations [P], source by source · labels [P], classes from 0, or empty
  /// @throws precondition_error  if the lengths do not fit, an end is not a vertex of its type, a label is negative, or
  ///                             there are labels for triplets; `out` is then unchanged
  /// @cost   O(P log P + tested rows + sampled edges); allocates only while the batch is larger than any
  ///         before
  void sample(sources_type sources, array_view<space, Vertex const> destinations,
              array_view<space, std::int64_t const> labels, sample_key key, sample_type& out)
    requires(!detail::has_query<Rule>)
  {
    run(sources, destinations, labels, {}, key, out);
  }

  /// Samples without labels.
  void sample(sources_type sources, array_view<space, Vertex const> destinations, sample_key key, sample_type& out)
    requires(!detail::has_query<Rule>)
  {
    run(sources, destinations, {}, {}, key, out);
  }

  /// Samples with one query per source of seed edges, such as their time.
  ///
  /// @shape  labels [P], or empty · queries [S]
  /// @throws precondition_error  as without queries, or if there is not one query per source; `out` is then unchanged
  void sample(sources_type sources, array_view<space, Vertex const> destinations,
              array_view<space, std::int64_t const> labels, array_view<space, query_type const> queries, sample_key key,
              sample_type& out)
    requires(detail::has_query<Rule>)
  {
    detail::check_queries(sources.size(), queries.size());
    run(sources, destinations, labels, queries, key, out);
  }

private:
  struct exclusion {
    detail::excluded_relation what;
    bool ascending; // every row of the relation
    detail::edge_exclusions<Policy> edges;
  };

  void run(sources_type sources, array_view<space, Vertex const> destinations,
           array_view<space, std::int64_t const> labels, array_view<space, query_type const> queries, sample_key key,
           sample_type& out) {
    auto const relation = kind::relation(graph_, types_.edge_type);
    detail::validate_seed_edges(policy_, sources, destinations, relation.num_columns(), relation.num_rows());
    detail::validate_labels(policy_, labels, destinations.size(), options_.negatives);
    positives_.assign(sources, destinations);
    auto const mode = options_.negatives.mode;
    keys_.resize(positives_.view().num_groups(mode));
    policy_.executor().for_each(keys_.size(), detail::key_of_group<space, GraphSpace, Vertex>{
                                                  detail::negatives_key(key, types_.edge_type), positives_.view(), mode,
                                                  original_.sources, original_.destinations, keys_.view()});
    if constexpr (std::same_as<query_type, std::int64_t>) {
      drawer_.draw(candidates_, positives_, std::as_const(keys_).view(), negatives_, queries);
    } else {
      drawer_.draw(candidates_, positives_, std::as_const(keys_).view(), negatives_);
    }
    for (auto& [what, ascending, edges] : exclusions_) {
      detail::excluded_seed_edges<space, Vertex> const excluded{positives_.view(), what.edges, what.reverses};
      auto const view = edges.look_up(kind::relation(graph_, what.edge_type), excluded, ascending);
      kind::set_rule(sampler_, what.edge_type,
                     detail::make_link_rule<space>(kind::rule_of(rules_, what.edge_type), view));
    }
    auto const seeds = assembly_.seeds(positives_.view(), negatives_);
    auto& subgraph = assembly_.subgraph_of(out);
    if constexpr (detail::has_query<Rule>) {
      sampler_.sample(seeds, assembly_.queries(positives_.view(), queries), key, subgraph);
    } else {
      sampler_.sample(seeds, key, subgraph);
    }
    assembly_.finish(positives_.view(), negatives_, labels, out);
  }

  Graph graph_;
  detail::link_types types_;
  options_type options_;
  typename kind::rules_type rules_;
  Policy policy_;
  typename kind::sampler_type sampler_;
  detail::of_both_ends<array_view<GraphSpace, global_id const>> original_;
  detail::local_candidates<Policy, Vertex, GraphSpace> candidates_;
  detail::negative_drawer<Policy, Vertex> drawer_;
  std::vector<exclusion> exclusions_;
  detail::link_assembly<Policy, Vertex, query_type, typename kind::subgraph_type> assembly_;
  detail::seed_edges<Policy, Vertex> positives_;
  buffer<Policy, random_key> keys_;
  detail::negative_pairs<Policy, Vertex> negatives_;
};

} // namespace glt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/exec/executor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/link/detail/edge_exclusions.hpp>
#include <glt/sample/link/detail/exclusion_rule.hpp>
#include <glt/sample/link/detail/link_assembly.hpp>
#include <glt/sample/link/detail/local_candidates.hpp>
#include <glt/sample/link/detail/negative_drawer.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/detail/validate_seed_edges.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/link_sample.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/link/vertex_weights.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt {

/// Sampler from seed edges, on one process: negative pairs, and the multi-hop in-neighbourhood of all ends by a draw
/// rule.
///
/// An edge from s to d is in the graph if row d lists s. For a graph of out-edges (`edge_direction::out`) pass
/// destinations as sources and sources as destinations.
///
/// By a rule with queries, such as `temporal_rule`, every seed edge has a query: both its ends and its negatives are
/// sampled with it. Negatives are drawn from all vertices, and `strict` tests against all edges, whatever their times.
///
/// The graph, the original ids and the data of the rule may be in another memory space than seeds and results: in
/// pinned memory, which a GPU reads in place.
///
/// Concurrent calls: none on one object; several samplers may share a graph.
///
/// @source Hamilton et al., NeurIPS 2017 (link loss, negatives by degree^0.75); index and label tensors as
///         PyG's LinkNeighborLoader
template <device_policy Policy, vertex_id Vertex = local_id, class Rule = uniform_rule,
          memory_space GraphSpace = Policy::space>
  requires draw_rule<Rule, csr_view<GraphSpace, Vertex>> &&
           reaches<decltype(std::declval<Policy const&>().executor()), GraphSpace>
class link_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using query_type = typename Rule::query_type;

  /// Borrows all arrays and the data of the rule, which must outlive the sampler. With `weights`, vertices are drawn in
  /// proportion to their weights, else all are equally likely.
  ///
  /// @shape  weights of [V] vertices by original id, or {} · original [V], a permutation, or empty
  /// @throws precondition_error  if the options are wrong or wrong for the rule, the graph is not square, the number of
  ///                             weights is wrong, or original is not a permutation
  /// @cost   O(V + E)
  template <std::same_as<Rule> SameRule> // so that {} is not a rule
  link_sampler(csr_view<GraphSpace, Vertex> graph, link_options options, SameRule rule,
               detail::vertex_weights_view<space> weights = {}, Policy policy = {},
               array_view<GraphSpace, global_id const> original = {})
      : graph_(graph), options_((validate(options), std::move(options))), rule_(rule), original_(original),
        policy_(policy), sampler_(graph, options_.neighbors, detail::make_link_rule<space>(rule), policy, original),
        candidates_(graph, weights, original, policy), drawer_(options_.negatives, policy), exclusions_(policy),
        assembly_(options_.negatives, policy), positives_(policy), keys_(0, policy) {
    detail::check_exclusion<Rule>(options_.exclude);
  }

  /// Samples uniformly.
  link_sampler(csr_view<GraphSpace, Vertex> graph, link_options options,
               detail::vertex_weights_view<space> weights = {}, Policy policy = {},
               array_view<GraphSpace, global_id const> original = {})
    requires std::same_as<Rule, uniform_rule>
      : link_sampler(graph, std::move(options), Rule{}, weights, std::move(policy), original) {}

  [[nodiscard]] link_options const& options() const noexcept { return options_; }

  /// Samples one batch into `out`; an edge may come more than once, and no edges give an empty sample.
  ///
  /// @shape  sources, destinations [P] · labels [P], classes from 0, or empty
  /// @throws precondition_error  if the lengths differ, an end is not in [0, V), a label is negative, or there are
  ///                             labels for triplets; `out` is then unchanged
  /// @cost   O(P log P + tested rows + sampled edges); allocates only while the batch is larger than any
  ///         before
  void sample(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
              array_view<space, std::int64_t const> labels, sample_key key, link_sample<Policy, Vertex>& out)
    requires(!detail::has_query<Rule>)
  {
    run(sources, destinations, labels, {}, key, out);
  }

  /// Samples without labels.
  void sample(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations, sample_key key,
              link_sample<Policy, Vertex>& out)
    requires(!detail::has_query<Rule>)
  {
    run(sources, destinations, {}, {}, key, out);
  }

  /// Samples with one query per seed edge, such as its time.
  ///
  /// @shape  labels [P], or empty · queries [P]
  /// @throws precondition_error  as without queries, or if there is not one query per edge; `out` is then unchanged
  void sample(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
              array_view<space, std::int64_t const> labels, array_view<space, query_type const> queries, sample_key key,
              link_sample<Policy, Vertex>& out)
    requires(detail::has_query<Rule>)
  {
    detail::check_queries(sources.size(), queries.size());
    run(sources, destinations, labels, queries, key, out);
  }

private:
  void run(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
           array_view<space, std::int64_t const> labels, array_view<space, query_type const> queries, sample_key key,
           link_sample<Policy, Vertex>& out) {
    detail::validate_seed_edges(policy_, sources, destinations, graph_.num_rows());
    detail::validate_labels(policy_, labels, sources.size(), options_.negatives);
    positives_.assign(sources, destinations);
    keys_.resize(positives_.size());
    policy_.executor().for_each(
        keys_.size(), detail::key_of_positive<space, GraphSpace, Vertex>{detail::negatives_key(key), positives_.view(),
                                                                         original_, keys_.view()});
    drawer_.draw(candidates_, positives_, std::as_const(keys_).view(), negatives_);
    if (options_.exclude != seed_exclusion::none) {
      detail::excluded_seed_edges<space, Vertex> const excluded{positives_.view(),
                                                                options_.exclude == seed_exclusion::edges_and_reverses};
      sampler_.set_rule(
          detail::make_link_rule<space>(rule_, exclusions_.look_up(graph_, excluded, candidates_.ascending())));
    }
    auto const seeds = assembly_.seeds(positives_.view(), negatives_);
    auto& subgraph = assembly_.subgraph_of(out);
    if constexpr (detail::has_query<Rule>) {
      sampler_.sample(seeds, assembly_.queries(queries), key, subgraph);
    } else {
      sampler_.sample(seeds, key, subgraph);
    }
    assembly_.finish(positives_.view(), negatives_, labels, out);
  }

  csr_view<GraphSpace, Vertex> graph_;
  link_options options_;
  Rule rule_;
  array_view<GraphSpace, global_id const> original_;
  Policy policy_;
  neighbor_sampler<Policy, Vertex, detail::link_rule<space, Rule>, GraphSpace> sampler_;
  detail::local_candidates<Policy, Vertex, GraphSpace> candidates_;
  detail::negative_drawer<Policy, Vertex> drawer_;
  detail::edge_exclusions<Policy> exclusions_;
  detail::link_assembly<Policy, Vertex, query_type> assembly_;
  detail::seed_edges<Policy, Vertex> positives_;
  buffer<Policy, random_key> keys_;
  detail::negative_pairs<Policy, Vertex> negatives_;
};

} // namespace glt

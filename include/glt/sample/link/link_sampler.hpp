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

#include <utility>

namespace glt {

/// Sampler from seed edges, on one process: negative pairs, and the multi-hop in-neighbourhood of all ends.
///
/// An edge from s to d is in the graph if row d lists s. For a graph of out-edges (`edge_direction::out`) pass
/// destinations as sources and sources as destinations.
///
/// The graph and the original ids may be in another memory space than seeds and results: in pinned memory, which a GPU
/// reads in place.
///
/// Concurrent calls: none on one object; several samplers may share a graph.
///
/// @source Hamilton et al., NeurIPS 2017 (link loss, negatives by degree^0.75); index and label tensors as
///         PyG's LinkNeighborLoader
template <device_policy Policy, vertex_id Vertex = local_id, memory_space GraphSpace = Policy::space>
  requires reaches<decltype(std::declval<Policy const&>().executor()), GraphSpace>
class link_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using rule_type = detail::excluding_rule<space>;

  /// Borrows all arrays, which must outlive the sampler. With `weights`, vertices are drawn in proportion to their
  /// weights, else all are equally likely.
  ///
  /// @shape  weights of [V] vertices by original id, or {} · original [V], a permutation, or empty
  /// @throws precondition_error  if the options are wrong, the graph is not square, the number of weights is wrong, or
  ///                             original is not a permutation
  /// @cost   O(V + E)
  link_sampler(csr_view<GraphSpace, Vertex> graph, link_options options,
               detail::vertex_weights_view<space> weights = {}, Policy policy = {},
               array_view<GraphSpace, global_id const> original = {})
      : graph_(graph), options_((validate(options), std::move(options))), original_(original), policy_(policy),
        sampler_(graph, options_.neighbors, rule_type{}, policy, original),
        candidates_(graph, weights, original, policy), drawer_(options_.negatives, policy), exclusions_(policy),
        assembly_(options_.negatives, policy), positives_(policy), keys_(0, policy) {}

  [[nodiscard]] link_options const& options() const noexcept { return options_; }

  /// Samples one batch into `out`; an edge may come more than once, and no edges give an empty sample.
  ///
  /// @shape  sources, destinations [P] · labels [P], classes from 0, or empty
  /// @throws precondition_error  if the lengths differ, an end is not in [0, V), a label is negative, or there are
  ///                             labels for triplets; `out` is then unchanged
  /// @cost   O(P log P + tested rows + sampled edges); allocates only while the batch is larger than any
  ///         before
  void sample(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
              array_view<space, std::int64_t const> labels, sample_key key, link_sample<Policy, Vertex>& out) {
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
      sampler_.set_rule({.excluded = exclusions_.look_up(graph_, excluded, candidates_.ascending()), .inner = {}});
    }
    sampler_.sample(assembly_.seeds(positives_.view(), negatives_), key, assembly_.subgraph_of(out));
    assembly_.finish(positives_.view(), negatives_, labels, out);
  }

  /// Samples without labels.
  void sample(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations, sample_key key,
              link_sample<Policy, Vertex>& out) {
    sample(sources, destinations, {}, key, out);
  }

private:
  csr_view<GraphSpace, Vertex> graph_;
  link_options options_;
  array_view<GraphSpace, global_id const> original_;
  Policy policy_;
  neighbor_sampler<Policy, Vertex, rule_type, GraphSpace> sampler_;
  detail::local_candidates<Policy, Vertex, GraphSpace> candidates_;
  detail::negative_drawer<Policy, Vertex> drawer_;
  detail::edge_exclusions<Policy> exclusions_;
  detail::link_assembly<Policy, Vertex> assembly_;
  detail::seed_edges<Policy, Vertex> positives_;
  buffer<Policy, random_key> keys_;
  detail::negative_pairs<Policy, Vertex> negatives_;
};

} // namespace glt

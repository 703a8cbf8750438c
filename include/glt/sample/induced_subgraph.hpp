// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/induced_edges.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt {

/// Options of an induced subgraph: its vertices, and the numbers of its edges.
struct induced_options {
  std::int64_t num_hops = 0; ///< vertices with a path of at most so many edges to a seed
  /// Vertices that so many draws a vertex and hop reach, as in `neighbor_options`; in place of `num_hops`.
  std::vector<std::int64_t> fanouts{};
  detail::edge_id_choice edge_ids = false; ///< return the id of every edge, which the graph must have

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.num_hops, self.fanouts, self.edge_ids);
  }
};

namespace detail {

/// Returns the options by which a sampler reaches the vertices of an induced subgraph; no fanouts if these are the
/// seeds.
[[nodiscard]] inline neighbor_options reaching(induced_options const& options) {
  neighbor_options made{.fanouts = options.fanouts};
  if (options.fanouts.empty()) { // then all edges into inner vertices are drawn, and are edges of the result
    made.fanouts.assign(static_cast<std::size_t>(options.num_hops), -1);
    made.edge_ids = options.edge_ids;
  }
  return made;
}

[[nodiscard]] inline std::int64_t num_hops(induced_options const& options) noexcept {
  return options.fanouts.empty() ? options.num_hops : std::ssize(options.fanouts);
}

/// Returns the place of the first vertex into which not all edges between the vertices were drawn.
///
/// @shape  num_sampled_nodes [hops + 1] of the sample that reached the vertices
[[nodiscard]] inline std::int64_t first_not_closed(induced_options const& options,
                                                   std::span<std::int64_t const> num_sampled_nodes) {
  return options.fanouts.empty()
             ? std::accumulate(num_sampled_nodes.begin(), num_sampled_nodes.end() - 1, std::int64_t{0})
             : 0;
}

/// @throws precondition_error  if the number of hops is negative, a fanout is wrong, or there are both
inline void validate(induced_options const& options) {
  if (options.num_hops < 0) {
    throw precondition_error(
        message("induced subgraph of ", options.num_hops, " hops; give 0 for the seeds alone, or more"));
  }
  if (!options.fanouts.empty()) {
    if (options.num_hops > 0) {
      throw precondition_error(message("induced subgraph of ", options.num_hops, " hops and ", options.fanouts.size(),
                                       " fanouts; give one of them"));
    }
    validate(reaching(options));
  }
}

} // namespace detail

/// Sampler of all edges between the vertices of a set: the seeds, all vertices within k hops of them, or the vertices
/// that k hops of a draw rule reach.
///
/// The result has k + 1 hops. Hop h holds the edges into the vertices that hop h − 1 found, and the last hop finds no
/// vertex. Edges are ordered by destination, and for one destination as in the graph; block(0) is the whole subgraph.
///
/// Concurrent calls: none on one object; several samplers may share a graph.
///
/// @source enclosing subgraphs as in Zhang & Chen, "Link prediction based on graph neural networks", NeurIPS 2018;
///         with fanouts Zeng et al., "Decoupling the depth and scope of graph neural networks", NeurIPS 2021
template <device_policy Policy, vertex_id Vertex = local_id, class Rule = uniform_rule,
          memory_space GraphSpace = Policy::space>
  requires draw_rule<Rule, csr_view<GraphSpace, Vertex>> &&
           reaches<decltype(std::declval<Policy const&>().executor()), GraphSpace>
class induced_sampler {
  static_assert(!detail::has_query<Rule>, "an induced subgraph takes all edges between its vertices, whatever their "
                                          "time: take a rule without queries");

public:
  static constexpr memory_space space = Policy::space;
  using graph_type = csr_view<GraphSpace, Vertex>;

  /// Borrows the graph and the data of the rule, which must outlive the sampler; the graph may be in another memory
  /// space that the policy's executor reaches. The rule draws by fanouts.
  ///
  /// @shape  original [V], as for `neighbor_sampler`, or empty
  /// @throws precondition_error  if the options are wrong, or wrong for the rule, or the graph is not square or does not
  ///                             have the requested edge ids
  induced_sampler(graph_type graph, induced_options options, Rule rule, Policy policy = {},
                  array_view<GraphSpace, global_id const> original = {})
      : graph_(graph), options_(std::move(options)), policy_(policy), seeds_(policy), selector_(policy) {
    detail::validate(options_);
    detail::check_edge_ids(graph_, options_.edge_ids);
    detail::check_all_rows(graph, original, "dist::induced_sampler");
    if (detail::num_hops(options_) > 0) {
      reach_.emplace(graph, detail::reaching(options_), rule, policy, original);
    }
  }
  /// Makes a sampler with a rule that needs no data, such as `uniform_rule`.
  explicit induced_sampler(graph_type graph, induced_options options = {}, Policy policy = {},
                           array_view<GraphSpace, global_id const> original = {})
    requires std::default_initializable<Rule>
      : induced_sampler(graph, std::move(options), Rule{}, std::move(policy), original) {}

  [[nodiscard]] induced_options const& options() const noexcept { return options_; }

  /// Writes the subgraph of one list of seeds; a seed may come more than once, and an empty list gives no vertices. The
  /// key names the draws by fanouts.
  ///
  /// @shape  seeds [S] · out.row(), out.col() [E], all edges with both ends in out.nodes()
  /// @throws precondition_error  if a seed is not in [0, V); `out` is then unchanged
  /// @cost   O(sum of the degrees of the vertices) time, O(vertices + edges of the result) memory; allocates only while
  ///         the subgraph is larger than any before; waits for the sizes of every hop if the policy is not a host
  ///         policy
  void sample(array_view<space, Vertex const> seeds, sample_key key, sampled_subgraph<Policy, Vertex>& out) {
    detail::validate_vertices(policy_, "seed", seeds, graph_.num_rows());
    if (reach_) {
      reach_->sample(seeds, key, out);
    } else {
      seeds_.begin(seeds, frontier::fresh, out);
      seeds_.finish();
    }
    auto const first = detail::first_not_closed(options_, out.num_sampled_nodes());
    auto const nodes = out.nodes();
    selector_.select(graph_, nodes.subview(first, nodes.size() - first), nodes, options_.edge_ids, known_);
    seeds_.close(first, known_, out);
  }
  /// Writes the subgraph of seeds as with a key of zeros.
  void sample(array_view<space, Vertex const> seeds, sampled_subgraph<Policy, Vertex>& out) { sample(seeds, {}, out); }

private:
  graph_type graph_;
  induced_options options_;
  Policy policy_;
  std::optional<neighbor_sampler<Policy, Vertex, Rule, GraphSpace>> reach_; // of hops
  detail::subgraph_builder<Policy, Vertex> seeds_;                          // without hops
  detail::set_selector<Policy, Vertex> selector_;
  detail::hop_sample<Policy, local_id> known_;
};

} // namespace glt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/exec/executor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_draws.hpp>
#include <glt/sample/detail/batch/induced_edges.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/edge_id_choice.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt {

/// Options of an induced subgraph: its vertices, and the numbers of its edges.
struct induced_options {
  std::int64_t num_hops = 0;       ///< vertices with a path of at most so many edges to a seed
  edge_id_choice edge_ids = false; ///< return the id of every edge, which the graph must have

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.num_hops, self.edge_ids);
  }
};

namespace detail {

/// @throws precondition_error  if the number of hops is negative
inline void validate(induced_options const& options) {
  if (options.num_hops < 0) {
    throw precondition_error(
        message("induced subgraph of ", options.num_hops, " hops; give 0 for the seeds alone, or more"));
  }
}

} // namespace detail

/// Sampler of all edges between the vertices of a set: the seeds, or all vertices within k hops of them. To get the
/// edges between vertices that another sampler reached, pass its nodes as seeds.
///
/// The result has k + 1 hops. The first k take every in-edge; the last takes the edges from known vertices into the
/// outermost vertices. Edges are ordered by destination, and for one destination as in the graph; block(0) is the whole
/// subgraph.
///
/// Concurrent calls: none on one object; several samplers may share a graph.
///
/// @source enclosing subgraphs as in Zhang & Chen, "Link prediction based on graph neural networks", NeurIPS
///         2018
template <device_policy Policy, vertex_id Vertex = local_id, memory_space GraphSpace = Policy::space>
  requires reaches<decltype(std::declval<Policy const&>().executor()), GraphSpace>
class induced_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using graph_type = csr_view<GraphSpace, Vertex>;

  /// Borrows the graph, which must outlive the sampler; it may be in another memory space that the policy's executor
  /// reaches.
  ///
  /// @throws precondition_error  if the options are wrong, or the graph is not square or does not have the requested
  ///                             edge ids
  explicit induced_sampler(graph_type graph, induced_options options = {}, Policy policy = {})
      : graph_(graph), options_(options), policy_(policy), builder_(policy), draws_(policy, 0), induced_edges_(policy) {
    detail::validate(options_);
    detail::check_edge_ids(graph_, options_.edge_ids);
    if (graph.num_rows() != graph.num_columns()) {
      throw precondition_error(detail::message("graph of ", graph.num_rows(), " rows and ", graph.num_columns(),
                                               " columns; a serial sampler needs all rows: use dist::induced_sampler ",
                                               "for a part of a graph"));
    }
  }

  [[nodiscard]] induced_options const& options() const noexcept { return options_; }

  /// Writes the subgraph of one list of seeds; a seed may come more than once, and an empty list gives no vertices.
  ///
  /// @shape  seeds [S] · out.row(), out.col() [E], all edges with both ends in out.nodes()
  /// @throws precondition_error  if a seed is not in [0, V); `out` is then unchanged
  /// @cost   O(sum of the degrees of the vertices) time, O(vertices + edges of the result) memory; allocates only while
  ///         the subgraph is larger than any before; waits for the sizes of every hop if the policy is not a host
  ///         policy
  void sample(array_view<space, Vertex const> seeds, sampled_subgraph<Policy, Vertex>& out) {
    detail::validate_vertices(policy_, "seed", seeds, graph_.num_rows());
    builder_.begin(seeds, frontier::fresh, out);
    detail::relation_draw<GraphSpace, Vertex, uniform_rule> const all{.graph = graph_,
                                                                      .destination_type = 0,
                                                                      .original = {},
                                                                      .options = {.fanout = -1},
                                                                      .key = random_key(0),
                                                                      .rule = {}};
    for (std::int64_t hop = 0; hop < options_.num_hops; ++hop) {
      draws_.run(policy_.executor(), builder_.typed(), std::span(&all, 1), {}, options_.edge_ids);
      builder_.end_hop();
    }
    auto const outermost = builder_.next_frontier();
    induced_edges_.select(graph_, outermost, out.nodes(), builder_.look_up(), options_.edge_ids, known_);
    builder_.add_known_hop(known_);
    builder_.finish();
  }

private:
  graph_type graph_;
  induced_options options_;
  Policy policy_;
  detail::subgraph_builder<Policy, Vertex> builder_;
  detail::hop_draws<Policy, Vertex, uniform_rule, GraphSpace> draws_;
  detail::induced_edges<Policy, Vertex> induced_edges_;
  detail::hop_sample<Policy, local_id> known_;
};

} // namespace glt

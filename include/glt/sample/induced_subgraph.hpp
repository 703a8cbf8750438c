// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/sample/builder.hpp>
#include <glt/sample/draw.hpp>
#include <glt/sample/full_rows.hpp>
#include <glt/sample/known_edges.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/sample/validate.hpp>

#include <cstdint>
#include <utility>

namespace glt {

/// Which vertices an induced subgraph has, and what is returned of its edges.
struct induced_options {
  std::int64_t num_hops = 0; ///< the seeds and all vertices with a path of at most so many edges to one
  bool edge_ids = false;     ///< return the original id of every edge
};

/// @throws precondition_error  if the number of hops is negative
inline void validate(induced_options const& options) {
  if (options.num_hops < 0) {
    throw precondition_error(detail::message("induced subgraph of ", options.num_hops,
                                             " hops; give 0 for the seeds alone, or more"));
  }
}

/// Returns all edges between the vertices of a set: the seeds, or everything within k hops of them; also what
/// another sampler reached, whose nodes are passed as seeds.
///
/// The result has k + 1 hops: k that take every in-edge, and a last one that takes those edges into the
/// outermost vertices that come from known vertices. Its edges are ordered by destination, those of a
/// destination as in the graph, and block(0) is the whole subgraph.
///
/// @source enclosing subgraphs as in Zhang & Chen, "Link prediction based on graph neural networks", NeurIPS
///         2018
template <device_policy Policy, vertex_id Vertex = local_id>
class induced_sampler {
public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the graph, which must outlive the sampler.
  ///
  /// @throws precondition_error  if the options are wrong, or the graph is not square
  explicit induced_sampler(csr_view<space, Vertex> graph, induced_options options = {}, Policy policy = {})
      : graph_(graph), options_(options), policy_(std::move(policy)), known_edges_(policy_) {
    validate(options_);
    if (graph.num_rows() != graph.num_columns()) {
      throw precondition_error(detail::message("graph of ", graph.num_rows(), " rows and ", graph.num_columns(),
                                               " columns; a serial sampler needs all rows: use dist::induced_sampler ",
                                               "for a part of a graph"));
    }
  }

  [[nodiscard]] induced_options const& options() const noexcept { return options_; }

  /// Writes the subgraph of one list of seeds; a seed may come more than once, and no seeds give no vertices.
  ///
  /// @shape  seeds [S] · out.row(), out.col() [E], all edges with both ends in out.nodes()
  /// @throws precondition_error  if a seed is not in [0, V); `out` is unchanged then
  /// @cost   O(sum of the degrees of the vertices) time, O(vertices + edges of the result) memory; allocates
  ///         only while the subgraph is larger than any before
  void sample(array_view<space, Vertex const> seeds, sampled_subgraph<Policy, Vertex>& out) {
    validate_vertices("seed", seeds, graph_.num_rows());
    builder_.begin(seeds, frontier::fresh, out);
    for (std::int64_t hop = 0; hop < options_.num_hops; ++hop) {
      copy_full_rows(policy_, graph_, builder_.next_frontier(), 0, options_.edge_ids, edges_);
      builder_.add_hop(edges_);
    }
    known_edges_.select(graph_, builder_.next_frontier(), out.nodes(), position_in{&builder_},
                        options_.edge_ids, known_);
    builder_.add_known_hop(known_);
  }

private:
  csr_view<space, Vertex> graph_;
  induced_options options_;
  Policy policy_;
  subgraph_builder<Policy, Vertex> builder_;
  known_edges<Policy, Vertex> known_edges_;
  hop_sample<Policy, local_id> known_;
  hop_sample<Policy, Vertex> edges_;
};

} // namespace glt

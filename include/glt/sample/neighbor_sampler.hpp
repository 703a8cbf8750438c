// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/builder.hpp>
#include <glt/sample/neighbors.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/sample/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace glt {

/// Samples the multi-hop in-neighbourhood of batches of seeds, on one process.
///
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 2
template <device_policy Policy, vertex_id Vertex = local_id>
class neighbor_sampler {
public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the graph, which must outlive the sampler.
  ///
  /// `original` gives the random numbers the ids that vertices had before they were renumbered, so that renumbering does
  /// not change a sample.
  ///
  /// @shape  original [V] or empty
  /// @throws precondition_error  if the options are wrong, the graph is not square, or original has another length
  neighbor_sampler(csr_view<space, Vertex> graph, neighbor_options options, Policy policy = {},
                   original_ids<space> original = {})
      : graph_(graph), options_(std::move(options)), policy_(std::move(policy)), original_(original) {
    validate(options_);
    if (graph.num_rows() != graph.num_columns()) {
      throw precondition_error(detail::message("graph of ", graph.num_rows(), " rows and ", graph.num_columns(),
                                               " columns; a serial sampler needs all rows: use dist::neighbor_sampler ",
                                               "for a part of a graph"));
    }
    if (!original.empty() && original.size() != graph.num_rows()) {
      throw precondition_error(detail::message(original.size(), " original ids for ", graph.num_rows(), " vertices"));
    }
  }

  [[nodiscard]] neighbor_options const& options() const noexcept { return options_; }

  /// Samples one batch into `out`; a seed may come more than once, and no seeds give an empty subgraph.
  ///
  /// @shape  seeds [S]
  /// @throws precondition_error  if a seed is not in [0, V); `out` is unchanged then
  /// @cost   O(sampled edges); allocates only while the batch is larger than any before
  void sample(array_view<space, Vertex const> seeds, sample_key key, sampled_subgraph<Policy, Vertex>& out) {
    validate_vertices("seed", seeds, graph_.num_rows());
    builder_.begin(seeds, options_.expand, out);
    for (std::size_t hop = 0; hop < options_.fanouts.size(); ++hop) {
      hop_options const draw{.fanout = options_.fanouts[hop], .replace = options_.replace};
      expand(builder_.next_frontier(), draw, hop_key(key, static_cast<std::int64_t>(hop)));
      builder_.add_hop(drawn_);
    }
  }

private:
  void expand(array_view<space, Vertex const> vertices, hop_options draw, random_key key) {
    auto const ex = policy_.executor();
    counts_.resize(vertices.size());
    drawn_.offsets.resize(vertices.size() + 1);
    count_neighbors(ex, graph_, vertices, draw, counts_.view(), drawn_.offsets.view());
    auto const num_edges = drawn_.offsets[vertices.size()];
    drawn_.sources.resize(num_edges);
    drawn_.edge_ids.resize(options_.edge_ids ? num_edges : 0);
    sample_neighbors(ex, graph_, vertices, original_, draw, key, array_view<space, edge_offset const>(drawn_.offsets.view()),
                     drawn_.sources.view(), drawn_.edge_ids.view());
  }

  csr_view<space, Vertex> graph_;
  neighbor_options options_;
  Policy policy_;
  original_ids<space> original_;
  subgraph_builder<Policy, Vertex> builder_;
  buffer<Policy, edge_offset> counts_;
  hop_sample<Policy, Vertex> drawn_;
};

} // namespace glt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/builder.hpp>
#include <glt/sample/draw.hpp>
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
  /// `original` gives the random numbers the ids that vertices had before they were renumbered, so that
  /// renumbering does not change a sample.
  ///
  /// @shape  original [V] or empty
  /// @throws precondition_error  if the options are wrong, the graph is not square, or original has another
  ///                             length
  neighbor_sampler(csr_view<space, Vertex> graph, neighbor_options options, Policy policy = {},
                   original_ids<space> original = {})
      : graph_(graph), options_(std::move(options)), original_(original), drawer_(std::move(policy)) {
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
      drawer_.draw(graph_, builder_.next_frontier(), original_, draw, hop_key(key, static_cast<std::int64_t>(hop)),
                   options_.edge_ids, drawn_);
      builder_.add_hop(drawn_);
    }
  }

private:
  csr_view<space, Vertex> graph_;
  neighbor_options options_;
  original_ids<space> original_;
  subgraph_builder<Policy, Vertex> builder_;
  hop_drawer<Policy> drawer_;
  hop_sample<Policy, Vertex> drawn_;
};

} // namespace glt

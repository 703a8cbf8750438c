// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/sample/draw.hpp>
#include <glt/sample/numbering.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstdint>

namespace glt {

/// Turns the draws of hop after hop into a `sampled_subgraph`: renumbers in first-seen order and keeps the
/// frontier.
///
/// The one place where serial and distributed samplers meet: both hand it the same draws in the same order.
template <device_policy Policy, vertex_id Vertex>
class subgraph_builder {
  static_assert(host_accessible(Policy::space), "subgraph_builder renumbers on the host: use a host-accessible policy");

public:
  /// Starts a batch in `out`, which must live until its last hop was added.
  ///
  /// @cost   O(S)
  void begin(array_view<Policy::space, Vertex const> seeds, frontier expand,
             sampled_subgraph<Policy, Vertex>& out) {
    out_ = &out;
    numbering_.clear();
    out.expand_ = expand;
    out.nodes_.clear();
    out.row_.clear();
    out.col_.clear();
    out.edge_ids_.clear();
    out.num_sampled_edges_.clear();
    out.seed_index_.resize(seeds.size());
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      out.seed_index_[i] = number(seeds[i]);
    }
    out.num_sampled_nodes_.assign(1, out.nodes_.size());
    out.offsets_.resize(1);
    out.offsets_[0] = 0;
    first_ = 0;
  }

  /// The vertices to expand next, without duplicates; valid until `add_hop`.
  [[nodiscard]] array_view<Policy::space, Vertex const> next_frontier() const noexcept {
    return out_->nodes().subview(first_, out_->nodes_.size() - first_);
  }

  /// Appends the draws for `next_frontier()`.
  ///
  /// @throws precondition_error  if the hop has not one row per frontier vertex, or its offsets do not go
  ///                             from 0 to its number of sources
  /// @cost   O(frontier + edges)
  void add_hop(hop_sample<Policy, Vertex> const& hop) {
    auto& out = *out_;
    auto const expanded = next_frontier().size();
    if (hop.offsets.size() != expanded + 1) {
      throw precondition_error(detail::message("hop of ", hop.offsets.size(), " offsets for a frontier of ", expanded,
                                               " vertices; give one offset more than vertices"));
    }
    auto const num_edges = hop.sources.size();
    if (hop.offsets[0] != 0 || hop.offsets[expanded] != num_edges) {
      throw precondition_error(detail::message("hop with offsets from ", hop.offsets[0], " to ", hop.offsets[expanded],
                                               " for ", num_edges, " sources; give offsets from 0 to their number"));
    }
    auto const edges_before = out.row_.size();
    auto const nodes_before = out.nodes_.size();
    auto const offsets_before = out.offsets_.size() - 1;
    out.row_.resize(edges_before + num_edges);
    out.col_.resize(edges_before + num_edges);
    out.offsets_.resize(offsets_before + expanded + 1);
    for (std::int64_t i = 0; i < expanded; ++i) {
      auto const destination = static_cast<local_id>(first_ + i);
      for (std::int64_t e = hop.offsets[i]; e < hop.offsets[i + 1]; ++e) {
        out.row_[edges_before + e] = number(hop.sources[e]);
        out.col_[edges_before + e] = destination;
      }
      out.offsets_[offsets_before + i + 1] = edges_before + hop.offsets[i + 1];
    }
    if (!hop.edge_ids.empty()) {
      out.edge_ids_.resize(edges_before + num_edges);
      copy(hop.edge_ids.view(), out.edge_ids_.view().subview(edges_before, num_edges));
    }
    out.num_sampled_edges_.push_back(num_edges);
    out.num_sampled_nodes_.push_back(out.nodes_.size() - nodes_before);
    first_ = out.expand_ == frontier::fresh ? nodes_before : 0;
  }

private:
  local_id number(Vertex vertex) {
    auto const [position, first_time] = numbering_.number(vertex);
    if (first_time) {
      out_->nodes_.resize(std::int64_t{position} + 1);
      out_->nodes_[position] = vertex;
    }
    return position;
  }

  sampled_subgraph<Policy, Vertex>* out_ = nullptr;
  first_seen_numbering<Vertex> numbering_;
  std::int64_t first_ = 0; // position in nodes of the first vertex of the frontier
};

} // namespace glt

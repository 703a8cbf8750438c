// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/neighbors.hpp>
#include <glt/sample/options.hpp>

#include <cstdint>
#include <utility>

namespace glt {

/// What one hop drew for its frontier.
///
/// @shape  offsets [frontier + 1], from 0 · sources [offsets[frontier]] · edge_ids the same, or empty
/// @units  sources are ids of the sampled graph
template <device_policy Policy, vertex_id Vertex>
struct hop_sample {
  buffer<Policy, edge_offset> offsets;
  buffer<Policy, Vertex> sources;
  buffer<Policy, edge_id> edge_ids;
};

/// Counts and samples the neighbours of a list of rows in one go; reusable.
template <device_policy Policy>
class hop_drawer {
  static_assert(host_accessible(Policy::space), "hop_drawer reads sizes on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  explicit hop_drawer(Policy policy = {}) : policy_(std::move(policy)) {}

  /// Writes the draws for every row, in that order; see `sample_neighbors`.
  ///
  /// @shape  rows [S] · out.offsets [S + 1], written, with sources and, if asked for, edge ids
  /// @pre    every row is in [0, graph.num_rows()); not checked
  /// @throws precondition_error  as `sample_neighbors`
  /// @cost   O(S · fanout); allocates only while the hop is larger than any before
  template <vertex_id Vertex, class Row>
  void draw(csr_view<space, Vertex> graph, array_view<space, Row> rows, original_ids<space> original,
            hop_options options, random_key key, bool edge_ids, hop_sample<Policy, Vertex>& out) {
    auto const ex = policy_.executor();
    counts_.resize(rows.size());
    out.offsets.resize(rows.size() + 1);
    count_neighbors(ex, graph, rows, options, counts_.view(), out.offsets.view());
    auto const num_edges = out.offsets[rows.size()];
    out.sources.resize(num_edges);
    out.edge_ids.resize(edge_ids ? num_edges : 0);
    sample_neighbors(ex, graph, rows, original, options, key, std::as_const(out.offsets).view(), out.sources.view(),
                     out.edge_ids.view());
  }

private:
  Policy policy_;
  buffer<Policy, edge_offset> counts_;
};

} // namespace glt

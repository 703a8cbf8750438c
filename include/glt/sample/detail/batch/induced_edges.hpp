// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/parallel_induced_edges.hpp>
#include <glt/sample/detail/batch/vertex_filter.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace glt::detail {

template <memory_space Space, class Vertex, class PositionOf>
struct look_up_range {
  array_view<Space, Vertex const> vertices;
  vertex_filter<Vertex> const* filter;
  PositionOf position_of;
  array_view<Space, local_id> left; // scratch
  array_view<Space, local_id> positions;

  void operator()(std::int64_t first, std::int64_t last) const {
    auto end = first;
    for (auto i = first; i < last; ++i) {
      positions[i] = -1;
      left[end] = static_cast<local_id>(i);
      end += filter->perhaps(vertices[i]);
    }
    for (auto i = first; i < end; ++i) {
      positions[left[i]] = static_cast<local_id>(position_of(vertices[left[i]]));
    }
  }
};

/// Selection of the edges of rows whose sources belong to a set of vertices, on the host; reusable.
///
/// Reads the edges in blocks of fixed size, for any lengths of rows. Memory beside the result does not depend on
/// degrees, and threads share the look-ups of one long row as well.
template <host_policy Policy, vertex_id Vertex>
class host_induced_edges {
  static constexpr memory_space space = Policy::space;

public:
  /// Number of edges that are read at a time.
  static constexpr std::int64_t block_size = std::int64_t{1} << 15;

  explicit host_induced_edges(Policy policy = {}) : policy_(std::move(policy)) {}

  /// Writes, for every row of a list, the positions in the set of its sources that belong to the set.
  ///
  /// @shape  rows [S] · set [N] · out.offsets [S + 1], written, with sources and, on request, edge ids
  /// @units  out.sources are the results of `position_of` for the sources; results below 0 are left out
  /// @pre    every row is in [0, graph.num_rows()), and several threads may call position_of; not checked
  /// @cost   O(S + N + sum of degrees), with a look-up only if a source seems to belong to the set; at most 16 bits a
  ///         vertex of the set and 12 bytes for each of 2¹⁵ edges beside the result
  template <memory_space GraphSpace, class Row, class PositionOf>
  void select(csr_view<GraphSpace, Vertex> graph, array_view<space, Row const> rows,
              array_view<space, Vertex const> set, PositionOf position_of, bool edge_ids,
              hop_sample<Policy, local_id>& out) {
    filter_.fill(set);
    candidates_.resize(block_size);
    left_.resize(block_size);
    positions_.resize(block_size);
    pieces_.clear();
    used_ = 0;
    out.sources.clear();
    out.edge_ids.clear();
    out.offsets.resize(rows.size() + 1);
    out.offsets[0] = 0;
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      out.offsets[i + 1] = 0;
      for (auto e = graph.offset(rows[i]); e < graph.offset(rows[i] + 1);) {
        auto const count = std::min(graph.offset(rows[i] + 1) - e, block_size - used_);
        copy(graph.sources().subview(e, count), candidates_.view().subview(used_, count));
        pieces_.push_back({i, e, count});
        e += count;
        used_ += count;
        if (used_ == block_size) {
          keep_known(graph, position_of, edge_ids, out);
        }
      }
    }
    keep_known(graph, position_of, edge_ids, out);
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      out.offsets[i + 1] += out.offsets[i];
    }
  }

private:
  struct piece {
    std::int64_t row; ///< place in the list
    edge_offset first;
    std::int64_t count;
  };

  // Appends the known edges among those read so far; out.offsets counts them one place after their row.
  template <memory_space GraphSpace, class PositionOf>
  void keep_known(csr_view<GraphSpace, Vertex> graph, PositionOf position_of, bool edge_ids,
                  hop_sample<Policy, local_id>& out) {
    policy_.executor().for_ranges(used_, 4096,
                                  look_up_range<space, Vertex, PositionOf>{std::as_const(candidates_).view(), &filter_,
                                                                           position_of, left_.view(),
                                                                           positions_.view()});
    auto num_kept = out.sources.size();
    out.sources.resize(num_kept + used_);
    out.edge_ids.resize(edge_ids ? num_kept + used_ : 0);
    std::int64_t next = 0;
    for (auto const& [row, first, count] : pieces_) {
      auto const before = num_kept;
      for (std::int64_t j = 0; j < count; ++j, ++next) {
        if (edge_ids) {
          out.edge_ids[num_kept] = graph.id_of_edge(first + j);
        }
        out.sources[num_kept] = positions_[next];
        num_kept += positions_[next] >= 0 ? 1 : 0;
      }
      out.offsets[row + 1] += num_kept - before;
    }
    out.sources.resize(num_kept);
    out.edge_ids.resize(edge_ids ? num_kept : 0);
    pieces_.clear();
    used_ = 0;
  }

  Policy policy_;
  buffer<Policy, Vertex> candidates_;
  vertex_filter<Vertex> filter_;
  buffer<Policy, local_id> left_;
  buffer<Policy, local_id> positions_;
  std::vector<piece> pieces_;
  std::int64_t used_ = 0;
};

template <device_policy Policy, vertex_id Vertex, bool OnHost = host_policy<Policy>>
struct induced_edges_on {
  using type = parallel_induced_edges<Policy, Vertex>;
};
template <device_policy Policy, vertex_id Vertex>
struct induced_edges_on<Policy, Vertex, true> {
  using type = host_induced_edges<Policy, Vertex>;
};

/// Selection of the edges of rows whose sources belong to a set of vertices. Hosts look up each edge once, after a
/// filter, which is several times faster there.
template <device_policy Policy, vertex_id Vertex>
using induced_edges = typename induced_edges_on<Policy, Vertex>::type;

} // namespace glt::detail

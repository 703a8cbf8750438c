// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/link/detail/exclusion_search.hpp>
#include <glt/sample/link/exclusions.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace glt {

/// Owns the edges that sampling leaves out; made anew for every batch in the same memory.
template <device_policy Policy>
class edge_exclusions {
  static_assert(host_policy<Policy>, "edge_exclusions searches on the host: use parallel_edge_exclusions");

public:
  static constexpr memory_space space = Policy::space;

  explicit edge_exclusions(Policy policy = {}) : policy_(std::move(policy)) {}

  /// Forgets all edges.
  void clear() noexcept { edges_.clear(); }
  /// Names an edge, all parallel ones included; it need not exist.
  void add(row_edge edge) {
    edges_.resize(edges_.size() + 1);
    edges_[edges_.size() - 1] = edge;
  }

  /// Looks the named edges up; `ascending` tells that `rows_ascend`. The view is valid until the next call.
  ///
  /// @pre    every row is in [0, graph.num_rows()); not checked
  /// @cost   O(X log X) for X edges and, unless rows ascend, one pass over the rows; allocates only while
  ///         they are more than ever before
  template <memory_space GraphSpace, vertex_id Vertex>
  exclusions_view<space> look_up(csr_view<GraphSpace, Vertex> graph, bool ascending = false) {
    std::sort(edges_.begin(), edges_.end());
    edges_.resize(std::unique(edges_.begin(), edges_.end()) - edges_.begin());
    rows_.clear();
    first_.clear();
    rows_.reserve(edges_.size());
    first_.reserve(edges_.size() + 1);
    for (std::int64_t i = 0; i < edges_.size(); ++i) {
      if (i == 0 || edges_[i].row != edges_[i - 1].row) {
        append(rows_, edges_[i].row);
        append(first_, i);
      }
    }
    append(first_, edges_.size());
    find_positions(graph, ascending);
    make_filter();
    return {std::as_const(filter_).view(), std::as_const(rows_).view(), std::as_const(offsets_).view(),
            std::as_const(positions_).view()};
  }

private:
  static void append(buffer<Policy, std::int64_t>& list, std::int64_t value) {
    list.resize(list.size() + 1);
    list[list.size() - 1] = value;
  }

  template <class Graph>
  void find_positions(Graph const& graph, bool ascending) {
    auto const ex = policy_.executor();
    counts_.resize(rows_.size());
    offsets_.resize(rows_.size() + 1);
    kept_.resize(edges_.size());
    detail::find_excluded<Graph, space> const find{graph,
                                                              ascending,
                                                              std::as_const(edges_).view(),
                                                              std::as_const(rows_).view(),
                                                              std::as_const(first_).view(),
                                                              counts_.view(),
                                                              kept_.view()};
    ex.for_each(rows_.size(), find);
    ex.exclusive_scan(std::as_const(counts_).view(), offsets_.view());
    positions_.resize(offsets_[rows_.size()]);
    ex.for_each(rows_.size(), detail::place_excluded<Graph, space>{find, std::as_const(offsets_).view(),
                                                                              positions_.view()});
  }

  // Sixteen bits a row: one look in sixteen at most is for nothing.
  void make_filter() {
    auto const words = rows_.empty() ? 0 : std::bit_ceil(static_cast<std::uint64_t>(rows_.size()) / 4 + 1);
    filter_.resize(static_cast<std::int64_t>(words));
    std::fill(filter_.begin(), filter_.end(), 0);
    for (auto const row : rows_) {
      using view = exclusions_view<space>;
      filter_[view::word(row, filter_.size())] |= std::uint64_t{1} << view::bit(row);
    }
  }

  Policy policy_;
  buffer<Policy, row_edge> edges_;
  buffer<Policy, std::int64_t> rows_;
  buffer<Policy, std::int64_t> first_;
  buffer<Policy, edge_offset> counts_;
  buffer<Policy, edge_offset> kept_;
  buffer<Policy, edge_offset> offsets_;
  buffer<Policy, edge_offset> positions_;
  buffer<Policy, std::uint64_t> filter_;
};

} // namespace glt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace glt::detail {

/// Vertices of a walk by place, with their rows: a list of vertices, or all rows.
template <memory_space Space, class Vertex>
struct walked_rows {
  csr_view<Space, Vertex> graph;
  array_view<Space, Vertex const> list;
  bool all;                  ///< all rows, in their order
  std::int64_t first_vertex; ///< vertex of row 0

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size() const noexcept { return all ? graph.num_rows() : list.size(); }
  [[nodiscard]] GLT_HOST_DEVICE Vertex vertex(std::int64_t place) const noexcept {
    return all ? static_cast<Vertex>(first_vertex + place) : list[place];
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row(std::int64_t place) const noexcept {
    return vertex(place) - first_vertex;
  }
};

template <memory_space Space, class Vertex>
struct list_walked_vertices {
  walked_rows<Space, Vertex> rows;
  std::int64_t first;
  array_view<Space, Vertex> vertices;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { vertices[i] = rows.vertex(first + i); }
};

template <memory_space Space, class Vertex>
struct list_walked_degrees {
  walked_rows<Space, Vertex> rows;
  std::int64_t first;
  array_view<Space, std::int64_t> degrees;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { degrees[i] = rows.graph.degree(rows.row(first + i)); }
};

template <memory_space Space, class Vertex>
struct subtract_first_vertex {
  array_view<Space, Vertex const> vertices;
  std::int64_t first_vertex;
  array_view<Space, Vertex> rows;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { rows[i] = static_cast<Vertex>(vertices[i] - first_vertex); }
};

// Returns the place of a vertex of the list if it has no row; else the size of the list.
template <memory_space Space, class Vertex>
struct place_without_row {
  walked_rows<Space, Vertex> rows;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    auto const row = rows.row(i);
    return row >= 0 && row < rows.graph.num_rows() ? rows.size() : i;
  }
};

// Copies some edges of one row.
template <memory_space Space, class Vertex>
struct copy_piece {
  walked_rows<Space, Vertex> rows;
  std::int64_t place;
  std::int64_t first_edge;
  array_view<Space, Vertex> sources;
  array_view<Space, edge_id> edge_ids; // empty if not requested
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const edge = rows.graph.offset(rows.row(place)) + first_edge + i;
    sources[i] = rows.graph.source(edge);
    if (!edge_ids.empty()) {
      edge_ids[i] = rows.graph.id_of_edge(edge);
    }
  }
};

/// Degrees of walked rows for the host, which reads them in ascending order; reusable.
///
/// @where  hosts read them in place; other policies fetch many at a time and wait for them
template <device_policy Policy, class Vertex>
class walked_degrees {
public:
  /// @param most  number of degrees that are fetched at a time
  explicit walked_degrees(Policy policy = {}, std::int64_t most = std::int64_t{1} << 16)
      : policy_(policy), most_(most), fetched_(0, policy) {}

  [[nodiscard]] std::int64_t of(walked_rows<Policy::space, Vertex> const& rows, std::int64_t place) {
    if constexpr (host_policy<Policy>) {
      return rows.graph.degree(rows.row(place));
    } else {
      if (place < first_ || place - first_ >= std::ssize(known_)) {
        first_ = place;
        fetched_.resize(std::min(most_, rows.size() - place));
        policy_.executor().for_each(fetched_.size(),
                                    list_walked_degrees<Policy::space, Vertex>{rows, first_, fetched_.view()});
        known_ = to_vector(policy_, std::as_const(fetched_).view());
      }
      return known_[static_cast<std::size_t>(place - first_)];
    }
  }

private:
  Policy policy_;
  std::int64_t most_;
  std::int64_t first_ = 0;
  buffer<Policy, std::int64_t> fetched_;
  std::vector<std::int64_t> known_; // from place `first_` on
};

} // namespace glt::detail

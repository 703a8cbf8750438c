// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace glt::detail {

/// Local vertices that a layer reads, numbered; the vertices of the next layer come first.
class needed_sources {
public:
  needed_sources() = default;

  /// Starts with the destinations of the last layer.
  ///
  /// @throws precondition_error  if a seed is not in [0, num_rows) or is repeated
  needed_sources(std::int64_t num_rows, host_view<local_id const> seeds)
      : numbers_(static_cast<std::size_t>(num_rows), unknown) {
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      if (seeds[i] < 0 || seeds[i] >= num_rows) {
        throw precondition_error(message("seed ", seeds[i], " at ", i, " of a part of ", num_rows,
                                         " vertices; pass rows of the local part"));
      }
      if (numbers_[static_cast<std::size_t>(seeds[i])] != unknown) {
        throw precondition_error(message("seed ", seeds[i], " at ", i, " is there twice; pass distinct seeds"));
      }
      number(seeds[i]);
    }
  }

  /// @shape  local rows of the graph, by number
  [[nodiscard]] std::vector<local_id> const& vertices() const& noexcept { return vertices_; }
  [[nodiscard]] std::vector<local_id> vertices() && noexcept { return std::move(vertices_); }

  /// Numbers the local sources of a layer's edges and the rows that other ranks need, and updates the boundary.
  template <device_policy Policy>
  void add_sources(boundary<Policy>& edges) {
    auto const num_rows = static_cast<std::int64_t>(numbers_.size());
    for (auto const slot : edges.slots) {
      if (slot < num_rows) {
        number(slot);
      }
    }
    for (auto& row : edges.sent) {
      row = number(row);
    }
    auto const shift = std::ssize(vertices_) - num_rows;
    for (auto& slot : edges.slots) {
      slot = slot < num_rows ? numbers_[static_cast<std::size_t>(slot)] : static_cast<local_id>(slot + shift);
    }
    for (std::size_t k = 1; k < edges.slot_begins.size(); ++k) {
      edges.slot_begins[k] += shift;
    }
  }

private:
  static constexpr local_id unknown = -1;

  local_id number(local_id row) {
    auto& known = numbers_[static_cast<std::size_t>(row)];
    if (known == unknown) {
      known = static_cast<local_id>(vertices_.size());
      vertices_.push_back(row);
    }
    return known;
  }

  std::vector<local_id> numbers_; // [V]
  std::vector<local_id> vertices_;
};

/// Edges of some rows of a graph, one row after the other, and their ids.
template <host_policy Policy, vertex_id Vertex>
struct edges_of_rows {
  csr_graph<Policy, Vertex> graph; // without ids
  buffer<Policy, edge_id> ids;
};

template <host_policy Policy, vertex_id Vertex>
[[nodiscard]] edges_of_rows<Policy, Vertex> take_rows(csr_view<Policy::space, Vertex> from,
                                                      std::vector<local_id> const& rows, Policy const& policy) {
  buffer<Policy, edge_offset> offsets(std::ssize(rows) + 1, policy);
  offsets[0] = 0;
  for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
    offsets[i + 1] = offsets[i] + from.degree(rows[static_cast<std::size_t>(i)]);
  }
  buffer<Policy, Vertex> sources(offsets[std::ssize(rows)], policy);
  buffer<Policy, edge_id> ids(sources.size(), policy);
  for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
    auto const first = from.offset(rows[static_cast<std::size_t>(i)]);
    for (auto e = offsets[i]; e < offsets[i + 1]; ++e) {
      sources[e] = from.source(first + e - offsets[i]);
      ids[e] = from.id_of_edge(first + e - offsets[i]);
    }
  }
  return {{from.num_columns(), std::move(offsets), std::move(sources)}, std::move(ids)};
}

} // namespace glt::detail

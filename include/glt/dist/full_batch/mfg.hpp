// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/graph.hpp>
#include <glt/graph/csr.hpp>

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

namespace glt::dist {

/// Layers of a network over only the vertices that some seeds depend on.
///
/// @shape  inputs: local rows of the graph that the first layer reads, its sources · layers: first layer first; the
///         destinations of each layer are the sources of the next, the destinations of the last are the seeds ·
///         edge_ids: for each layer, ids of its edges in the order in which passes number them (positions in the part
///         if the graph has no ids)
template <communicator Comm, device_policy Policy>
struct message_flow_graphs {
  std::vector<local_id> inputs;
  std::vector<sharded_graph<Comm, Policy>> layers;
  std::vector<buffer<Policy, edge_id>> edge_ids;
};

/// Finds, layer by layer, the vertices that the seeds of all ranks need: seeds, their in-neighbours, the in-neighbours
/// of these, and so on.
///
/// As in sampled blocks, destinations are the first of the sources. A pass over a layer combines all in-edges of its
/// destinations. So L layers give the seeds the same result as on the whole graph.
///
/// @shape  seeds [S], distinct local rows of the graph
/// @where  ordinary memory
/// @comm   collective, every rank with the same number of layers; per layer as `sharded_graph`
/// @throws collective_error  on every rank, if a seed is not a row of a rank's part or is repeated, num_layers differs
///                           or is below 1, or as `sharded_graph`
/// @cost   O(V) and, per layer, O(E' log R) for E' edges of the layer
template <communicator Comm, host_policy Policy, vertex_id Vertex>
[[nodiscard]] message_flow_graphs<Comm, Policy> make_mfgs(Comm comm, graph<Policy, Vertex> const& graph,
                                                          host_view<local_id const> seeds, std::int64_t num_layers,
                                                          sharding_options options = {}, Policy policy = {}) {
  auto const rows = graph.local();
  glt::detail::needed_sources numbers;
  auto const failure = detail::failure_of([&] {
    if (num_layers < 1) {
      throw precondition_error(detail::message("message-flow graphs of ", num_layers, " layers; ask for 1 or more"));
    }
    numbers = glt::detail::needed_sources(rows.num_rows(), seeds);
  });
  auto const headers = glt::detail::exchange_values(glt::detail::host_comm(comm),
                                                    {.what = detail::operation::make_mfgs}, failure, num_layers);
  glt::detail::check_same(comm, headers, &glt::detail::call_header::value, [](std::int64_t value, std::int64_t first) {
    return detail::message("asks for ", value, " layers while rank 0 asks for ", first,
                           "; make the same calls on all ranks");
  });
  message_flow_graphs<Comm, Policy> made;
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    auto edges = glt::detail::take_rows<Policy, Vertex>(rows, numbers.vertices(), policy);
    auto boundary =
        glt::detail::find_boundary(comm, graph.book(), edges.graph.view(), rows.num_rows(), options, policy);
    numbers.add_sources(boundary);
    made.layers.emplace_back(comm, edges.graph.view(), std::move(boundary), options, policy);
    made.edge_ids.push_back(std::move(edges.ids));
  }
  std::ranges::reverse(made.layers);
  std::ranges::reverse(made.edge_ids);
  made.inputs = std::move(numbers).vertices();
  return made;
}

} // namespace glt::dist

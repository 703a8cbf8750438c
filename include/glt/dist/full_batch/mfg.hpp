// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_schema.hpp>

namespace glt::detail {

/// Local vertices of a type that a layer reads, numbered; the vertices of the next layer come first.
class needed_sources {
public:
  /// Starts with the destinations of the last layer; `of_type` follows the word "vertices" in errors.
  ///
  /// @throws precondition_error  if a seed is not in [0, num_rows) or is repeated
  needed_sources(std::int64_t num_rows, host_view<local_id const> seeds, std::string_view of_type = {})
      : numbers_(static_cast<std::size_t>(num_rows), unknown) {
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      auto const refuse = [&](auto const&... fault) {
        throw precondition_error(
            message("seed ", seeds[i], " at ", i, " of a part of ", num_rows, " vertices", of_type, fault...));
      };
      if (seeds[i] < 0 || seeds[i] >= num_rows) {
        refuse("; pass rows of the local part");
      }
      if (numbers_[static_cast<std::size_t>(seeds[i])] != unknown) {
        refuse(" is there twice; pass distinct seeds");
      }
      number(seeds[i]);
    }
  }

  /// @shape  local rows of the graph, by number
  [[nodiscard]] std::vector<local_id> const& vertices() const& noexcept { return vertices_; }
  [[nodiscard]] std::vector<local_id> vertices() && noexcept { return std::move(vertices_); }

  [[nodiscard]] std::size_t size() const noexcept { return vertices_.size(); }
  /// Returns the number of local vertices of the type.
  [[nodiscard]] std::int64_t num_rows() const noexcept { return std::ssize(numbers_); }

  /// Numbers the local sources of some edges and the rows that other ranks need.
  template <device_policy Policy>
  void number_sources(boundary<Policy> const& edges) {
    for (auto const slot : edges.slots) {
      if (slot < num_rows()) {
        number(slot);
      }
    }
    for (auto const row : edges.sent) {
      number(row);
    }
  }

  /// Writes the numbers to a boundary, when the sources of all edges of the layer have one.
  template <device_policy Policy>
  void renumber(boundary<Policy>& edges) const {
    auto const num_rows = this->num_rows();
    for (auto& row : edges.sent) {
      row = numbers_[static_cast<std::size_t>(row)];
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

/// Edges of a relation of a part, and the types of their ends; a graph without types is one relation of one type.
template <host_policy Policy, vertex_id Vertex>
struct part_relation {
  csr_view<Policy::space, Vertex> rows;
  partition_book const* book; // of the sources
  std::size_t source_type;
  std::size_t destination_type;
};

template <host_policy Policy, vertex_id Vertex>
struct layer_edges {
  edges_of_rows<Policy, Vertex> rows;
  boundary<Policy> ends;
};

/// Finds the vertices on which seeds depend, and calls add(edges, numbers) for each layer, the last one first.
///
/// @shape  start(types) adds the seeds of each type, and may throw · edges [relations] · numbers [types], the sources
/// @comm   collective; a header exchange and, per layer and relation, `find_boundary`
template <communicator Comm, host_policy Policy, vertex_id Vertex, class Start, class Add>
[[nodiscard]] std::vector<needed_sources>
find_layers(Comm comm, std::vector<part_relation<Policy, Vertex>> const& relations, Start const& start,
            std::int64_t num_layers, dist::sharding_options const& options, Policy const& policy, Add const& add) {
  std::vector<needed_sources> numbers;
  auto const failure = failure_of([&] {
    if (num_layers < 1) {
      throw precondition_error(message("message-flow graphs of ", num_layers, " layers; ask for 1 or more"));
    }
    start(numbers);
  });
  auto const headers = exchange_values(host_comm(comm), {.what = operation::make_mfgs}, failure, num_layers);
  check_same(comm, headers, &call_header::value, [](std::int64_t value, std::int64_t first) {
    return message("asks for ", value, " layers while rank 0 asks for ", first, "; make the same calls on all ranks");
  });
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    std::vector<layer_edges<Policy, Vertex>> edges;
    for (auto const& of : relations) {
      auto rows = take_rows<Policy, Vertex>(of.rows, numbers[of.destination_type].vertices(), policy);
      auto ends = find_boundary(comm, *of.book, rows.graph.view(), numbers[of.source_type].num_rows(), options, policy);
      edges.push_back({std::move(rows), std::move(ends)});
    }
    for (std::size_t e = 0; e < relations.size(); ++e) { // after all rows were taken
      numbers[relations[e].source_type].number_sources(edges[e].ends);
    }
    for (std::size_t e = 0; e < relations.size(); ++e) {
      numbers[relations[e].source_type].renumber(edges[e].ends);
    }
    add(edges, std::as_const(numbers));
  }
  return numbers;
}

} // namespace glt::detail

namespace glt::dist {

/// Layers of a network over only the vertices that some seeds depend on, as `make_mfgs` returns them.
///
/// @shape  inputs: local rows of the graph that the first layer reads, its sources; a list for each node type of a typed
///         graph · layers: first layer first, sharded graphs, typed or not; the destinations of each layer are the
///         sources of the next, the destinations of the last are the seeds · edge_ids: for each layer, ids of its edges
///         in the order in which passes number them (positions in the part if the graph has no ids); of a typed graph a
///         buffer for each edge type
template <class Graph, class Rows, class Ids>
struct message_flow_graphs {
  Rows inputs;
  std::vector<Graph> layers;
  std::vector<Ids> edge_ids;
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
[[nodiscard]] auto make_mfgs(Comm comm, graph<Policy, Vertex> const& graph, host_view<local_id const> seeds,
                             std::int64_t num_layers, sharding_options options = {}, Policy policy = {}) {
  message_flow_graphs<sharded_graph<Comm, Policy>, std::vector<local_id>, buffer<Policy, edge_id>> made;
  auto const rows = graph.local();
  std::vector<glt::detail::part_relation<Policy, Vertex>> const only_relation{{rows, &graph.book(), 0, 0}};
  auto numbers = glt::detail::find_layers(
      comm, only_relation, [&](auto& types) { types.emplace_back(rows.num_rows(), seeds); }, num_layers, options,
      policy,
      [&](auto& edges, auto const&) {
        auto& [of_rows, ends] = edges.front();
        made.layers.emplace_back(comm, of_rows.graph.view(), std::move(ends), options, policy);
        made.edge_ids.push_back(std::move(of_rows.ids));
      });
  std::ranges::reverse(made.layers);
  std::ranges::reverse(made.edge_ids);
  made.inputs = std::move(numbers.front()).vertices();
  return made;
}

/// Finds the same for a heterogeneous graph: a layer has the vertices of each type on which seeds of any type depend.
///
/// @shape  seeds: for each node type [S], distinct local rows; may be empty
/// @where  ordinary memory
/// @comm   collective, every rank with the same number of layers; per layer as `hetero_sharded_graph`
/// @throws collective_error  on every rank, if a rank passes another number of lists than node types, or as for a graph
///                           without types
/// @cost   O(V) of all types and, per layer, O(E' log R) for E' edges of all relations of the layer
template <communicator Comm, host_policy Policy, vertex_id Vertex>
[[nodiscard]] auto make_mfgs(Comm comm, hetero_graph<Policy, Vertex> const& graph,
                             std::vector<std::vector<local_id>> const& seeds, std::int64_t num_layers,
                             sharding_options options = {}, Policy policy = {}) {
  message_flow_graphs<hetero_sharded_graph<Comm, Policy>, std::vector<std::vector<local_id>>,
                      std::vector<buffer<Policy, edge_id>>>
      made;
  auto const& schema = graph.schema();
  std::vector<glt::detail::part_relation<Policy, Vertex>> relations;
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const source = schema.source_type(e);
    relations.push_back({graph.local(e), &graph.book(source), static_cast<std::size_t>(source),
                         static_cast<std::size_t>(schema.destination_type(e))});
  }
  auto const start = [&](auto& types) {
    if (std::ssize(seeds) != schema.num_node_types()) {
      throw precondition_error(detail::message(seeds.size(), " lists of seeds for ", schema.num_node_types(),
                                               " node types; pass a list for each, empty for types without seeds"));
    }
    for (int t = 0; t < schema.num_node_types(); ++t) {
      auto const type = static_cast<std::size_t>(t);
      types.emplace_back(graph.book(t).size(graph.part()), seeds[type],
                         detail::message(" of type '", schema.node_types()[type].name, "'"));
    }
  };
  auto const counts_of = [](auto const& lists) {
    std::vector<std::int64_t> counts;
    for (auto const& list : lists) {
      counts.push_back(std::ssize(list));
    }
    return counts;
  };
  auto num_destinations = counts_of(seeds);
  auto numbers = glt::detail::find_layers(
      comm, relations, start, num_layers, options, policy, [&](auto& edges, auto const& sources) {
        std::vector<sharded_graph<Comm, Policy>> layer;
        auto& ids = made.edge_ids.emplace_back();
        for (auto& [of_rows, ends] : edges) {
          layer.emplace_back(comm, of_rows.graph.view(), std::move(ends), options, policy);
          ids.push_back(std::move(of_rows.ids));
        }
        auto const num_sources = counts_of(sources);
        made.layers.emplace_back(schema, num_sources, std::exchange(num_destinations, num_sources), std::move(layer));
      });
  std::ranges::reverse(made.layers);
  std::ranges::reverse(made.edge_ids);
  for (auto& of_type : numbers) {
    made.inputs.push_back(std::move(of_type).vertices());
  }
  return made;
}

} // namespace glt::dist

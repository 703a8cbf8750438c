// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/book.hpp>

namespace glt {

/// Small value that assigns every vertex of a graph to a part.
///
/// Models: `contiguous_partitioner`, `random_partitioner`, `hash_partitioner`, `assigned_partitioner`,
/// `ldg_partitioner`, `fennel_partitioner`, `multilevel_partitioner`, `dist::frequency_partitioner`, `metis_partitioner`.
///
/// - `p(graph, num_parts)`: the part of every vertex, [V], in [0, num_parts); the same for the same options
///   and graph. Throws `precondition_error` if num_parts < 1 or the graph is not square. Parts may stay
///   empty.
template <class P, class Vertex = local_id>
concept partitioner =
    std::copyable<P> && requires(P const& p, csr_view<memory_space::host, Vertex> graph, int num_parts) {
      { p(graph, num_parts) } -> std::same_as<buffer<device::cpu, local_id>>;
    };

namespace detail {

inline void check_num_parts(int num_parts) {
  if (num_parts < 1) {
    throw precondition_error(message("partition into ", num_parts, " parts; ask for 1 or more"));
  }
}

template <class Vertex>
void check_partition(csr_view<memory_space::host, Vertex> graph, int num_parts) {
  check_num_parts(num_parts);
  if (graph.num_rows() != graph.num_columns()) {
    throw precondition_error(message("partition of a graph of ", graph.num_rows(), " rows and ", graph.num_columns(),
                                     " columns; only a whole graph, with as many of each, can be partitioned"));
  }
}

// Returns the first place of a part: places [first_place(p), first_place(p + 1)) belong to part p; sizes differ by at
// most 1.
inline std::int64_t first_place(std::int64_t n, int num_parts, int part) {
  auto const larger = n % num_parts;
  return n / num_parts * part + (part < larger ? part : larger);
}

// Assigns places 0 … n − 1 to the parts in equal ranges; vertex_at(place) is the vertex at a place.
template <class VertexAt>
buffer<device::cpu, local_id> equal_shares(std::int64_t n, int num_parts, VertexAt vertex_at) {
  buffer<device::cpu, local_id> part_of(n);
  for (int part = 0; part < num_parts; ++part) {
    auto const last = first_place(n, num_parts, part + 1);
    for (auto place = first_place(n, num_parts, part); place < last; ++place) {
      part_of[vertex_at(place)] = part;
    }
  }
  return part_of;
}

} // namespace detail

/// Order in which a graph in memory goes through a stream.
enum class stream_order {
  random, ///< a keyed shuffle, which spares the cut from unlucky orders
  natural ///< 0, 1, 2, …: the order of a file; better if close ids are close in the graph
};

namespace detail {

/// Makes one graph with all vertices in one numbering, type after type, and the edges of all types.
///
/// A row has the edges of the first type first. Edges have no ids: positions differ between types.
///
/// @shape  → one row and column per vertex of any type
/// @pre    sources are vertices of their type; not checked, see `validate`
/// @throws precondition_error  if there are more vertices than a `Vertex` can number
/// @cost   O(V + E), in time and memory
template <vertex_id Vertex>
[[nodiscard]] csr_graph<device::cpu, Vertex> make_homogeneous(hetero_view<memory_space::host, Vertex> graph) {
  auto const& schema = graph.schema();
  auto const first = first_vertices(schema);
  static_cast<void>(narrow<Vertex>(first.back(), "number of vertices of all types"));
  buffer<device::cpu, edge_offset> offsets(first.back() + 1);
  for (auto& offset : offsets) {
    offset = 0;
  }
  auto const rows_of = [&](int e) { return first[static_cast<std::size_t>(schema.destination_type(e))]; };
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    for (std::int64_t r = 0; r < graph.relation(e).num_rows(); ++r) {
      offsets[rows_of(e) + r + 1] += graph.relation(e).degree(r);
    }
  }
  for (std::int64_t r = 0; r < first.back(); ++r) {
    offsets[r + 1] += offsets[r];
  }
  buffer<device::cpu, Vertex> sources(offsets[first.back()]);
  std::vector<edge_offset> next(offsets.begin(), offsets.end());
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const first_column = static_cast<Vertex>(first[static_cast<std::size_t>(schema.source_type(e))]);
    for (std::int64_t r = 0; r < graph.relation(e).num_rows(); ++r) {
      for (auto const source : graph.relation(e).row(r)) {
        sources[next[static_cast<std::size_t>(rows_of(e) + r)]++] = static_cast<Vertex>(first_column + source);
      }
    }
  }
  return {first.back(), std::move(offsets), std::move(sources)};
}

} // namespace detail

/// Divides the vertices of every type over parts, by a partitioner that sees the edges of all types.
///
/// A partitioner with `balance_limit::types` among its limits gives every part its share of every type; without it, the
/// vertices of a type may be concentrated in some parts.
///
/// @shape  → [node types]
/// @throws precondition_error  if num_parts < 1, or as `make_homogeneous`
/// @cost   as the partitioner and `make_homogeneous`
template <vertex_id Vertex, partitioner<Vertex> Partitioner>
[[nodiscard]] std::vector<relabelling> partition_by_type(hetero_view<memory_space::host, Vertex> graph,
                                                         Partitioner const& partitioner, int num_parts) {
  auto const whole = detail::make_homogeneous(graph);
  auto const part_of = partitioner(whole.view(), num_parts);
  std::vector<relabelling> made;
  std::int64_t first = 0;
  for (auto const& type : graph.schema().node_types()) {
    made.push_back(make_relabelling(part_of.view().subview(first, type.num_vertices), num_parts));
    first += type.num_vertices;
  }
  return made;
}

} // namespace glt

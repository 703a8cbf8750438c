// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/comm/guard.hpp>
#include <glt/dist/builder/detail/assign_parts.hpp>
#include <glt/dist/builder/detail/gather_edges.hpp>
#include <glt/dist/builder/detail/gather_rows.hpp>
#include <glt/dist/builder/detail/local_columns.hpp>
#include <glt/dist/builder/detail/vertex_ids.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/contiguous.hpp>

#include <bit>

namespace glt::detail {

/// Describes the values of the edges of a rank.
///
/// @throws precondition_error  if the lengths of lists differ
inline void add_columns(dist::local_data::edge_list const& edges, bool symmetric, local_columns& columns) {
  if (edges.destinations.size() != edges.sources.size()) {
    throw precondition_error(message(edges.sources.size(), " sources and ", edges.destinations.size(),
                                     " destinations of edges; every edge needs one of each"));
  }
  if (!edges.ids.empty() && symmetric) {
    throw precondition_error("edge ids for a symmetric graph, in which reverses would have the same; leave ids out");
  }
  if (!edges.ids.empty()) { // so that all ranks give ids, or none
    columns.add(local_columns::ids, {static_cast<std::int8_t const*>(nullptr), edges.ids.size(), 0, 0});
  }
  if (!edges.weights.empty()) {
    columns.add(local_columns::weights, edges.weights);
  }
  if (!edges.times.empty()) {
    columns.add(local_columns::times, edges.times);
  }
  for (auto const& [name, rows] : edges.tensors) {
    columns.add(name, rows);
  }
}

/// Describes the values of the vertices of a rank.
///
/// @throws precondition_error  if the lengths of lists differ
inline void add_columns(dist::local_data::vertex_list const& vertices, local_columns& columns) {
  if (!vertices.times.empty()) {
    columns.add(local_columns::times, vertices.times);
  }
  for (auto const& [name, rows] : vertices.tensors) {
    columns.add(name, rows);
  }
}

/// Returns a number that differs between different options; of num_vertices `vertex_ids` says more.
[[nodiscard]] inline std::int64_t fingerprint_of(dist::build_options const& options) {
  return fingerprint()
      .add(options.symmetric ? 1 : 0)
      .add(static_cast<std::int64_t>(options.duplicates))
      .add(static_cast<std::int64_t>(options.self_loops))
      .add(options.missing ? 1 : 0)
      .add(std::bit_cast<std::int64_t>(options.missing.value_or(0)))
      .add(options.round_bytes)
      .value();
}

/// Makes this rank's part of a data set from data that lies on all ranks in any order; see `make_data_set`.
///
/// @comm   collective; as `make_data_set`, without the exchanges of `data_set`
/// @throws collective_error  as `make_data_set`
template <communicator Comm, class Method = contiguous_partitioner>
[[nodiscard]] dist::data_part<device::cpu> make_data_part(Comm& comm, dist::local_data const& data,
                                                          Method const& method = {},
                                                          dist::build_options const& options = {}) {
  auto& host = host_comm(comm);
  local_columns of_edges("edges", data.edges.sources.size());
  local_columns of_rows("rows of vertices", data.rows.vertices.size());
  auto failure = failure_of([&] {
    add_columns(data.edges, options.symmetric, of_edges);
    add_columns(data.rows, of_rows);
  });
  agree(host, {.what = operation::shuffle, .hop = 59}, failure, fingerprint_of(options),
        [](auto, auto) { return "has other options than rank 0; give the same on all ranks"; });
  failure = of_edges.agree(host, {.what = operation::shuffle, .hop = 60}, {});
  failure = of_rows.agree(host, {.what = operation::shuffle, .hop = 61}, failure);

  dist::local_data::id_list of_method;
  bool in_order = false; // new ids are the numbers of the vertices
  if constexpr (std::same_as<Method, dist::given_parts>) {
    of_method = method.vertices;
  } else if constexpr (std::same_as<Method, contiguous_partitioner>) {
    in_order = method.balance.empty();
  }
  vertex_ids vertices(host, failure, {&data.edges.sources, &data.edges.destinations, &data.rows.vertices, &of_method},
                      options.num_vertices, in_order, options.round_bytes);
  numbered_edges edges(host, data.edges, options);
  vertices.renumber(host, {}, assign_parts(host, edges, vertices, options.duplicates, method).cview(), true);
  gathered_rows rows = gather_edges(host, edges, vertices, &of_edges, options.duplicates);
  part_names names = gather_names(host, vertices);
  part_columns of_vertices = gather_rows(host, data.rows.vertices, of_rows, vertices, names, options.missing);
  std::vector<dist::vertex_split> splits = gather_splits(host, data.splits, vertices);

  dist::data_part<device::cpu> made;
  run_together(host, [&] {
    auto const num_rows = names.numbers.size();
    auto times = of_vertices.take<std::int64_t>(local_columns::times);
    auto tensors = of_vertices.take_tensors();
    if (!vertices.is_range()) {
      tensors.add("id", glt::feature_store<device::cpu, std::int64_t>(num_rows, 1, std::move(names.ids)));
    }
    static_cast<void>(rows.values.take<std::int8_t>(local_columns::ids));
    auto weights = rows.values.take<float>(local_columns::weights);
    auto edge_times = rows.values.take<std::int64_t>(local_columns::times);
    made = dist::data_part<device::cpu>(
        graph_part<device::cpu>{vertices.book(), host.rank(),
                                csr_graph<device::cpu, global_id>(vertices.num_vertices(), std::move(rows.offsets),
                                                                  std::move(rows.columns), std::move(rows.ids)),
                                std::move(names.numbers)},
        {.tensors = std::move(tensors), .splits = std::move(splits), .times = std::move(times)},
        {.tensors = rows.values.take_tensors(), .weights = std::move(weights), .times = std::move(edge_times)});
  });
  return made;
}

} // namespace glt::detail

namespace glt::dist {

/// Makes a data set from data that lies on all ranks of a program in any order: every rank gives the edges and the rows
/// of vertices that it holds, and owns one part of the data set afterwards.
///
///     auto const data = glt::dist::make_data_set(comm, {.edges = {.sources = from, .destinations = to},
///                                                       .rows = {.vertices = ids, .tensors = {{"x", matrix}}},
///                                                       .splits = {{"train", train}}},
///                                                glt::hash_partitioner{});
///
/// Vertices are numbered by their ids in ascending order, so neither numbers nor samples depend on the ranks that hold
/// them. Parts come from a method:
/// - `contiguous_partitioner` (ranges of equal size; the default), `hash_partitioner`, and `given_parts` of the program
///   need no graph;
/// - `ldg_partitioner` and `fennel_partitioner` with `stream_order::natural` stream the rows through rank 0, which
///   keeps the parts of all vertices and a round of rows;
/// - any other partitioner, such as `metis_partitioner`, gets the whole graph on rank 0: 8 bytes an edge and a vertex,
///   beside the memory of the partitioner.
///
/// @units  ids of edges are positions in the lists of all ranks, in the order of the ranks, or the given ids; reverses
///         follow, in the same order, as `symmetrize` numbers them
/// @comm   collective; rounds of variable exchanges, each after a header exchange: 24 bytes and the values of an edge,
///         32 bytes and the values of a vertex, and for every distinct id of a rank 24 bytes, 16 with `num_vertices`.
///         A partitioner that needs the graph adds 24 bytes an edge, 16 bytes an id, and 8 bytes an edge in every pass.
///         Then the exchanges of `data_set`
/// @throws collective_error  on every rank, if lists of a rank differ in length, tensors or options differ between
///                           ranks, an id is below 0 or not below `num_vertices`, a vertex has two rows or none, a
///                           tensor cannot hold `missing`, a split names no vertex, or a partitioner throws
/// @cost   O(n log n) for the n ids of a rank, O(n) with `num_vertices`; memory of the part, 18 bytes for every
///         distinct id of the rank, with `num_vertices` a bit for every vertex, and a few rounds. If all ranks send a
///         round to one rank, that rank receives all of it
template <communicator Comm, class Method = contiguous_partitioner>
[[nodiscard]] data_set<device::cpu> make_data_set(Comm& comm, local_data const& data, Method const& method = {},
                                                  build_options const& options = {}) {
  return {comm, detail::make_data_part(comm, data, method, options), options.reading};
}

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/assign_parts.hpp>
#include <glt/dist/builder/detail/gather_edges.hpp>
#include <glt/dist/builder/detail/gather_vertices.hpp>
#include <glt/dist/builder/detail/local_columns.hpp>
#include <glt/dist/builder/detail/typed_graph.hpp>
#include <glt/dist/builder/detail/vertex_ids.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>

namespace glt::detail {

struct a_partitioner_or_given_parts_come_third_and_the_options_fourth;

/// Describes the values of the edges of a rank.
///
/// @throws precondition_error  if the lengths of lists differ
inline void add_columns(dist::local_data::edge_list const& edges, bool symmetric, std::string_view of_type,
                        local_columns& columns) {
  if (edges.destinations.size() != edges.sources.size()) {
    throw precondition_error(message(edges.sources.size(), " sources and ", edges.destinations.size(),
                                     " destinations of edges", of_type, "; every edge needs one of each"));
  }
  if (!edges.ids.empty() && symmetric) {
    throw precondition_error(message("ids of edges", of_type,
                                     " for a symmetric graph, in which reverses would have the same; leave ids out"));
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

/// Data of a rank by type, for all steps: data without types have one type of each kind.
struct typed_data {
  std::vector<dist::local_data::node_type> nodes;
  std::vector<dist::local_data::edge_type> edges;   ///< of the program, and the reverse types that `symmetric` adds
  std::size_t num_given_edges = 0;                  ///< edge types of the program
  std::vector<dist::local_data::given_parts> given; ///< by node type, if this is the method
  std::vector<std::string> of_nodes;                ///< text that follows a vertex in errors; see `vertex_ids::of_type`
  std::vector<std::string> of_edges;
  std::vector<local_columns> node_columns;
  std::vector<local_columns> edge_columns;

  /// @throws precondition_error  if there are types and lists without type, types are wrong, the method does not give
  ///                             the parts of every type, or as `add_columns`
  template <class Method>
  typed_data(dist::local_data const& data, Method const& method, dist::local_data::options const& options)
      : nodes(data.node_types), edges(data.edge_types) {
    bool const has_types = !nodes.empty() || !edges.empty();
    if (!has_types) {
      nodes.push_back({"node", data.rows, data.splits, options.num_vertices});
      edges.push_back({"node", "edge", "node", data.edges});
    } else if (data.edges.sources.size() + data.edges.destinations.size() + data.rows.vertices.size() > 0 ||
               !data.splits.empty() || options.num_vertices) {
      throw precondition_error("node_types or edge_types beside edges, rows, splits or num_vertices without a type; "
                               "give these with their types");
    }
    num_given_edges = edges.size();
    for (std::size_t e = 0; options.symmetric && e < num_given_edges; ++e) {
      if (!joins_one_type(e)) {
        auto reverse = edges[e];
        std::swap(reverse.source, reverse.destination);
        std::swap(reverse.edges.sources, reverse.edges.destinations);
        reverse.name = "rev_" + reverse.name;
        edges.push_back(std::move(reverse));
      }
    }
    if constexpr (std::same_as<Method, dist::local_data::given_parts>) {
      given.push_back(method);
    } else if constexpr (gives_parts<Method>) {
      given = method;
    }
    if (gives_parts<Method> && given.size() != nodes.size()) {
      throw precondition_error(message(given.size(), " lists of given parts for ", nodes.size(),
                                       " node types; give a vector with one per type, in their order"));
    }
    auto const types = schema(std::vector<std::int64_t>(nodes.size(), 0)); // checks them
    for (std::size_t t = 0; t < nodes.size(); ++t) {
      of_nodes.push_back(has_types ? " of type '" + nodes[t].name + '\'' : "");
      node_columns.emplace_back("rows of vertices" + of_nodes[t], nodes[t].rows.vertices.size());
      add_columns(nodes[t].rows, node_columns[t]);
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
      of_edges.push_back(has_types ? " of " + types.name_of_edge_type(static_cast<int>(e)) : "");
      edge_columns.emplace_back("edges" + of_edges[e], edges[e].edges.sources.size());
      add_columns(edges[e].edges, options.symmetric && joins_one_type(e), of_edges[e], edge_columns[e]);
    }
  }

  [[nodiscard]] bool joins_one_type(std::size_t edge_type) const {
    return edges[edge_type].source == edges[edge_type].destination;
  }
  /// @throws precondition_error  as `hetero_schema`
  [[nodiscard]] hetero_schema schema(std::span<std::int64_t const> num_vertices) const {
    std::vector<hetero_schema::node_type> node_types;
    std::vector<hetero_schema::edge_type> edge_types;
    for (auto const& type : nodes) {
      node_types.push_back({type.name, num_vertices[node_types.size()]});
    }
    for (auto const& type : edges) {
      edge_types.push_back({type.source, type.name, type.destination});
    }
    return {std::move(node_types), std::move(edge_types)};
  }
  /// Returns the lists that have vertices of a type.
  [[nodiscard]] std::vector<named_ids> lists_of(std::size_t node_type) const {
    auto const& of = nodes[node_type];
    std::vector<named_ids> made{{&of.rows.vertices, "vertices of rows"}};
    for (auto const& type : std::span(edges).first(num_given_edges)) { // reverses have the same lists
      if (type.source == of.name) {
        made.push_back({&type.edges.sources, "sources of edges '" + type.name + "'"});
      }
      if (type.destination == of.name) {
        made.push_back({&type.edges.destinations, "destinations of edges '" + type.name + "'"});
      }
    }
    if (!given.empty()) {
      made.push_back({&given[node_type].vertices, "vertices of given parts"});
    }
    return made;
  }
};

/// Returns a number that differs between different types or options; of num_vertices `vertex_ids` says more.
[[nodiscard]] inline std::int64_t fingerprint_of(typed_data const& data, dist::local_data::options const& options) {
  fingerprint made;
  made.add(options.symmetric).add(options.duplicates).add(options.self_loops).add(options.round_bytes);
  made.add(options.missing.has_value()).add(options.missing.value_or(0)).add(std::ssize(data.nodes));
  for (auto const& type : data.nodes) {
    made.add(type.name);
  }
  for (auto const& type : data.edges) {
    made.add(type.source).add(type.name).add(type.destination);
  }
  return made.value();
}

/// Makes this rank's part of a data set from data that lies on all ranks in any order; see `make_data_set`.
///
/// @comm   collective; as `make_data_set`, without the exchanges of `data_set`
/// @throws collective_error  as `make_data_set`
template <communicator Comm, class Method = contiguous_partitioner>
[[nodiscard]] dist::data_part<device::cpu> make_data_part(Comm& comm, dist::local_data const& all,
                                                          Method const& method = {},
                                                          dist::local_data::options const& options = {}) {
  auto& host = host_comm(comm);
  std::optional<typed_data> described;
  typed_graph graph;
  std::int64_t print = 0;
  std::vector<std::vector<named_ids>> lists; // with vertices of a type
  std::vector<gathered_rows> rows;
  std::vector<part_names> names;
  std::vector<part_columns> values;
  std::vector<std::vector<vertex_split>> splits;
  auto failure = failure_of([&] {
    described.emplace(all, method, options);
    print = fingerprint_of(*described, options);
    for (std::size_t t = 0; t < described->nodes.size(); ++t) {
      lists.push_back(described->lists_of(t));
    }
    graph.vertices.reserve(lists.size());
    graph.edges.reserve(described->edges.size());
    rows.resize(described->edges.size());
    names.resize(lists.size());
    values.resize(lists.size());
    splits.resize(lists.size());
  });
  agree(host, {.what = operation::shuffle, .hop = 59}, failure, print,
        "has other options than rank 0, or other types; give the same on all ranks, types in the same order");
  auto& data = *described;
  for (auto& columns : data.edge_columns) {
    failure = columns.agree(host, {.what = operation::shuffle, .hop = 60}, failure);
  }
  for (auto& columns : data.node_columns) {
    failure = columns.agree(host, {.what = operation::shuffle, .hop = 61}, failure);
  }

  bool in_order = false; // new ids are the numbers of the vertices
  if constexpr (std::same_as<Method, contiguous_partitioner>) {
    in_order = method.balance.empty();
  }
  for (std::size_t t = 0; t < lists.size(); ++t) {
    graph.vertices.emplace_back(host, failure, lists[t], data.nodes[t].num_vertices, in_order, options.round_bytes,
                                data.of_nodes[t]);
  }
  failure = failure_of([&] {
    std::vector<std::int64_t> num_vertices;
    for (auto const& vertices : graph.vertices) {
      num_vertices.push_back(vertices.num_vertices());
    }
    graph.schema = data.schema(num_vertices);
    graph.first = first_vertices(graph.schema);
  });
  for (std::size_t e = 0; e < rows.size(); ++e) {
    graph.edges.emplace_back(host, failure, data.edges[e].edges, options.symmetric && data.joins_one_type(e),
                             options.self_loops == self_loop_handling::keep, data.of_edges[e]);
  }
  agree(host, {.what = operation::shuffle, .hop = 58}, failure);
  {
    auto const part_of = assign_parts(host, graph, data.given, options.duplicates, method);
    for (std::size_t t = 0; t < part_of.size(); ++t) {
      graph.vertices[t].renumber(host, {}, part_of[t].cview(), true);
    }
  }
  for (std::size_t e = 0; e < rows.size(); ++e) {
    rows[e] = gather_edges(host, graph.edges[e], graph.sources_of(e), graph.destinations_of(e), &data.edge_columns[e],
                           options.duplicates);
  }
  for (std::size_t t = 0; t < names.size(); ++t) {
    auto const& [name, of_rows, of_splits, count] = data.nodes[t];
    names[t] = gather_names(host, graph.vertices[t]);
    values[t] = gather_rows(host, of_rows.vertices, data.node_columns[t], graph.vertices[t], names[t], options.missing);
    graph.vertices[t].forget_lists();
    splits[t] = gather_splits(host, of_splits, graph.vertices[t], names[t]);
  }

  dist::data_part<device::cpu> made;
  run_together(host, [&] {
    hetero_part<device::cpu> part{
        .schema = graph.schema, .books = {}, .part = host.rank(), .relations = {}, .original = {}};
    std::vector<vertex_data<device::cpu>> of_nodes;
    std::vector<edge_data<device::cpu>> of_edges;
    for (std::size_t t = 0; t < names.size(); ++t) {
      auto times = values[t].take<std::int64_t>(local_columns::times);
      auto tensors = values[t].take_tensors();
      if (!graph.vertices[t].is_range()) {
        auto const num_rows = names[t].numbers.size();
        tensors.add("id", glt::feature_store<device::cpu, std::int64_t>(num_rows, 1, std::move(names[t].ids)));
      }
      part.books.push_back(graph.vertices[t].book());
      part.original.push_back(std::move(names[t].numbers));
      of_nodes.push_back({.tensors = std::move(tensors), .splits = std::move(splits[t]), .times = std::move(times)});
    }
    for (std::size_t e = 0; e < rows.size(); ++e) {
      auto& of = rows[e];
      static_cast<void>(of.values.take<std::int8_t>(local_columns::ids));
      auto weights = of.values.take<float>(local_columns::weights);
      auto times = of.values.take<std::int64_t>(local_columns::times);
      part.relations.emplace_back(graph.sources_of(e).num_vertices(), std::move(of.offsets), std::move(of.columns),
                                  std::move(of.ids));
      of_edges.push_back(
          {.tensors = of.values.take_tensors(), .weights = std::move(weights), .times = std::move(times)});
    }
    made = dist::data_part<device::cpu>(std::move(part), std::move(of_nodes), std::move(of_edges));
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
/// - `contiguous_partitioner` (ranges of equal size; the default), `hash_partitioner`, and `local_data::given_parts` of the program
///   need no graph;
/// - `ldg_partitioner` and `fennel_partitioner` with `stream_order::natural` stream the rows through rank 0, which
///   keeps the parts of all vertices and a round of rows;
/// - `multilevel_partitioner` streams them as well, in several passes with both directions of every edge; rank 0 keeps
///   its memory, which does not grow with the edges, and a round of rows;
/// - `ptscotch_partitioner` works on the rows of all ranks together; no rank gets the graph;
/// - any other partitioner, such as `metis_partitioner`, gets the whole graph on rank 0: 8 bytes an edge and a vertex,
///   beside the memory of the partitioner.
///
/// Partitioners with a capacity keep it and their limits as after `repair_balance`. So the parts equal the parts that
/// glt-partition makes.
///
/// Data with `node_types` and `edge_types` become a data set with these types. A partitioner sees the vertices of all
/// types in one numbering, type after type, and the edges of all types, as `partition_by_type`. With several node types
/// it also keeps `balance_limit::types` with its slack, if it takes limits; ranges are then cut for each type. For
/// given parts the method is a vector of `local_data::given_parts`.
///
/// @units  ids of edges are positions in the lists of all ranks of a type, in the order of the ranks, or the given ids;
///         reverses follow, in the same order, as `symmetrize` numbers them. Rows are in order of ids; if edges have times,
///         in order of time, and edges of equal time in order of ids
/// @comm   collective; rounds of variable exchanges, each after a header exchange: 24 bytes and the values of an edge,
///         32 bytes and the values of a vertex, and for every distinct id of a rank 24 bytes, 16 with `num_vertices`.
///         A partitioner that needs the graph adds 24 bytes an edge, 16 bytes an id, and 8 bytes an edge in every pass,
///         and in up to 8 more if it exceeds a limit. If edges lack their reverses, `multilevel_partitioner` adds 16
///         bytes an edge, and its passes have 16.
///         Every type has rounds of its own. Then the exchanges of `data_set`
/// @throws collective_error  on every rank, if lists of a rank differ in length, tensors, types or options differ
///                           between ranks, an id is below 0, or not below 2⁶³ or `num_vertices`, a vertex has two
///                           rows or none, a tensor cannot hold `missing`, a split names no vertex or one twice, types
///                           come twice or end at no node type, data have types and lists without a type, or a
///                           partitioner throws
/// @cost   O(n log n) for the n ids of a rank, O(n) with `num_vertices`; memory of the part, up to 28 bytes for
///         every distinct id of the rank, with `num_vertices` a bit for every vertex, and a few rounds. If all ranks
///         send a round to one rank, that rank receives all of it
template <communicator Comm, class Method = contiguous_partitioner>
  requires(detail::assigns_parts<Method, Comm>)
[[nodiscard]] data_set<device::cpu> make_data_set(Comm& comm, local_data const& data, Method const& method = {},
                                                  local_data::options const& options = {}) {
  return {comm, detail::make_data_part(comm, data, method, options), options.reading, options.topology};
}

/// Deleted for anything but a partitioner or given parts as method, such as the options, which come fourth.
template <communicator Comm, class Method = local_data::options,
          class Reason = detail::a_partitioner_or_given_parts_come_third_and_the_options_fourth>
  requires(!detail::assigns_parts<Method, Comm>)
data_set<device::cpu> make_data_set(Comm const&, local_data const&, Method const&, // const: {} is a partitioner
                                    local_data::options const& = {}) = delete;

} // namespace glt::dist

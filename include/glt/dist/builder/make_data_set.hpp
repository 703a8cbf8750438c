// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/assign_parts.hpp>
#include <glt/dist/builder/detail/gather_edges.hpp>
#include <glt/dist/builder/detail/local_columns.hpp>
#include <glt/dist/builder/detail/vertex_ids.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/gather_lists.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/dist/detail/list_agreement.hpp>
#include <glt/dist/loading/detail/packed.hpp>
#include <glt/partition/contiguous.hpp>

namespace glt::detail {

/// Number and id in the program of every vertex of a part, by local id.
struct part_names {
  buffer<device::cpu, global_id> numbers;
  buffer<device::cpu, std::int64_t> ids; ///< empty if the ids are the numbers
};

/// Moves numbers and ids of vertices from their homes to their owners.
///
/// @comm   collective; as `shuffle_in_rounds`, 24 bytes a vertex
template <communicator Comm>
[[nodiscard]] part_names gather_names(Comm& comm, vertex_ids const& vertices) {
  struct vertex_names {
    global_id renumbered;
    global_id number;
    std::int64_t id;
  };
  auto const& book = vertices.book();
  auto const& directory = vertices.directory();
  part_names made;
  auto const failure = failure_of([&] {
    made.numbers.resize(book.size(comm.rank()));
    made.ids.resize(vertices.is_range() ? 0 : made.numbers.size());
  });
  record_shuffle shuffle(comm, sizeof(vertex_names));
  shuffle_in_rounds(
      comm, shuffle, 0, directory.size(), items_of_bytes(vertices.round_bytes(), 2 * sizeof(vertex_names)),
      [&](std::int64_t first, std::int64_t last) {
        for (auto place = first; place < last; ++place) {
          vertex_names const names{vertices.renumbered(place), directory.first() + place, directory.key_at(place)};
          shuffle.add(book.owner(names.renumbered), &names);
        }
      },
      [&](std::byte const* record) {
        vertex_names names{};
        std::memcpy(&names, record, sizeof(names));
        auto const row = names.renumbered - book.begin(comm.rank());
        made.numbers[row] = names.number;
        if (!vertices.is_range()) {
          made.ids[row] = names.id;
        }
      },
      failure);
  return made;
}

/// Moves rows of vertices to their owners.
///
/// @comm   collective; as `shuffle_in_rounds`, the bytes of a row and 8 a row, and a header exchange
/// @throws collective_error  on every rank, naming a vertex that has two rows, or none without `missing`
template <communicator Comm>
[[nodiscard]] part_columns gather_rows(Comm& comm, dist::local_data::id_list const& of, local_columns const& values,
                                       vertex_ids const& vertices, part_names const& names,
                                       std::optional<double> missing) {
  auto const& book = vertices.book();
  auto const rows = book.size(comm.rank());
  auto const bytes = static_cast<std::int64_t>(sizeof(global_id)) + values.bytes();
  part_columns made;
  std::vector<bool> has_row;
  std::vector<std::byte> record;
  auto failure = failure_of([&] {
    made = part_columns(values, rows);
    has_row.resize(static_cast<std::size_t>(rows), false);
    record.resize(static_cast<std::size_t>(bytes));
  });
  auto const name = [&](std::int64_t row) { return vertices.is_range() ? names.numbers[row] : names.ids[row]; };
  record_shuffle shuffle(comm, bytes);
  shuffle_in_rounds(
      comm, shuffle, 0, of.size(), items_of_bytes(vertices.round_bytes(), 2 * bytes),
      [&](std::int64_t first, std::int64_t last) {
        each_id(of, first, last, [&](std::int64_t i, std::int64_t vertex) {
          auto const id = vertices[vertex];
          std::memcpy(record.data(), &id, sizeof(id));
          values.copy_row(i, record.data() + sizeof(id));
          shuffle.add(book.owner(id), record.data());
        });
      },
      [&](std::byte const* arrived) {
        global_id id = 0;
        std::memcpy(&id, arrived, sizeof(id));
        auto const row = id - book.begin(comm.rank());
        if (has_row[static_cast<std::size_t>(row)]) {
          throw precondition_error(message("vertex ", name(row), " has two rows; give each vertex one"));
        }
        has_row[static_cast<std::size_t>(row)] = true;
        made.write(row, arrived + sizeof(id));
      },
      failure);
  failure = failure_of([&] {
    for (std::int64_t row = 0; row < rows && !values.all().empty(); ++row) {
      if (!has_row[static_cast<std::size_t>(row)]) {
        if (!missing) {
          throw precondition_error(
              message("vertex ", name(row), " has no row; give each vertex one, or a value for missing rows"));
        }
        made.fill(row, *missing);
      }
    }
  });
  agree(comm, {.what = operation::shuffle, .hop = 40}, failure);
  return made;
}

/// Moves the vertices of named lists to their owners, in the order of the lists of all ranks, by rank.
///
/// @comm   collective; a header exchange and a variable exchange of names; for every list the exchanges of
///         `vertex_ids::look_up`, two header exchanges and `shuffle_in_rounds`, 16 bytes a vertex
/// @throws collective_error  on every rank, naming a vertex that does not exist, or if a name comes twice
template <communicator Comm>
[[nodiscard]] std::vector<dist::vertex_split>
gather_splits(Comm& comm, std::vector<dist::local_data::split> const& splits, vertex_ids const& vertices) {
  struct listed {
    global_id id;
    std::int64_t position;
  };
  std::vector<std::byte> own;
  auto failure = failure_of([&] {
    std::vector<std::string> names;
    add_names(splits, names);
    own = packed_bytes(names);
  });
  auto const of_ranks = gather_lists(comm, {.what = operation::shuffle, .hop = 41}, failure, own);
  std::vector<dist::vertex_split> made;
  failure = failure_of([&] {
    for (auto const& block : of_ranks) {
      std::vector<std::string> names;
      unpacker(block, nullptr).get(names);
      complete_lists(made, names);
    }
  });
  agree(comm, {.what = operation::shuffle, .hop = 42}, failure);
  for (auto& split : made) {
    auto const found = std::ranges::find(splits, split.name, &dist::local_data::split::name);
    auto const list = found == splits.end() ? dist::local_data::id_list() : found->vertices;
    std::vector<std::int64_t> distinct;
    failure = failure_of([&] { distinct = distinct_ids({&list}, vertices.round_bytes()); });
    auto renumbered = vertices.look_up(comm, failure, distinct);
    std::optional<known_ids> table;
    failure = failure_of([&] {
      if (auto const unknown = std::ranges::find(renumbered, -1); unknown != renumbered.end()) {
        throw precondition_error(message("split \"", split.name, "\" names vertex ",
                                         distinct[static_cast<std::size_t>(unknown - renumbered.begin())],
                                         ", which no edge and no row has"));
      }
      table.emplace(std::move(distinct), std::move(renumbered));
    });
    auto const sizes = exchange_values(comm, {.what = operation::shuffle, .hop = 43}, failure, list.size());
    auto const first_position = total_value(std::span(sizes).first(static_cast<std::size_t>(comm.rank())));
    std::vector<listed> arrived;
    record_shuffle shuffle(comm, sizeof(listed));
    shuffle_in_rounds(
        comm, shuffle, 0, list.size(), items_of_bytes(vertices.round_bytes(), 2 * sizeof(listed)),
        [&](std::int64_t first, std::int64_t last) {
          each_id(list, first, last, [&](std::int64_t i, std::int64_t vertex) {
            listed const one{(*table)[vertex], first_position + i};
            shuffle.add(vertices.book().owner(one.id), &one);
          });
        },
        [&](std::byte const* record) { std::memcpy(&arrived.emplace_back(), record, sizeof(listed)); });
    agree(comm, {.what = operation::shuffle, .hop = 44}, failure_of([&] {
            std::ranges::sort(arrived, {}, &listed::position);
            for (auto const& one : arrived) {
              split.vertices.push_back(one.id);
            }
          }));
  }
  return made;
}

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
/// - `ptscotch_partitioner` works on the rows of all ranks together; no rank gets the graph;
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
/// @cost   O(n log n) for the n ids of a rank, O(n) with `num_vertices`; memory of the part, up to 28 bytes for
///         every distinct id of the rank, with `num_vertices` a bit for every vertex, and a few rounds. If all ranks send a
///         round to one rank, that rank receives all of it
template <communicator Comm, class Method = contiguous_partitioner>
[[nodiscard]] data_set<device::cpu> make_data_set(Comm& comm, local_data const& data, Method const& method = {},
                                                  build_options const& options = {}) {
  return {comm, detail::make_data_part(comm, data, method, options), options.reading};
}

} // namespace glt::dist

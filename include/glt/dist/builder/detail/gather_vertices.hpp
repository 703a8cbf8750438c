// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/builder/detail/local_columns.hpp>
#include <glt/dist/builder/detail/vertex_ids.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/dist/detail/list_agreement.hpp>

namespace glt::detail {

/// Number and id in the program of every vertex of a part, by local id.
struct part_names {
  buffer<device::cpu, global_id> numbers;
  buffer<device::cpu, std::int64_t> ids; ///< empty if the ids are the numbers

  /// Returns the id in the program, for errors.
  [[nodiscard]] std::int64_t id(std::int64_t row) const { return ids.empty() ? numbers[row] : ids[row]; }
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
          throw precondition_error(
              message("vertex ", names.id(row), vertices.of_type(), " has two rows; give each vertex one"));
        }
        has_row[static_cast<std::size_t>(row)] = true;
        made.write(row, arrived + sizeof(id));
      },
      failure);
  failure = failure_of([&] {
    for (std::int64_t row = 0; row < rows && !values.all().empty(); ++row) {
      if (!has_row[static_cast<std::size_t>(row)]) {
        if (!missing) {
          throw precondition_error(message("vertex ", names.id(row), vertices.of_type(),
                                           " has no row; give each vertex one, or a value for missing rows"));
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
/// @throws collective_error  on every rank, naming a vertex that does not exist or comes twice in a list, or if a name
///                           comes twice
template <communicator Comm>
[[nodiscard]] std::vector<vertex_split> gather_splits(Comm& comm, std::vector<dist::local_data::split> const& splits,
                                                      vertex_ids const& vertices, part_names const& names_of_part) {
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
  std::vector<vertex_split> made;
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
    failure = failure_of([&] {
      std::array const named{named_ids{&list, "split \"" + split.name + '"'}};
      distinct = distinct_ids(named, vertices.round_bytes());
    });
    auto renumbered = vertices.look_up(comm, failure, distinct);
    std::optional<known_ids> table;
    failure = failure_of([&] {
      if (auto const unknown = std::ranges::find(renumbered, -1); unknown != renumbered.end()) {
        throw precondition_error(message("split \"", split.name, "\" names vertex ",
                                         distinct[static_cast<std::size_t>(unknown - renumbered.begin())],
                                         vertices.of_type(), ", which no edge and no row has"));
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
            table.reset(); // it is as large as the list
            std::ranges::sort(arrived, {}, &listed::id);
            if (auto const twice = std::ranges::adjacent_find(arrived, {}, &listed::id); twice != arrived.end()) {
              auto const row = twice->id - vertices.book().begin(comm.rank());
              throw precondition_error(message("split \"", split.name, "\" names vertex ", names_of_part.id(row),
                                               vertices.of_type(), " twice; give each vertex on one rank and once"));
            }
            split.vertices.reserve(arrived.size());
            std::ranges::sort(arrived, {}, &listed::position);
            for (auto const& one : arrived) {
              split.vertices.push_back(one.id);
            }
          }));
  }
  return made;
}

} // namespace glt::detail

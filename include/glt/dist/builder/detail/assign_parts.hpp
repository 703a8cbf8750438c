// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/home_stream.hpp>
#include <glt/dist/builder/detail/rows_to_first.hpp>
#include <glt/dist/builder/detail/typed_graph.hpp>
#include <glt/dist/builder/detail/vertex_ids.hpp>
#include <glt/dist/builder/exchange.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/graph/csr.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/repair_balance.hpp>
#include <glt/partition/simple_partitioners.hpp>

namespace glt::detail {

/// Partitioners whose assignment streams over rows in the order of the vertices, if `order` says so.
template <class P>
concept streams_rows = requires(P const& p) {
  { p.order } -> std::convertible_to<stream_order>;
  { p.passes } -> std::convertible_to<int>;
};

/// Assignments by the program: for the only node type, or for each of several.
template <class P>
concept gives_parts =
    std::same_as<P, dist::local_data::given_parts> || std::same_as<P, std::vector<dist::local_data::given_parts>>;

/// Partitioners that keep limits while they find room; `balance_repair` then moves vertices, as in glt-partition.
template <class P>
concept keeps_limits = requires(P p) { p.balance.push_back(balance_limit::vertices(p.capacity_slack)); };

/// Partitioners that all ranks run together, each with the rows of its homes, type after type; they return the parts of
/// these.
template <class P, class Comm>
concept assigns_home_rows = requires(P const& p, Comm& comm, joined_homes const& at) {
  { p(comm, at.homes, at.view(), at.first_rows) } -> std::same_as<buffer<device::cpu, local_id>>;
};

/// Methods of `make_data_set`.
template <class M, class Comm>
concept assigns_parts = gives_parts<M> || partitioner<M, global_id> ||
                        assigns_home_rows<M, std::remove_reference_t<decltype(host_comm(std::declval<Comm&>()))>>;

/// Partitioners that see the rows of both directions, in the order of the vertices, as often as they want.
template <class P>
concept streams_both_directions = requires(P const& p) {
  { p.stream(std::int64_t{}, 1).wants_round() } -> std::convertible_to<bool>;
};

template <class P>
[[nodiscard]] auto make_row_stream(P const& p, std::int64_t num_vertices, std::int64_t num_edges, int num_parts) {
  if constexpr (requires { p.stream(num_vertices, num_edges, num_parts); }) {
    return p.stream(num_vertices, num_edges, num_parts);
  } else {
    return p.stream(num_vertices, num_parts);
  }
}

/// Assigns the vertices of all types on rank 0, and returns the parts of the vertices of this home.
///
/// Streams see one round of rows at a time: multilevel partitioners, and others in natural order. Further partitioners
/// get the whole graph on rank 0. Parts then keep limits as after `repair_balance`.
///
/// @shape  types [node types] → [node types] of [homes->size()]
/// @comm   collective; header exchanges; for each pass as `home_stream`, and up to 8 passes more if limits are exceeded;
///         `exchange_lists` of the parts
template <communicator Comm, class Partitioner>
[[nodiscard]] std::vector<buffer<device::cpu, local_id>>
assign_on_first(Comm& comm, std::span<home_rows const> types, std::int64_t round_bytes, Partitioner const& method) {
  buffer<device::cpu, local_id> part_of; // of all vertices, on rank 0
  std::optional<home_stream<Comm>> rows;
  auto failure = failure_of([&] { rows.emplace(comm, types, round_bytes); });
  auto const on_first = [&](auto work) {
    if (comm.rank() == 0) {
      attempt(failure, work);
    }
  };
  auto const num_edges = total_value(
      exchange_values(comm, {.what = operation::shuffle, .hop = 52}, failure, rows ? rows->num_local_edges() : 0));
  auto const num_vertices = rows->num_vertices();
  auto const each_row = [&](auto take) { rows->each_row(failure, take); };
  auto const whole = [&] {
    buffer<device::cpu, edge_offset> offsets;
    buffer<device::cpu, global_id> columns;
    on_first([&] {
      offsets.reserve(num_vertices + 1);
      columns.reserve(num_edges);
      offsets.resize(1);
      offsets[0] = 0;
    });
    each_row([&](global_id first, csr_view<memory_space::host, global_id> some) {
      auto const before = columns.size();
      offsets.resize(first + some.num_rows() + 1);
      for (std::int64_t row = 0; row < some.num_rows(); ++row) {
        offsets[first + row + 1] = before + some.offset(row + 1);
      }
      columns.resize(before + some.num_edges());
      std::ranges::copy(some.sources(), columns.begin() + before);
    });
    on_first([&] {
      part_of =
          method(csr_view<memory_space::host, global_id>(num_vertices, offsets.cview(), columns.cview()), comm.size());
    });
  };
  if constexpr (streams_both_directions<Partitioner>) {
    std::optional<decltype(method.stream(num_vertices, 1))> rounds;
    on_first([&] { rounds.emplace(method.stream(num_vertices, comm.size())); });
    run_rounds(comm, failure, rounds, [&](auto take) { rows->each_row_of_both_directions(failure, take); });
    on_first([&] { part_of = std::move(*rounds).result(); });
  } else if constexpr (streams_rows<Partitioner>) {
    if (method.order == stream_order::natural) {
      std::optional<decltype(make_row_stream(method, num_vertices, 0, 1))> stream;
      on_first([&] { stream.emplace(make_row_stream(method, num_vertices, num_edges, comm.size())); });
      for (int pass = 0; pass < method.passes; ++pass) {
        on_first([&] {
          if (pass > 0) {
            stream->restart();
          }
        });
        each_row(
            [&](global_id first, csr_view<memory_space::host, global_id> some) { stream->place_rows(first, some); });
      }
      on_first([&] { part_of = std::move(*stream).result(); });
    } else {
      whole();
    }
  } else {
    whole();
  }
  on_first([&] { static_cast<void>(make_partition_book(part_of.cview(), comm.size())); }); // checks the parts
  if constexpr (keeps_limits<Partitioner>) {
    std::optional<balance_repair> repair;
    on_first([&] {
      auto limits = method.balance;
      limits.push_back(balance_limit::vertices(method.capacity_slack));
      repair.emplace(std::move(part_of), limits, comm.size());
    });
    run_rounds(comm, failure, repair, each_row);
    on_first([&] { part_of = std::move(*repair).result(); });
  }
  std::vector<buffer<device::cpu, local_id>> made;
  attempt(failure, [&] { made.resize(types.size()); });
  std::int64_t first = 0;
  for (std::size_t t = 0; t < types.size(); ++t) {
    std::vector<std::int64_t> counts;
    attempt(failure, [&] { counts.resize(static_cast<std::size_t>(comm.size()), 0); });
    host_view<local_id const> sent;
    on_first([&] {
      auto const& homes = *types[t].homes;
      for (std::size_t home = 0; home < counts.size(); ++home) {
        counts[home] = homes.first_numbers()[home + 1] - homes.first_numbers()[home];
      }
      sent = part_of.cview().subview(first, homes.num_keys());
      first += homes.num_keys();
    });
    made[t] = exchange_lists(comm, {.what = operation::shuffle, .hop = 53}, failure, sent, counts, round_bytes).items;
  }
  return made;
}

/// Sends parts that the program gives to the homes of the vertices.
///
/// @shape  → [homes.size()]
/// @comm   collective; as `shuffle_in_rounds`, 16 bytes a vertex, and a header exchange
/// @throws collective_error  on every rank, naming a vertex that is given two parts or none, or a part outside [0, R)
template <communicator Comm>
[[nodiscard]] buffer<device::cpu, local_id> take_given_parts(Comm& comm, std::string failure,
                                                             vertex_ids const& vertices,
                                                             dist::local_data::given_parts const& given) {
  struct assignment {
    std::int64_t id;
    std::int64_t part;
  };
  auto const& homes = vertices.directory();
  buffer<device::cpu, local_id> part_of;
  attempt(failure, [&] {
    if (given.vertices.size() != given.parts.size()) {
      throw precondition_error(message(given.parts.size(), " parts for ", given.vertices.size(), " vertices",
                                       vertices.of_type(), "; give one part per vertex"));
    }
    part_of.resize(homes.size());
    std::ranges::fill(part_of, -1);
  });
  record_shuffle shuffle(comm, sizeof(assignment));
  shuffle_in_rounds(
      comm, shuffle, 0, failure.empty() ? given.vertices.size() : 0,
      items_of_bytes(vertices.round_bytes(), 2 * sizeof(assignment)),
      [&](std::int64_t first, std::int64_t last) {
        each_id(given.vertices, first, last, [&](std::int64_t i, std::int64_t vertex) {
          assignment const one{vertex, given.parts[i]};
          if (one.part < 0 || one.part >= comm.size()) {
            throw precondition_error(message("part of vertex ", vertex, vertices.of_type(), " is ", one.part,
                                             ", outside [0, ", comm.size(), ")"));
          }
          shuffle.add(homes.home_of(vertex), &one);
        });
      },
      [&](std::byte const* record) {
        assignment one{};
        std::memcpy(&one, record, sizeof(one));
        auto& part = part_of[homes.find(one.id)];
        if (part >= 0) {
          throw precondition_error(
              message("vertex ", one.id, vertices.of_type(), " is given two parts; give each vertex one"));
        }
        part = static_cast<local_id>(one.part);
      },
      failure);
  agree(comm, {.what = operation::shuffle, .hop = 54}, failure_of([&] {
          if (auto const missing = std::ranges::find(part_of, -1); missing != part_of.end()) {
            throw precondition_error(message("vertex ", homes.key_at(missing - part_of.begin()), vertices.of_type(),
                                             " is given no part; give each vertex one"));
          }
        }));
  return part_of;
}

/// Returns the parts of the vertices of this home, by type.
///
/// @param  given  the parts that the program gives, by type, if this is the method
/// @shape  → [node types] of [vertices[t].directory().size()]
/// @comm   collective; a header exchange for hash and ranges
template <communicator Comm, class Method>
[[nodiscard]] std::vector<buffer<device::cpu, local_id>>
assign_parts(Comm& comm, typed_graph& graph, std::span<dist::local_data::given_parts const> given,
             dist::local_data::options::duplicate_edges duplicates, Method const& method) {
  auto const each = [&](auto part_at) {
    std::vector<buffer<device::cpu, local_id>> part_of;
    agree(comm, {.what = operation::shuffle, .hop = 55}, failure_of([&] {
            part_of.resize(graph.vertices.size());
            for (std::size_t t = 0; t < part_of.size(); ++t) {
              auto const& homes = graph.vertices[t].directory();
              part_of[t].resize(homes.size());
              for (std::int64_t place = 0; place < homes.size(); ++place) {
                part_of[t][place] = static_cast<local_id>(part_at(t, homes.first() + place));
              }
            }
          }));
    return part_of;
  };
  if constexpr (gives_parts<Method>) {
    std::vector<buffer<device::cpu, local_id>> part_of;
    auto failure = failure_of([&] { part_of.resize(graph.vertices.size()); });
    for (std::size_t t = 0; t < graph.vertices.size(); ++t) {
      part_of[t] = take_given_parts(comm, failure, graph.vertices[t], given[t]);
    }
    return part_of;
  } else if constexpr (requires(global_id vertex) { method.part_of(vertex, 1); }) {
    return each(
        [&](std::size_t t, std::int64_t number) { return method.part_of(graph.first[t] + number, comm.size()); });
  } else if constexpr (assigns_home_rows<Method, Comm>) {
    auto types = gather_at_homes(comm, graph, duplicates);
    joined_homes at;
    std::vector<buffer<device::cpu, local_id>> part_of;
    agree(comm, {.what = operation::shuffle, .hop = 51},
          failure_of([&] { at = join_homes(graph, std::move(types), comm.rank()); }));
    auto const of_all = method(comm, at.homes, at.view(), at.first_rows);
    agree(comm, {.what = operation::shuffle, .hop = 62}, failure_of([&] {
            for (std::size_t t = 0; t + 1 < at.first_rows.size(); ++t) {
              auto const first = at.first_rows[t];
              part_of.push_back(make_buffer<device::cpu>(of_all.cview().subview(first, at.first_rows[t + 1] - first)));
            }
          }));
    return part_of;
  } else {
    if constexpr (std::same_as<Method, contiguous_partitioner>) {
      if (method.balance.empty() && graph.vertices.size() == 1) {
        auto const num_vertices = graph.vertices[0].num_vertices();
        int part = 0;
        return each([&](std::size_t, std::int64_t number) {
          while (first_place(num_vertices, comm.size(), part + 1) <= number) {
            ++part;
          }
          return part;
        });
      }
      if (method.balance.empty()) {
        return each([&](std::size_t t, std::int64_t number) {
          auto const share =
              (static_cast<double>(number) + 0.5) / static_cast<double>(graph.vertices[t].num_vertices());
          return part_at_share(share, comm.size());
        });
      }
    }
    auto const rows = gather_at_homes(comm, graph, duplicates);
    auto const round_bytes = graph.vertices[0].round_bytes();
    if constexpr (requires(Method limited) { limited.balance.push_back(balance_limit()); }) {
      if (graph.vertices.size() > 1) { // every part gets its share of every type
        std::optional<Method> limited;
        agree(comm, {.what = operation::shuffle, .hop = 57}, failure_of([&] {
                limited.emplace(method);
                auto limit = balance_limit::types(graph.schema);
                if constexpr (requires { method.capacity_slack; }) {
                  limit.slack = method.capacity_slack;
                }
                limited->balance.push_back(std::move(limit));
              }));
        return assign_on_first(comm, rows, round_bytes, *limited);
      }
    }
    return assign_on_first(comm, rows, round_bytes, method);
  }
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/gather_edges.hpp>
#include <glt/dist/builder/detail/rows_to_first.hpp>
#include <glt/dist/builder/detail/vertex_ids.hpp>
#include <glt/dist/builder/exchange.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/graph/csr.hpp>
#include <glt/partition/contiguous.hpp>
#include <glt/partition/hash.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/relabel.hpp>
#include <glt/partition/stream/stream_order.hpp>

namespace glt::detail {

/// Partitioners whose assignment streams over rows in the order of the vertices, if `order` says so.
template <class P>
concept streams_rows = requires(P const& p) {
  { p.order } -> std::convertible_to<stream_order>;
  { p.passes } -> std::convertible_to<int>;
};

/// Partitioners that all ranks run together, each with the rows of its homes; they return the parts of these.
template <class P, class Comm>
concept assigns_home_rows =
    requires(P const& p, Comm& comm, partition_book const& homes, csr_view<memory_space::host, global_id> rows) {
      { p(comm, homes, rows) } -> std::same_as<buffer<device::cpu, local_id>>;
    };

template <class P>
[[nodiscard]] auto make_row_stream(P const& p, std::int64_t num_vertices, std::int64_t num_edges, int num_parts) {
  if constexpr (requires { p.stream(num_vertices, num_edges, num_parts); }) {
    return p.stream(num_vertices, num_edges, num_parts);
  } else {
    return p.stream(num_vertices, num_parts);
  }
}

/// Assigns the vertices of rows on rank 0, and returns the parts of the vertices of this home.
///
/// A stream in natural order sees one round of rows at a time. Other partitioners get the whole graph on rank 0.
///
/// @shape  → [homes.size()]
/// @comm   collective; a header exchange; for each pass as `rows_to_first`; `exchange_lists` of the parts
template <communicator Comm, class Partitioner>
[[nodiscard]] buffer<device::cpu, local_id> assign_on_first(Comm& comm, vertex_ids::directory_type const& homes,
                                                            gathered_rows const& rows, std::int64_t round_bytes,
                                                            Partitioner const& method) {
  auto const num_vertices = homes.num_keys();
  std::string failure;
  buffer<device::cpu, local_id> part_of; // of all vertices, on rank 0
  auto const on_first = [&](auto work) {
    if (comm.rank() == 0) {
      attempt(failure, work);
    }
  };
  std::vector<std::int64_t> bounds; // of this rank's rounds of rows
  failure = failure_of([&] {
    auto const most = items_of_bytes(round_bytes, sizeof(std::int64_t));
    bounds.push_back(0);
    for (std::int64_t row = 1; row < homes.size(); ++row) {
      auto const begin = bounds.back();
      if (rows.offsets[row + 1] - rows.offsets[begin] + row - begin >= most) {
        bounds.push_back(row);
      }
    }
    bounds.push_back(homes.size());
  });
  auto const num_edges =
      total_value(exchange_values(comm, {.what = operation::shuffle, .hop = 52}, failure, rows.columns.size()));
  auto const each_row = [&](auto take) {
    rows_to_first(
        comm, num_vertices, std::ssize(bounds) - 1, failure,
        [&](std::int64_t round) {
          auto const begin = bounds[static_cast<std::size_t>(round)];
          auto const end = bounds[static_cast<std::size_t>(round) + 1];
          return csr_view<memory_space::host, global_id>(
              num_vertices, rows.offsets.view().subview(begin, end - begin + 1), rows.columns.view());
        },
        take);
  };
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
  if constexpr (streams_rows<Partitioner>) {
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
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), 0);
  if (comm.rank() == 0) {
    for (std::size_t home = 0; home < counts.size(); ++home) {
      counts[home] = homes.first_numbers()[home + 1] - homes.first_numbers()[home];
    }
  }
  auto arrived =
      exchange_lists(comm, {.what = operation::shuffle, .hop = 53}, failure, part_of.cview(), counts, round_bytes);
  return std::move(arrived.items);
}

/// Sends parts that the program gives to the homes of the vertices.
///
/// @shape  → [homes.size()]
/// @comm   collective; as `shuffle_in_rounds`, 16 bytes a vertex, and a header exchange
/// @throws collective_error  on every rank, naming a vertex that is given two parts or none, or a part outside [0, R)
template <communicator Comm>
[[nodiscard]] buffer<device::cpu, local_id> take_given_parts(Comm& comm, vertex_ids const& vertices,
                                                             dist::given_parts const& given) {
  struct assignment {
    std::int64_t id;
    std::int64_t part;
  };
  auto const& homes = vertices.directory();
  buffer<device::cpu, local_id> part_of;
  auto failure = failure_of([&] {
    if (given.vertices.size() != given.parts.size()) {
      throw precondition_error(
          message(given.parts.size(), " parts for ", given.vertices.size(), " vertices; give one part per vertex"));
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
            throw precondition_error(
                message("part of vertex ", vertex, " is ", one.part, ", outside [0, ", comm.size(), ")"));
          }
          shuffle.add(homes.home_of(vertex), &one);
        });
      },
      [&](std::byte const* record) {
        assignment one{};
        std::memcpy(&one, record, sizeof(one));
        auto& part = part_of[homes.find(one.id)];
        if (part >= 0) {
          throw precondition_error(message("vertex ", one.id, " is given two parts; give each vertex one"));
        }
        part = static_cast<local_id>(one.part);
      },
      failure);
  agree(comm, {.what = operation::shuffle, .hop = 54}, failure_of([&] {
          if (auto const missing = std::ranges::find(part_of, -1); missing != part_of.end()) {
            throw precondition_error(
                message("vertex ", homes.key_at(missing - part_of.begin()), " is given no part; give each vertex one"));
          }
        }));
  return part_of;
}

/// Returns the parts of the vertices of this home.
///
/// @shape  → [vertices.directory().size()]
/// @comm   collective; none for hash and ranges
template <communicator Comm, class Method>
[[nodiscard]] buffer<device::cpu, local_id> assign_parts(Comm& comm, numbered_edges& edges, vertex_ids& vertices,
                                                         dist::build_options::duplicate_edges duplicates,
                                                         Method const& method) {
  auto const& homes = vertices.directory();
  auto const each = [&](auto part_at) {
    buffer<device::cpu, local_id> part_of;
    agree(comm, {.what = operation::shuffle, .hop = 55}, failure_of([&] {
            part_of.resize(homes.size());
            for (std::int64_t place = 0; place < part_of.size(); ++place) {
              part_of[place] = static_cast<local_id>(part_at(place));
            }
          }));
    return part_of;
  };
  if constexpr (std::same_as<Method, dist::given_parts>) {
    return take_given_parts(comm, vertices, method);
  } else if constexpr (requires(global_id vertex) { method.part_of(vertex, 1); }) {
    return each([&](std::int64_t place) { return method.part_of(homes.first() + place, comm.size()); });
  } else {
    if constexpr (std::same_as<Method, contiguous_partitioner>) {
      if (method.balance.empty()) {
        int part = 0;
        return each([&](std::int64_t place) {
          while (first_place(homes.num_keys(), comm.size(), part + 1) <= homes.first() + place) {
            ++part;
          }
          return part;
        });
      }
    }
    vertices.renumber(comm, {}, each([&](std::int64_t) { return comm.rank(); }).cview(), false);
    auto const rows = gather_edges(comm, edges, vertices, nullptr, duplicates);
    if constexpr (assigns_home_rows<Method, Comm>) {
      return method(
          comm, vertices.book(),
          csr_view<memory_space::host, global_id>(homes.num_keys(), rows.offsets.cview(), rows.columns.cview()));
    } else {
      return assign_on_first(comm, homes, rows, vertices.round_bytes(), method);
    }
  }
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/detail/orders.hpp>

namespace glt::detail {

/// Rows of the vertices first, first + 1, … on this rank.
struct row_range {
  global_id first;
  csr_view<memory_space::host, global_id> rows;
};

/// Place of a vertex among the rows of all ranks.
struct row_place {
  int rank;
  std::int64_t row; ///< of that rank
};

/// Rows of this rank with both directions of every edge.
///
/// @shape  offsets [rows + 1] · neighbors [offsets[rows]]
template <class Neighbor>
struct both_rows {
  buffer<device::cpu, edge_offset> offsets;
  std::vector<Neighbor> neighbors;
};

/// Adds the reverse of every edge to rows that lie on all ranks. The result on all ranks together equals
/// `make_both_directions` of the whole graph.
///
/// @param  ranges    rows of this rank, as many ranges on every rank
/// @param  place_of  place_of(vertex), a `row_place`
/// @comm   collective; for each range two passes of 8 to 16 bytes an edge in rounds, and header exchanges
/// @throws collective_error  on every rank, if a rank passes a failure or lacks memory
/// @pre    vertices fit `Neighbor`; not checked
/// @cost   O(E log degree); memory of the result and a round
template <class Neighbor, communicator Comm, class PlaceOf>
[[nodiscard]] both_rows<Neighbor> add_reverses(Comm& comm, std::string failure, std::span<row_range const> ranges,
                                               PlaceOf place_of) {
  struct arc {
    local_id row; // of the rank that receives it
    Neighbor neighbor;
  };
  constexpr std::int64_t edges_a_round = std::int64_t{1} << 21;
  // Calls take(row, neighbor) on the ranks of the rows for the reverses of all edges.
  auto const each_reverse = [&](auto take) {
    for (auto const& [first, rows] : ranges) {
      std::int64_t row = 0;
      record_shuffle shuffle(comm, sizeof(arc));
      shuffle_in_rounds(
          comm, shuffle, 0, rows.num_edges(), edges_a_round,
          [&](std::int64_t begin, std::int64_t end) {
            for (auto e = begin; e < end; ++e) {
              while (rows.offset(row + 1) <= e) {
                ++row;
              }
              row_place const place = place_of(rows.source(e));
              arc const reverse{static_cast<local_id>(place.row), static_cast<Neighbor>(first + row)};
              shuffle.add(place.rank, &reverse);
            }
          },
          [&](std::byte const* record) {
            arc one{};
            std::memcpy(&one, record, sizeof(one));
            take(one.row, one.neighbor);
          },
          std::exchange(failure, {}));
    }
  };
  auto const each_edge = [&](auto take) {
    std::int64_t row = 0;
    for (auto const& range : ranges) {
      for (std::int64_t i = 0; i < range.rows.num_rows(); ++i, ++row) {
        for (auto const source : range.rows.row(i)) {
          take(row, static_cast<Neighbor>(source));
        }
      }
    }
  };
  std::optional<row_places> places;
  both_rows<Neighbor> made;
  attempt(failure, [&] {
    std::int64_t num_rows = 0;
    for (auto const& range : ranges) {
      num_rows += range.rows.num_rows();
    }
    places.emplace(num_rows);
    each_edge([&](std::int64_t row, Neighbor) { places->count(row); });
  });
  each_reverse([&](std::int64_t row, Neighbor) { places->count(row); });
  failure = failure_of([&] { made.neighbors.resize(static_cast<std::size_t>(places->finish_counting())); });
  auto const put = [&](std::int64_t row, Neighbor neighbor) {
    made.neighbors[static_cast<std::size_t>(places->place(row))] = neighbor;
  };
  attempt(failure, [&] { each_edge(put); });
  each_reverse(put);
  made.offsets = std::move(*places).offsets();
  std::int64_t row = 0;
  for (auto const& range : ranges) {
    for (std::int64_t i = 0; i < range.rows.num_rows(); ++i, ++row) {
      std::sort(made.neighbors.begin() + made.offsets[row] + range.rows.degree(i),
                made.neighbors.begin() + made.offsets[row + 1]);
    }
  }
  return made;
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/builder/detail/local_columns.hpp>
#include <glt/dist/builder/detail/vertex_ids.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/graph/detail/orders.hpp>

namespace glt::detail {

/// Edges of this rank with their ids: the ids that the program gives, or positions in the lists of all ranks.
class numbered_edges {
public:
  /// Counts the edges of all ranks. `symmetric` adds reverses; `loops` are edges from a vertex to itself, kept or not.
  ///
  /// @comm   collective; two header exchanges
  /// @throws collective_error  on every rank, if a rank passes a failure, or an id of a rank is below 0
  template <communicator Comm>
  numbered_edges(Comm& comm, std::string failure, dist::local_data::edge_list const& edges, bool symmetric, bool loops,
                 std::string_view of_type)
      : edges_(edges), symmetric_(symmetric), loops_(loops) {
    std::int64_t proper = 0;
    attempt(failure, [&] {
      auto const check = [&](std::int64_t, std::int64_t id) {
        if (id < 0) {
          throw precondition_error(message("edge id ", id, of_type, "; ids are 0 or more"));
        }
      };
      each_id(edges_.ids, 0, edges_.ids.size(), check, "ids of edges");
      if (symmetric_) {
        each_pair(0, size(), [&](std::int64_t, std::int64_t source, std::int64_t destination) {
          proper += source != destination ? 1 : 0;
        });
      }
    });
    auto const before = [&](std::span<call_header const> headers) {
      return total_value(headers.first(static_cast<std::size_t>(comm.rank())));
    };
    auto const sizes = exchange_values(comm, {.what = operation::shuffle, .hop = 30}, failure, size());
    first_ = before(sizes);
    auto const reverses = exchange_values(comm, {.what = operation::shuffle, .hop = 31}, {}, proper);
    first_reverse_ = total_value(sizes) + before(reverses);
  }

  [[nodiscard]] std::int64_t size() const noexcept { return edges_.sources.size(); }

  /// Calls use(i, source, destination, id) for the edges from `begin` on and their reverses, without dropped loops.
  ///
  /// Begin with edge 0, and continue where the last call ended.
  template <class Use>
  void each(std::int64_t begin, std::int64_t end, Use use) {
    next_reverse_ = begin == 0 ? first_reverse_ : next_reverse_;
    std::array<std::int64_t, 512> ids{};
    std::int64_t known = begin; // ids up to there are in the block
    std::int64_t block = begin;
    each_pair(begin, end, [&](std::int64_t i, std::int64_t source, std::int64_t destination) {
      if (!edges_.ids.empty() && i == known) {
        block = i;
        known = std::min<std::int64_t>(i + std::ssize(ids), end);
        edges_.ids.read(block, std::span(ids).first(static_cast<std::size_t>(known - block)));
      }
      if (loops_ || source != destination) {
        use(i, source, destination, edges_.ids.empty() ? first_ + i : ids[static_cast<std::size_t>(i - block)]);
      }
      if (symmetric_ && source != destination) {
        use(i, destination, source, next_reverse_++);
      }
    });
  }

private:
  template <class Use>
  void each_pair(std::int64_t begin, std::int64_t end, Use use) const {
    std::array<std::int64_t, 512> sources{};
    while (begin < end) {
      auto const count = std::min<std::int64_t>(std::ssize(sources), end - begin);
      edges_.sources.read(begin, std::span(sources).first(static_cast<std::size_t>(count)));
      each_id(edges_.destinations, begin, begin + count, [&](std::int64_t i, std::int64_t destination) {
        use(i, sources[static_cast<std::size_t>(i - begin)], destination);
      });
      begin += count;
    }
  }

  dist::local_data::edge_list const& edges_;
  bool symmetric_;
  bool loops_;
  std::int64_t first_ = 0; // position of edge 0
  std::int64_t first_reverse_ = 0;
  std::int64_t next_reverse_ = 0;
};

/// In-edges of this rank's part: rows are local ids, columns ids after partitioning; a row is in order of edge
/// times, if there are any, and then of edge ids.
///
/// @shape  offsets [rows + 1] · columns, ids [E] · values of E edges
struct gathered_rows {
  buffer<device::cpu, edge_offset> offsets;
  buffer<device::cpu, global_id> columns;
  buffer<device::cpu, edge_id> ids;
  part_columns values;
};

/// Keeps the first edge of every row from each column.
///
/// @pre    rows are in order of edge ids; not checked
/// @cost   O(E log degree); 16 bytes an edge of the longest row
inline void merge_duplicates(gathered_rows& rows) {
  std::vector<std::pair<global_id, std::int64_t>> row;
  std::vector<std::int64_t> kept;
  std::int64_t next = 0;
  std::int64_t begin = 0;
  for (std::int64_t r = 0; r + 1 < rows.offsets.size(); ++r) {
    auto const end = rows.offsets[r + 1];
    row.clear();
    kept.clear();
    for (auto e = begin; e < end; ++e) {
      row.emplace_back(rows.columns[e], e);
    }
    std::ranges::sort(row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == 0 || row[i].first != row[i - 1].first) {
        kept.push_back(row[i].second);
      }
    }
    std::ranges::sort(kept);
    for (auto const e : kept) {
      rows.columns[next] = rows.columns[e];
      rows.ids[next] = rows.ids[e];
      rows.values.move(e, next++);
    }
    begin = end;
    rows.offsets[r + 1] = next;
  }
  if (next < rows.columns.size()) {
    rows.columns.resize(next);
    rows.columns = make_buffer<device::cpu>(rows.columns.cview());
    rows.ids.resize(next);
    rows.ids = make_buffer<device::cpu>(rows.ids.cview());
    rows.values.shrink(next);
  }
}

/// Moves edges to the owners of their destinations, in rounds: first the numbers of their rows, which give every edge
/// its place, then the edges themselves.
///
/// @param  sources, vertices  the vertices at which the edges start, and end
/// @param  values  columns of this rank's edges, or none to move no values
/// @comm   collective; per round of each of the two passes one of `record_shuffle`; 4 bytes an edge, then 20 bytes and
///         its values
/// @throws collective_error  on every rank, if memory is exhausted on a rank
template <communicator Comm>
[[nodiscard]] gathered_rows gather_edges(Comm& comm, numbered_edges& edges, vertex_ids const& sources,
                                         vertex_ids const& vertices, local_columns const* values,
                                         dist::local_data::options::duplicate_edges duplicates) {
  auto const& book = vertices.book();
  std::optional<row_places> places;
  std::string failure = failure_of([&] { places.emplace(book.size(comm.rank())); });
  {
    record_shuffle shuffle(comm, sizeof(local_id));
    shuffle_in_rounds(
        comm, shuffle, 0, edges.size(), items_of_bytes(vertices.round_bytes(), 2 * sizeof(local_id)),
        [&](std::int64_t first, std::int64_t last) {
          edges.each(first, last, [&](std::int64_t, std::int64_t, std::int64_t destination, edge_id) {
            auto const id = vertices[destination];
            auto const part = book.owner(id);
            auto const row = static_cast<local_id>(id - book.begin(part));
            shuffle.add(part, &row);
          });
        },
        [&](std::byte const* record) {
          local_id row = 0;
          std::memcpy(&row, record, sizeof(row));
          places->count(row);
        },
        failure);
  }
  struct moving_ends {
    global_id column;
    edge_id id;
  };
  auto const value_bytes = values == nullptr ? std::int64_t{0} : values->bytes();
  auto const bytes = static_cast<std::int64_t>(sizeof(moving_ends) + sizeof(local_id)) + value_bytes;
  gathered_rows made;
  std::vector<std::byte> record;
  failure = failure_of([&] {
    auto const num_edges = places->finish_counting();
    made.columns.resize(num_edges);
    made.ids.resize(num_edges);
    if (values != nullptr) {
      made.values = part_columns(*values, num_edges);
    }
    record.resize(static_cast<std::size_t>(bytes));
  });
  {
    record_shuffle shuffle(comm, bytes);
    shuffle_in_rounds(
        comm, shuffle, 0, edges.size(), items_of_bytes(vertices.round_bytes(), 2 * bytes),
        [&](std::int64_t first, std::int64_t last) {
          edges.each(first, last, [&](std::int64_t i, std::int64_t source, std::int64_t destination, edge_id id) {
            auto const to = vertices[destination];
            auto const part = book.owner(to);
            auto const row = static_cast<local_id>(to - book.begin(part));
            moving_ends const ends{sources[source], id};
            std::memcpy(record.data(), &ends, sizeof(ends));
            std::memcpy(record.data() + sizeof(ends), &row, sizeof(row));
            if (values != nullptr) {
              values->copy_row(i, record.data() + sizeof(ends) + sizeof(row));
            }
            shuffle.add(part, record.data());
          });
        },
        [&](std::byte const* arrived) {
          moving_ends ends{};
          local_id row = 0;
          std::memcpy(&ends, arrived, sizeof(ends));
          std::memcpy(&row, arrived + sizeof(ends), sizeof(row));
          auto const place = places->place(row);
          made.columns[place] = ends.column;
          made.ids[place] = ends.id;
          made.values.write(place, arrived + sizeof(ends) + sizeof(row));
        },
        failure);
  }
  agree(comm, {.what = operation::shuffle, .hop = 32}, failure_of([&] {
          made.offsets = std::move(*places).offsets();
          auto const sort = [&](host_view<std::int64_t const> times) {
            sort_rows(made.offsets.cview(), made.columns.view(), made.ids.view(), times, made.values.bytes());
          };
          if (duplicates == dist::local_data::options::duplicate_edges::merge) {
            sort({});
            merge_duplicates(made);
          }
          sort(made.values.view<std::int64_t>(local_columns::times));
        }));
  return made;
}

} // namespace glt::detail

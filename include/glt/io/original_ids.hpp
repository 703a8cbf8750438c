// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/dist/builder/exchange.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/npy.hpp>

#include <filesystem>

namespace glt::io {

/// Reads a list of original vertex ids from a npy file, and returns the listed vertices of this rank's part. They are
/// global ids in the order of the file, for a loader or for `data_set::add_split`. A mask [V] of type bool lists the
/// places that are true.
///
///     auto const seeds = glt::io::read_split(comm, data, "train_idx.npy");
///
/// @comm   collective; two header exchanges and a reduction
/// @throws collective_error  on every rank, if one cannot read the file, it holds other numbers than whole ones, or an
///                           id is not a vertex
/// @cost   O((rows + S) · log S) work on each rank, for S ids in the file; 24 bytes an id and 8 a row
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] std::vector<global_id> read_split(Comm& comm, dist::data_set<Policy, Vertex> const& data,
                                                std::filesystem::path const& file,
                                                int node_type = dist::data_set<Policy, Vertex>::only_type) {
  using placed_id = std::pair<global_id, std::int64_t>; // an id, and its place in the file or among the rows
  std::vector<placed_id> listed;
  std::vector<placed_id> found;
  run_together(comm, [&] {
    auto const num_vertices = data.book(node_type).num_vertices();
    auto const ids = detail::listed_ids(detail::read_npy_any(file), file, num_vertices, "vertices");
    listed.reserve(ids.size());
    for (auto const id : ids) {
      listed.emplace_back(id, std::ssize(listed));
    }
    std::ranges::sort(listed);
    auto const& book = data.book(node_type);
    auto const rows = to_vector(Policy(), data.original(node_type));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      auto const global = book.begin(data.hetero_graph().part()) + static_cast<global_id>(row);
      for (auto const& [id, place] : std::ranges::equal_range(listed, rows[row], {}, &placed_id::first)) {
        found.emplace_back(place, global);
      }
    }
    std::ranges::sort(found);
  });
  auto const known = reduce_over_ranks(comm, std::ssize(found), reduction::sum);
  std::vector<global_id> own;
  run_together(comm, [&] {
    if (known != std::ssize(listed)) {
      throw io_error(file.string(), 0,
                     glt::detail::message("lists ", std::ssize(listed) - known, " ids of ", listed.size(),
                                          " that are not vertices; list original ids of the data set"));
    }
    for (auto const& [place, global] : found) {
      own.push_back(global);
    }
  });
  return own;
}

namespace detail {

// Sends rows to rank 0 in ascending order of their ids, round by round; rank 0 calls `write(row)` for each in that
// order.
template <communicator Comm, class Write>
void send_in_order(Comm& comm, std::span<global_id const> ids, std::byte const* rows, std::int64_t row_bytes,
                   std::int64_t round_bytes, Write write) {
  constexpr auto none = std::numeric_limits<global_id>::max();
  constexpr auto id_bytes = static_cast<std::int64_t>(sizeof(global_id));
  auto const most = std::max<std::int64_t>(round_bytes / comm.size() / (id_bytes + row_bytes), 1);
  std::vector<std::int64_t> order(ids.size());
  std::vector<std::byte> sent;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), 0);
  std::vector<std::pair<global_id, std::byte const*>> received;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::int64_t row) { return ids[static_cast<std::size_t>(row)]; });
  std::size_t next = 0;
  for (global_id limit = 0; limit != none;) {
    // Every id up to the least of the last ids that the ranks could send is in this round.
    auto const end = std::min(next + static_cast<std::size_t>(most), order.size());
    limit = reduce_over_ranks(comm, end == order.size() ? none : ids[static_cast<std::size_t>(order[end - 1])],
                              reduction::min);
    sent.clear();
    for (; next < end && ids[static_cast<std::size_t>(order[next])] <= limit; ++next) {
      auto const* const id = reinterpret_cast<std::byte const*>(&ids[static_cast<std::size_t>(order[next])]);
      sent.insert(sent.end(), id, id + id_bytes);
      sent.insert(sent.end(), rows + order[next] * row_bytes, rows + (order[next] + 1) * row_bytes);
    }
    counts[0] = std::ssize(sent);
    auto const all = dist::exchange<std::byte>(comm, {sent.data(), counts[0]}, counts, round_bytes);
    run_together(comm, [&] {
      received.clear();
      for (auto const* item = all.items.data(); item != all.items.data() + all.items.size();
           item += id_bytes + row_bytes) {
        std::memcpy(&received.emplace_back(0, item + id_bytes).first, item, sizeof(global_id));
      }
      std::ranges::sort(received);
      for (auto const& [id, row] : received) {
        write(row);
      }
    });
  }
}

/// Rows of one length, by local id.
struct rows_to_write {
  std::string_view type; // NumPy's name
  std::int64_t count = 0;
  std::vector<std::int64_t> row_shape{};
  std::byte const* data = nullptr;
  std::int64_t row_bytes = 0;
};

template <communicator Comm, device_policy Policy, vertex_id Vertex>
void write_rows(Comm& comm, dist::data_set<Policy, Vertex> const& data, std::filesystem::path const& file,
                rows_to_write const& rows, int node_type, std::int64_t round_bytes) {
  std::vector<global_id> ids;
  std::optional<glt::detail::atomic_file> out;
  run_together(comm, [&] {
    ids = to_vector(Policy(), data.original(node_type));
    if (rows.count != std::ssize(ids)) {
      throw precondition_error(glt::detail::message(file.string(), ": ", rows.count, " rows for ", ids.size(),
                                                    " vertices of this rank; give one for each, by local id"));
    }
  });
  std::array bytes{rows.row_bytes, -rows.row_bytes};
  reduce_over_ranks(comm, bytes, reduction::max);
  auto const total = reduce_over_ranks(comm, rows.count, reduction::sum);
  run_together(comm, [&] {
    auto const num_vertices = data.book(node_type).num_vertices();
    if (bytes[0] != -bytes[1] || total != num_vertices) {
      throw precondition_error(glt::detail::message(file.string(), ": rows of ", -bytes[1], " to ", bytes[0],
                                                    " bytes, and ", total, " rows for ", num_vertices,
                                                    " vertices; give rows of one length on all ranks of the data set"));
    }
    if (comm.rank() == 0) {
      std::vector shape{total};
      shape.insert(shape.end(), rows.row_shape.begin(), rows.row_shape.end());
      auto const head = npy_start(rows.type, shape);
      out.emplace(file);
      out->write(head->data(), std::ssize(*head));
    }
  });
  send_in_order(comm, ids, rows.data, rows.row_bytes, round_bytes,
                [&](std::byte const* row) { out->write(row, rows.row_bytes); });
  run_together(comm, [&] {
    if (out) {
      out->commit();
    }
  });
}

} // namespace detail

/// Writes a row for each vertex of a data set, such as an embedding, to an npy file. Rows have the ascending order of
/// the original ids: if these are 0 to V − 1, row i belongs to vertex i of the files that were partitioned.
///
///     glt::io::write_by_original_id(comm, data, "scores.npy", glt::host_matrix<float const>(scores, rows, columns));
///
/// Rank 0 writes the file, so other ranks need no access to the disk. The file gets its name when it is complete.
///
/// @shape  values [vertices of this rank's part, columns], by local id; the file has [V, columns]
/// @comm   collective; three header exchanges and two reductions, then for each round a reduction, an exchange, and a
///         header exchange
/// @where  memory of 16 bytes for each vertex of this rank, and of about three times `round_bytes` on rank 0
/// @throws collective_error  on every rank, if a rank has another number of rows than vertices, rows have another
///                           length than rows of other ranks, or the file cannot be written
/// @cost   O(rows · log(rows)) work on each rank; all rows travel to rank 0
template <communicator Comm, device_policy Policy, vertex_id Vertex, class T>
  requires detail::npy_element<std::remove_const_t<T>>
void write_by_original_id(Comm& comm, dist::data_set<Policy, Vertex> const& data, std::filesystem::path const& file,
                          host_matrix<T> values, int node_type = dist::data_set<Policy, Vertex>::only_type,
                          std::int64_t round_bytes = glt::detail::exchange_round_bytes) {
  detail::write_rows(comm, data, file,
                     {.type = detail::npy_type<std::remove_const_t<T>>(),
                      .count = values.rows(),
                      .row_shape = {values.columns()},
                      .data = reinterpret_cast<std::byte const*>(values.flat().data()),
                      .row_bytes = values.columns() * static_cast<std::int64_t>(sizeof(T))},
                     node_type, round_bytes);
}

/// Writes a value for each vertex, such as a predicted class; the file has [V].
///
/// @shape  values [vertices of this rank's part], by local id
/// @comm   collective, as for rows
/// @throws collective_error  as for rows
template <communicator Comm, device_policy Policy, vertex_id Vertex, std::ranges::contiguous_range Range>
  requires detail::npy_element<std::ranges::range_value_t<Range>>
void write_by_original_id(Comm& comm, dist::data_set<Policy, Vertex> const& data, std::filesystem::path const& file,
                          Range const& values, int node_type = dist::data_set<Policy, Vertex>::only_type,
                          std::int64_t round_bytes = glt::detail::exchange_round_bytes) {
  using element = std::ranges::range_value_t<Range>;
  detail::write_rows(comm, data, file,
                     {.type = detail::npy_type<element>(),
                      .count = static_cast<std::int64_t>(std::ranges::size(values)),
                      .data = reinterpret_cast<std::byte const*>(std::ranges::data(values)),
                      .row_bytes = sizeof(element)},
                     node_type, round_bytes);
}

} // namespace glt::io

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_convert.hpp>
#include <glt/io/array/detail/npy_any.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>

namespace glt::io {

/// Reads a list of original vertex ids from a npy file, and returns the listed vertices of this rank's part. They are
/// global ids in the order of the file, for a loader or for `data_set::add_split`.
///
///     auto const seeds = glt::io::read_split(comm, data, "train_idx.npy");
///
/// @comm   collective; two header exchanges and a reduction
/// @throws collective_error  on every rank, if one cannot read the file, or an id is not a vertex
/// @cost   O((rows + S) · log S) work on each rank, for S ids in the file; 24 bytes an id and 8 a row
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] std::vector<global_id> read_split(Comm& comm, dist::data_set<Policy, Vertex> const& data,
                                                std::filesystem::path const& file,
                                                int node_type = dist::data_set<Policy, Vertex>::only_type) {
  using placed_id = std::pair<global_id, std::int64_t>; // an id, and its place in the file or among the rows
  std::vector<placed_id> listed;
  std::vector<placed_id> found;
  run_together(comm, [&] {
    auto const ids = detail::convert<global_id>(detail::read_npy_any(file));
    listed.reserve(static_cast<std::size_t>(ids.size()));
    for (std::int64_t i = 0; i < ids.size(); ++i) {
      listed.emplace_back(ids[i], i);
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

} // namespace glt::io

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/raw_data.hpp>

#include <filesystem>

namespace glt::io::detail {

// Makes a data set of one type of vertices and one of edges, named after the file up to its first dot.
inline raw_data graph_of(std::filesystem::path const& path) {
  auto const file = path.filename().string();
  raw_data set;
  set.name = file.substr(0, file.find('.', 1));
  set.nodes.emplace_back();
  set.edges.emplace_back();
  return set;
}

// Throws for too many vertices: every vertex costs memory later, so a few bytes of text must not request very many.
inline void check_density(std::filesystem::path const& path, std::int64_t num_vertices, std::int64_t num_edges,
                          char const* way_out) {
  constexpr std::int64_t always = std::int64_t{1} << 20;
  constexpr std::int64_t per_edge = 64;
  if (num_vertices > always && num_vertices / per_edge > num_edges) {
    throw io_error(path.string(), 0,
                   glt::detail::message("has ", num_edges, " edges and numbers vertices up to ", num_vertices - 1,
                                        ", most of which have none; ", way_out));
  }
}

} // namespace glt::io::detail

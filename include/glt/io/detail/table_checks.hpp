// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/raw_data.hpp>

#include <functional>

namespace glt::io::detail {

// Throws for the first invalid vertex id; `path` is the file of the ids.
inline void check_ids(std::string const& path, host_view<global_id const> ids, raw_data::node_table const& nodes) {
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= nodes.num_nodes) {
      throw io_error(path, 0,
                     glt::detail::message("id ", i, " is ", ids[i], ", outside [0, ", nodes.num_nodes,
                                          "), the vertices of type '", nodes.name, "'"));
    }
  }
}

// Returns the second place of an id that occurs twice, if there is one.
inline std::optional<std::int64_t> find_duplicate(host_view<global_id const> ids) {
  if (std::ranges::adjacent_find(ids, std::ranges::greater_equal()) == ids.end()) {
    return std::nullopt;
  }
  std::vector<global_id> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  auto const twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) {
    return std::nullopt;
  }
  auto const* const first = std::ranges::find(ids, *twice);
  return std::find(first + 1, ids.end(), *twice) - ids.begin();
}

// Throws for a vertex that occurs twice in a split; `path` is the file of the split.
inline void check_unique(std::string const& path, host_view<global_id const> ids) {
  if (auto const twice = find_duplicate(ids)) {
    auto const first = std::ranges::find(ids, ids[*twice]) - ids.begin();
    throw io_error(path, 0,
                   glt::detail::message("id ", *twice, " is ", ids[*twice], ", as id ", first,
                                        " is; a split has every vertex once, save numpy.unique of it"));
  }
}

// Throws if an array does not have one row per described vertex or edge.
inline void check_rows(std::string const& path, std::int64_t rows, std::int64_t wanted, std::string const& what) {
  if (rows != wanted) {
    throw io_error(path, 0,
                   glt::detail::message("is of the wrong row count: ", rows, " rows for ", wanted, " ", what,
                                        "; make it again with a row for each"));
  }
}

inline std::string edges_of_type(raw_data::edge_table const& edges) {
  return "edges '" + edges.source + " " + edges.name + " " + edges.destination + "'";
}

inline std::string vertices_of_type(raw_data::node_table const& nodes) {
  return "vertices of type '" + nodes.name + "'";
}

// Returns one more than the highest id, and at least `least`; the largest 64-bit number is not an id.
inline std::int64_t count_ids(std::vector<global_id> const& ids, std::int64_t least) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return ids.empty() ? least : std::max(least, std::min(*std::ranges::max_element(ids), most - 1) + 1);
}

} // namespace glt::io::detail

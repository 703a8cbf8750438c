// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/peers/torch_file.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::io {

/// Whole graph joined from the parts of another library, and the part that this library assigned to every vertex. Ids
/// are as they were before that library divided the graph.
///
/// @shape  assignment[i] [data.nodes[i].num_nodes], in [0, num_parts)
struct peer_partition {
  data_set data;
  std::vector<buffer<device::cpu, local_id>> assignment{}; ///< one for each of `data.nodes`
  int num_parts = 0;
};

namespace detail {

// Ids of the vertices or edges of a part, and the file that holds them.
struct peer_ids {
  std::string path;
  std::vector<global_id> ids{};
};

// Edges of a part; position i of all three lists is one edge.
struct peer_edges {
  peer_ids edges;
  std::vector<global_id> sources{};
  std::vector<global_id> destinations{};
};

inline int checked_num_parts(std::string const& path, std::int64_t num_parts) {
  if (num_parts < 1 || num_parts > std::numeric_limits<int>::max()) {
    throw io_error(path, 0,
                   glt::detail::message("says that there are ", num_parts, " parts; partition the graph again"));
  }
  return static_cast<int>(num_parts);
}

// Checks a type's name, which becomes part of a file name: a file must not lead out of its folder.
inline std::string checked_type(std::string const& path, std::string_view name) {
  if (name.empty() || name.find('/') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    throw io_error(path, 0, glt::detail::message("has a type '", name, "', which names no file; rename the type"));
  }
  return std::string(name);
}

inline edge_table edges_between(std::string const& path, std::string_view source, std::string_view name,
                                std::string_view destination) {
  edge_table table;
  table.source = checked_type(path, source);
  table.name = checked_type(path, name);
  table.destination = checked_type(path, destination);
  return table;
}

inline std::size_t find_node_type(std::string const& path, std::vector<node_table> const& nodes,
                                  std::string const& name) {
  auto const found = std::ranges::find(nodes, name, &node_table::name);
  if (found == nodes.end()) {
    throw io_error(path, 0, "has edges of the vertex type '" + name + "', which it does not list; partition again");
  }
  return static_cast<std::size_t>(found - nodes.begin());
}

inline std::vector<global_id> read_part_list(torch_file const& file, pickle_value const& value) {
  auto const values = file.read(value);
  if (values.shape().size() != 1) {
    file.fail("has an array of shape " + shape_text(values.shape()) + " where ids belong; partition the graph again");
  }
  return integers_of(values, file.path().string());
}

inline std::vector<global_id> read_part_list(std::filesystem::path const& path) {
  auto const values = read_torch_tensor(path);
  if (values.shape().size() != 1) {
    throw io_error(path.string(), 0, "has the shape " + shape_text(values.shape()) + "; ids in a line belong here");
  }
  return integers_of(values, path.string());
}

// Reads the part of every vertex or edge.
inline buffer<device::cpu, local_id> read_part_book(std::filesystem::path const& path, int num_parts) {
  auto const parts = read_part_list(path);
  buffer<device::cpu, local_id> book(std::ssize(parts));
  for (std::int64_t i = 0; i < book.size(); ++i) {
    auto const part = parts[static_cast<std::size_t>(i)];
    if (part < 0 || part >= num_parts) {
      throw io_error(path.string(), 0,
                     glt::detail::message("puts ", i, " into part ", part, ", and there are ", num_parts,
                                          "; partition the graph again"));
    }
    book[i] = static_cast<local_id>(part);
  }
  return book;
}

// Throws unless each of `count` vertices or edges is listed once, by the part in the book, if there is a book.
inline void check_cover(std::vector<peer_ids> const& parts, std::int64_t count, host_view<local_id const> book,
                        std::string const& what) {
  std::int64_t listed = 0;
  for (auto const& part : parts) {
    listed += std::ssize(part.ids);
  }
  if (listed != count) {
    throw io_error(parts.front().path, 0,
                   glt::detail::message("and its like of the other parts list ", listed, " of ", count, " ", what,
                                        "; partition the graph again"));
  }
  std::vector<bool> seen(static_cast<std::size_t>(count), false);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (auto const id : parts[p].ids) {
      auto const fail = [&](auto const&... why) {
        throw io_error(parts[p].path, 0,
                       glt::detail::message("lists ", id, " of the ", what, why..., "; partition the graph again"));
      };
      if (id < 0 || id >= count) {
        fail(", outside [0, ", count, ")");
      }
      if (seen[static_cast<std::size_t>(id)]) {
        fail(", which was listed before");
      }
      if (!book.empty() && book[id] != static_cast<local_id>(p)) {
        fail(", which is in part ", book[id]);
      }
      seen[static_cast<std::size_t>(id)] = true;
    }
  }
}

// Throws unless the edges of every part all start in it or all end in it; otherwise ids are local to a part.
inline void check_edge_owners(std::vector<peer_edges> const& parts, host_view<local_id const> source_book,
                              host_view<local_id const> destination_book) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    auto const part = static_cast<local_id>(p);
    auto const own = [&](auto book) { return [=](global_id id) { return book[id] == part; }; };
    if (!std::ranges::all_of(parts[p].sources, own(source_book)) &&
        !std::ranges::all_of(parts[p].destinations, own(destination_book))) {
      throw io_error(parts[p].edges.path, 0,
                     glt::detail::message("has edges that neither start nor end in part ", p,
                                          "; partition the graph again with a released version"));
    }
  }
}

// Puts the edges of all parts at the places of their ids and checks them; the table has its types but no edges yet.
inline void place_edges(edge_table& table, std::vector<peer_edges>& parts, node_table const& sources,
                        node_table const& destinations, host_view<local_id const> edge_book) {
  std::vector<peer_ids> ids;
  std::int64_t count = 0;
  for (auto const& part : parts) {
    auto const& path = part.edges.path;
    check_rows(path, std::ssize(part.sources), std::ssize(part.edges.ids), "edges");
    check_rows(path, std::ssize(part.destinations), std::ssize(part.edges.ids), "edges");
    check_ids(path, part.sources, sources);
    check_ids(path, part.destinations, destinations);
    count += std::ssize(part.edges.ids);
    ids.push_back(part.edges);
  }
  if (!edge_book.empty()) {
    check_rows(parts.front().edges.path, count, edge_book.size(), edges_of_type(table));
  }
  check_cover(ids, count, edge_book, edges_of_type(table));
  table.sources.resize(static_cast<std::size_t>(count));
  table.destinations.resize(static_cast<std::size_t>(count));
  for (auto const& part : parts) {
    for (std::size_t i = 0; i < part.edges.ids.size(); ++i) {
      auto const id = static_cast<std::size_t>(part.edges.ids[i]);
      table.sources[id] = part.sources[i];
      table.destinations[id] = part.destinations[i];
    }
  }
}

// Puts the rows of all parts at the places of their ids; `load(part)` returns a part's rows, or nothing. Returns
// nothing if no part has rows. Allocates at most `available` bytes, the size of the files.
template <class Load>
std::optional<array> place_rows(std::vector<peer_ids> const& parts, std::int64_t count, std::int64_t available,
                                Load load) {
  std::optional<array> first;
  buffer<device::cpu, std::byte> placed;
  peer_ids const* without = nullptr;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    auto const& [path, ids] = parts[p];
    std::optional<array> rows = load(p);
    if (!rows) {
      without = ids.empty() ? without : &parts[p];
      continue;
    }
    check_rows(path, rows->rows(), std::ssize(ids), "ids");
    auto const row_bytes = rows->columns() * glt::detail::size_of(rows->type());
    if (rows->shape().empty() || (first && (rows->type() != first->type() || rows->columns() != first->columns()))) {
      throw io_error(path, 0, "has rows of another type or size than the parts before; partition the graph again");
    }
    if (!first) {
      if (row_bytes > 0 && count > available / row_bytes) {
        throw io_error(path, 0,
                       glt::detail::message("has rows of ", row_bytes, " bytes, and the parts have no room for ", count,
                                            " of them; partition the graph again"));
      }
      placed.resize(count * row_bytes);
    }
    for (std::size_t i = 0; i < ids.size() && row_bytes > 0; ++i) {
      std::memcpy(placed.data() + ids[i] * row_bytes, rows->bytes().data() + static_cast<std::int64_t>(i) * row_bytes,
                  static_cast<std::size_t>(row_bytes));
    }
    if (!first) {
      first = std::move(rows);
    }
  }
  if (first && without != nullptr) {
    throw io_error(without->path, 0, "has no rows where other parts have some; partition the graph again");
  }
  if (!first) {
    return std::nullopt;
  }
  auto shape = first->shape();
  shape.front() = count;
  return array(first->type(), std::move(shape), std::move(placed));
}

} // namespace detail

} // namespace glt::io

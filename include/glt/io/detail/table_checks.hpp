// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/raw_data.hpp>

#include <functional>

namespace glt::io::detail {

// Throws for an id outside [0, bound): an io_error if the file of the ids is known. `element` is its name and place.
[[noreturn]] inline void throw_outside(std::string const& file, std::string const& element, global_id id,
                                       std::int64_t bound, std::string const& type) {
  auto const text = glt::detail::message(element, " is ", id, ", outside [0, ", bound, "), the vertices of type '",
                                         type, "'; correct the id or the number of vertices");
  if (file.empty()) {
    throw precondition_error(text);
  }
  throw io_error(file, 0, text);
}

// Throws for the first invalid vertex id; `path` is the file of the ids.
inline void check_ids(std::string const& path, host_view<global_id const> ids, raw_data::node_table const& nodes) {
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= nodes.num_nodes) {
      throw_outside(path, glt::detail::message("id ", i), ids[i], nodes.num_nodes, nodes.name);
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

// True if all ids are 0 or 1, as the elements of a mask.
inline bool are_bits(host_view<global_id const> ids) {
  return std::ranges::all_of(ids, [](global_id id) { return id == 0 || id == 1; });
}

// Throws for a vertex that occurs twice in a split; `path` is the file of the split.
inline void check_unique(std::string const& path, host_view<global_id const> ids) {
  if (auto const twice = find_duplicate(ids)) {
    auto const first = std::ranges::find(ids, ids[*twice]) - ids.begin();
    throw io_error(
        path, 0,
        glt::detail::message("id ", *twice, " is ", ids[*twice], ", as id ", first,
                             " is; a split has every vertex once, save ",
                             are_bits(ids) ? "numpy.flatnonzero of it if it is a mask" : "numpy.unique of it"));
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

// Throws unless an optional array has a row for every vertex or edge; `what` names the array.
inline void check_rows(std::int64_t rows, std::int64_t wanted, std::string const& what) {
  if (rows != wanted) {
    throw precondition_error(
        glt::detail::message(what, " have ", rows, " rows for ", wanted, " vertices or edges; give one each"));
  }
}

// Throws unless all arrays of vertices have a row for every vertex.
inline void check_rows_of(raw_data::node_table const& table) {
  auto const name = "node type '" + table.name + "'";
  for (auto const& feature : table.features) {
    check_rows(feature.values.rows(), table.num_nodes, name + ": features '" + feature.name + "'");
  }
  if (!table.labels.shape().empty()) {
    check_rows(table.labels.rows(), table.num_nodes, name + ": labels");
  }
  if (!table.times.empty()) {
    check_rows(std::ssize(table.times), table.num_nodes, name + ": times");
  }
}

// Returns the name of a table, view or type of edges in errors.
template <class Edges>
std::string edges_of_type(Edges const& edges) {
  return "edges '" + edges.source + " " + edges.name + " " + edges.destination + "'";
}

// Returns the name of a link split in errors.
inline std::string link_split_name(edge_table_view const& table, link_split_view const& split) {
  return edges_of_type(table) + ": link split '" + split.name + "'";
}

// Throws unless all arrays of edges have a row for every edge; reads no id.
inline void check_rows_of(edge_table_view const& table) {
  auto const name = edges_of_type(table);
  auto const count = table.columns.sources.size();
  check_rows(table.columns.destinations.size(), count, name + ": destinations");
  for (auto const& feature : table.features) {
    check_rows(feature.values.rows(), count, name + ": features '" + feature.name + "'");
  }
  if (!table.columns.weights.empty()) {
    check_rows(table.columns.weights.size(), count, name + ": weights");
  }
  if (!table.columns.times.empty()) {
    check_rows(table.columns.times.size(), count, name + ": times");
  }
  for (auto const& split : table.links) {
    for (auto const* const pairs : {&split.edges, &split.negatives}) {
      check_rows(pairs->destinations.size(), pairs->sources.size(), link_split_name(table, split) + ": destinations");
    }
  }
}

inline std::string vertices_of_type(raw_data::node_table const& nodes) {
  return "vertices of type '" + nodes.name + "'";
}

// Returns one more than the highest id, and at least `least`; the largest 64-bit number is not an id.
inline std::int64_t count_ids(host_view<global_id const> ids, std::int64_t least) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return ids.empty() ? least : std::max(least, std::min(*std::max_element(ids.begin(), ids.end()), most - 1) + 1);
}

/// Copied piece of a list of pairs.
struct copied_pairs {
  static constexpr std::int64_t most = 1 << 12;
  std::array<global_id, most> sources;
  std::array<global_id, most> destinations;
};

/// Pairs of ids in arrays that may be files which another process changes. Pairs are copied piece by piece and the
/// copies are checked, so that an id used as an index is always a checked one.
///
/// Errors call a pair `what` + its place, and say its file, or `of_type` if the file is not known.
///
/// @shape  sources, destinations [E]
struct checked_pairs {
  host_view<global_id const> sources;
  host_view<global_id const> destinations;
  std::int64_t num_sources;
  std::int64_t num_destinations;
  std::string of_type{};
  input_watch const* inputs = nullptr; ///< the files, if they are watched
  char const* what = "edge";
  std::string file{}; ///< of the pairs; may be empty
  std::string source_type = "node";
  std::string destination_type = "node";

  /// Copies the pairs [first, last), at most `copied_pairs::most`.
  ///
  /// @throws precondition_error  naming a source outside [0, num_sources), or a destination outside
  ///                             [0, num_destinations); io_error if the file is known
  void copy(std::int64_t first, std::int64_t last, copied_pairs& out) const {
    copy_column(sources, first, last, out.sources.data());
    copy_column(destinations, first, last, out.destinations.data());
    auto const count = static_cast<std::size_t>(last - first);
    if (count_outside(out.sources.data(), count, num_sources) +
            count_outside(out.destinations.data(), count, num_destinations) !=
        0) [[unlikely]] {
      for (std::size_t i = 0; i < count; ++i) {
        check_end(first + static_cast<std::int64_t>(i), "source", out.sources[i], num_sources, source_type);
        check_end(first + static_cast<std::int64_t>(i), "destination", out.destinations[i], num_destinations,
                  destination_type);
      }
    }
  }

  /// Calls use(place, source, destination) for the pairs [first, last) in order.
  ///
  /// @throws precondition_error  or io_error, as `copy`
  /// @throws io_error            if a watched file was changed; also any exception of `use`
  template <class Use>
  void for_each(std::int64_t first, std::int64_t last, Use use) const {
    with_inputs(inputs, [&] {
      copied_pairs piece;
      for (auto begin = first; begin < last; begin += copied_pairs::most) {
        auto const end = std::min(begin + copied_pairs::most, last);
        copy(begin, end, piece);
        for (auto place = begin; place < end; ++place) {
          auto const i = static_cast<std::size_t>(place - begin);
          use(place, piece.sources[i], piece.destinations[i]);
        }
      }
    });
  }

  /// Checks the pairs [first, last); without arguments, all.
  ///
  /// @throws precondition_error  or io_error, as `for_each`
  void check(std::int64_t first, std::int64_t last) const {
    for_each(first, last, [](std::int64_t, global_id, global_id) {});
  }
  void check() const { check(0, sources.size()); }

private:
  static void copy_column(host_view<global_id const> from, std::int64_t first, std::int64_t last, global_id* out) {
    glt::detail::copy_bytes(out, from.data() + first, (last - first) * static_cast<std::int64_t>(sizeof(global_id)));
  }

  // Compilers turn this loop into vector instructions.
  static std::uint64_t count_outside(global_id const* ids, std::size_t count, std::int64_t bound) {
    std::uint64_t outside = 0;
    for (std::size_t i = 0; i < count; ++i) {
      outside += static_cast<std::uint64_t>(ids[i]) >= static_cast<std::uint64_t>(bound) ? 1U : 0U;
    }
    return outside;
  }

  void check_end(std::int64_t place, char const* end, global_id id, std::int64_t bound, std::string const& type) const {
    if (id < 0 || id >= bound) {
      throw_outside(file, glt::detail::message(end, " of ", what, " ", place, file.empty() ? of_type : ""), id, bound,
                    type);
    }
  }
};

// Throws for the first pair with an invalid id; `path` is the file of the pairs, and `what` the name of a pair.
inline void check_pairs(std::string const& path, char const* what, vertex_pairs_view const& pairs,
                        raw_data::node_table const& from, raw_data::node_table const& to) {
  checked_pairs{.sources = pairs.sources,
                .destinations = pairs.destinations,
                .num_sources = from.num_nodes,
                .num_destinations = to.num_nodes,
                .what = what,
                .file = path,
                .source_type = from.name,
                .destination_type = to.name}
      .check();
}

// Returns pairs between the types of an edge type, which are checked whenever they are read.
//
// @pre    the data set has both types of vertices; not checked
inline checked_pairs checked_between(edge_table_view const& edges, raw_data_view const& data,
                                     vertex_pairs_view const& pairs) {
  auto const count = [&](std::string const& type) {
    return std::ranges::find(data.nodes, type, &raw_data::node_table::name)->num_nodes;
  };
  return {.sources = pairs.sources,
          .destinations = pairs.destinations,
          .num_sources = count(edges.source),
          .num_destinations = count(edges.destination),
          .of_type = " of edges '" + edges.name + "'",
          .inputs = data.inputs,
          .file = pairs.file,
          .source_type = edges.source,
          .destination_type = edges.destination};
}

// Returns the ends of the edges of a type.
inline checked_pairs checked_ends(edge_table_view const& edges, raw_data_view const& data) {
  return checked_between(
      edges, data, {.sources = edges.columns.sources, .destinations = edges.columns.destinations, .file = edges.file});
}

// Returns the pairs of a link split, or its negatives.
inline checked_pairs checked_links(edge_table_view const& edges, raw_data_view const& data,
                                   link_split_view const& split, vertex_pairs_view const& pairs) {
  auto made = checked_between(edges, data, pairs);
  made.what = "pair";
  made.of_type = " of link split '" + split.name + "'" + made.of_type;
  return made;
}

// Checks the ends of all edges and link splits of a data set.
inline void check_pairs(raw_data_view const& data) {
  for (auto const& edges : data.edges) {
    checked_ends(edges, data).check();
    for (auto const& split : edges.links) {
      checked_links(edges, data, split, split.edges).check();
      checked_links(edges, data, split, split.negatives).check();
    }
  }
}

} // namespace glt::io::detail

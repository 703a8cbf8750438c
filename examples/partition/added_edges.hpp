// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

// --symmetrize, --add-reverse and --add-self-loops: which edges they add, and how they do it in memory;
// added_edge_files.hpp does the same on disk.
namespace glt_partition {

/// True if the options ask for edges that the input has not.
inline bool adds_edges(options const& chosen) {
  return chosen.symmetrize || chosen.add_reverse || chosen.add_self_loops;
}

/// True of edges between vertices of one type, whose reverse is of the same kind.
inline bool joins_one_type(glt::io::detail::edge_table_view const& edges) {
  return edges.source == edges.destination;
}

/// True of edges that carry anything.
inline bool has_values(glt::io::detail::edge_table_view const& edges) {
  return !edges.features.empty() || !edges.columns.weights.empty() || !edges.columns.times.empty();
}

inline std::string name_of_reverse(std::string const& name) {
  return "rev_" + name;
}

inline std::int64_t num_vertices_of(glt::io::raw_data_view const& data, std::string const& type) {
  return std::ranges::find(data.nodes, type, &glt::io::raw_data::node_table::name)->num_nodes;
}

/// Refuses options that have no meaning for this data set.
inline void check_added_edges(glt::io::raw_data_view const& data, options const& chosen) {
  if (chosen.symmetrize && (data.edges.size() != 1 || data.nodes.size() != 1)) {
    throw glt::precondition_error("--symmetrize of a graph with types; use --add-reverse, which adds relations rev_…");
  }
  if (chosen.symmetrize && has_values(data.edges[0])) {
    throw glt::precondition_error("--symmetrize of edges with values, of which it would drop those of duplicates; use "
                                  "--add-reverse, which keeps all");
  }
  bool loops = false;
  for (auto const& edges : data.edges) {
    auto const taken = [&](auto const& other) {
      return other.source == edges.destination && other.name == name_of_reverse(edges.name) &&
             other.destination == edges.source;
    };
    if (chosen.add_reverse && !joins_one_type(edges) && std::ranges::any_of(data.edges, taken)) {
      throw glt::precondition_error("--add-reverse of edges '" + edges.name + "', whose reverse '" +
                                    name_of_reverse(edges.name) + "' is there already; leave out the option");
    }
    loops = loops || joins_one_type(edges);
    if (chosen.add_self_loops && joins_one_type(edges) && (!edges.features.empty() || !edges.columns.times.empty())) {
      throw glt::precondition_error("--add-self-loops to edges '" + edges.name + "', which have " +
                                    (edges.columns.times.empty() ? "features" : "times") +
                                    ": nothing says which those of a self-loop are; add the loops to the input");
    }
  }
  if (chosen.add_self_loops && !loops) {
    throw glt::precondition_error("--add-self-loops, but no edges join vertices of one type; leave out the option");
  }
}

/// What is done to the edges of one type.
struct edge_additions {
  bool both_ways = false;        ///< the reverse of every edge, and no duplicates
  bool reverse = false;          ///< behind the edges, those of the other direction, with their values
  bool self_loops = false;       ///< behind these, a loop at every vertex without one, of weight 1
  bool reverse_relation = false; ///< the reverse is a relation of its own

  [[nodiscard]] bool appends() const { return reverse || self_loops; }
};

inline edge_additions additions_of(glt::io::detail::edge_table_view const& edges, options const& chosen) {
  if (!joins_one_type(edges)) {
    return {.reverse_relation = chosen.add_reverse};
  }
  bool const reverse = chosen.symmetrize || chosen.add_reverse;
  return {.both_ways = reverse && !has_values(edges),
          .reverse = reverse && has_values(edges),
          .self_loops = chosen.add_self_loops};
}

/// Calls visit(source, destination, origin) for every edge that is appended to others; the values are those of the
/// edge `origin`, or none if that is −1.
///
/// @throws precondition_error  as `checked_pairs::for_each`, if there are self-loops to append
template <class Visit>
void for_appended(glt::io::detail::edge_columns const& edges, std::int64_t num_vertices, edge_additions const& what,
                  Visit visit) {
  auto const num_edges = edges.sources.size();
  for (std::int64_t e = 0; what.reverse && e < num_edges; ++e) {
    if (edges.sources[e] != edges.destinations[e]) {
      visit(edges.destinations[e], edges.sources[e], e);
    }
  }
  if (!what.self_loops) {
    return;
  }
  std::vector<bool> has_loop(static_cast<std::size_t>(num_vertices), false);
  glt::io::detail::checked_pairs const ends{.sources = edges.sources,
                                            .destinations = edges.destinations,
                                            .num_sources = num_vertices,
                                            .num_destinations = num_vertices};
  ends.for_each(0, num_edges, [&](std::int64_t, glt::global_id source, glt::global_id destination) {
    if (source == destination) {
      has_loop[static_cast<std::size_t>(source)] = true;
    }
  });
  for (glt::global_id v = 0; v < num_vertices; ++v) {
    if (!has_loop[static_cast<std::size_t>(v)]) {
      visit(v, v, std::int64_t{-1});
    }
  }
}

/// The rows of an array, and behind them those of `origins` once more.
inline glt::io::array with_rows_of(glt::io::array const& values, std::vector<std::int64_t> const& origins) {
  auto shape = values.shape();
  auto const row_bytes = shape[0] == 0 ? 0 : values.bytes().size() / shape[0];
  glt::buffer<glt::device::cpu, std::byte> bytes(values.bytes().size() + std::ssize(origins) * row_bytes);
  auto* out = std::ranges::copy(values.bytes(), bytes.data()).out;
  for (auto const origin : origins) {
    out = std::copy_n(values.bytes().data() + origin * row_bytes, row_bytes, out);
  }
  shape[0] += std::ssize(origins);
  return {values.type(), std::move(shape), std::move(bytes)};
}

/// The edges of one type in the other direction, with what they carry; their link splits stay where they are.
inline glt::io::raw_data::edge_table reverse_of(glt::io::raw_data::edge_table const& edges) {
  glt::io::raw_data::edge_table made{.source = edges.destination,
                                     .name = name_of_reverse(edges.name),
                                     .destination = edges.source,
                                     .sources = edges.destinations,
                                     .destinations = edges.sources,
                                     .features = {},
                                     .weights = edges.weights,
                                     .times = edges.times,
                                     .links = {}};
  for (auto const& [name, values] : edges.features) {
    made.features.push_back({name, with_rows_of(values, {})});
  }
  return made;
}

/// Makes edges between vertices of one type go both ways, without duplicates.
inline void make_both_ways(glt::io::raw_data::edge_table& edges, std::int64_t num_vertices) {
  glt::coo_view<glt::memory_space::host, glt::global_id> const list(
      num_vertices, glt::host_view<glt::global_id const>(edges.sources),
      glt::host_view<glt::global_id const>(edges.destinations));
  auto const both = glt::remove_duplicates<glt::device::cpu>(glt::symmetrize<glt::device::cpu>(list).view());
  edges.sources.assign(both.view().sources().begin(), both.view().sources().end());
  edges.destinations.assign(both.view().destinations().begin(), both.view().destinations().end());
}

/// Appends edges, and what those carry that they come from.
inline void append_edges(glt::io::raw_data::edge_table& edges, std::int64_t num_vertices, edge_additions const& what) {
  std::vector<glt::global_id> sources;
  std::vector<glt::global_id> destinations;
  std::vector<std::int64_t> origins;
  for_appended(edges.view().columns, num_vertices, what,
               [&](glt::global_id source, glt::global_id destination, std::int64_t origin) {
                 sources.push_back(source);
                 destinations.push_back(destination);
                 origins.push_back(origin);
               });
  edges.sources.insert(edges.sources.end(), sources.begin(), sources.end());
  edges.destinations.insert(edges.destinations.end(), destinations.begin(), destinations.end());
  bool const weighted = !edges.weights.empty();
  bool const timed = !edges.times.empty();
  for (auto const origin : origins) {
    if (weighted) {
      edges.weights.push_back(origin < 0 ? 1.0F : edges.weights[static_cast<std::size_t>(origin)]);
    }
    if (timed) {
      edges.times.push_back(edges.times[static_cast<std::size_t>(origin)]);
    }
  }
  for (auto& [name, values] : edges.features) {
    values = with_rows_of(values, origins);
  }
}

/// Adds the edges that the options ask for; new relations come behind the others, in the order of these.
inline void add_edges(glt::io::raw_data& data, options const& chosen) {
  check_added_edges(data.view(), chosen);
  for (std::size_t t = 0, given = data.edges.size(); t < given; ++t) {
    auto const table = data.edges[t].view();
    auto const what = additions_of(table, chosen);
    auto const num_vertices = num_vertices_of(data.view(), table.source);
    if (what.reverse_relation) {
      data.edges.push_back(reverse_of(data.edges[t]));
    }
    if (what.both_ways) {
      make_both_ways(data.edges[t], num_vertices);
    }
    if (what.appends()) {
      append_edges(data.edges[t], num_vertices, what);
    }
  }
}

} // namespace glt_partition

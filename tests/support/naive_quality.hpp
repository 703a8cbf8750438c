// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/partition/quality/partition_quality.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// A vertex by type and number.
using typed_vertex = std::pair<std::size_t, std::int64_t>;

/// An edge between vertices of any type, of an edge type.
struct typed_edge {
  typed_vertex source;
  typed_vertex destination;
  std::size_t type = 0;
};

/// All of a graph and its partition, in sets and lists: what the measures are by their definitions.
struct naive_quality {
  int num_parts = 1;
  std::map<typed_vertex, glt::local_id> vertices; ///< with their parts
  std::vector<typed_edge> edges;
  std::vector<typed_vertex> train;
  std::vector<typed_vertex> valid;
  std::vector<typed_vertex> test;

  [[nodiscard]] int part_of(typed_vertex vertex) const { return vertices.at(vertex); }

  /// Counts of a part, of the vertices of one type (−1: of all).
  [[nodiscard]] glt::detail::part_counts counts(int part, int type) const {
    auto const wanted = [&](typed_vertex v) { return type < 0 || static_cast<std::size_t>(type) == v.first; };
    glt::detail::part_counts made;
    std::set<typed_vertex> boundary;
    std::set<typed_vertex> halo;
    std::set<std::pair<typed_vertex, int>> sent;
    for (auto const& [vertex, owner] : vertices) {
      made.num_vertices += owner == part && wanted(vertex) ? 1 : 0;
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
      auto const& [source, destination, of_type] = edges[e];
      auto const [from, to] = ends[e];
      if (to == part && wanted(destination)) {
        ++made.num_edges;
        made.num_cut_edges += from != to ? 1 : 0;
      }
      if (from == to) {
        continue;
      }
      if (to == part && wanted(destination)) {
        boundary.insert(destination);
      }
      if (from == part && wanted(source)) {
        boundary.insert(source);
        sent.insert({source, to});
      }
      if (to == part && wanted(source)) {
        halo.insert(source);
      }
    }
    made.num_boundary_vertices = std::ssize(boundary);
    made.halo_size = std::ssize(halo);
    made.communication_volume = std::ssize(sent);
    auto const listed = [&](std::vector<typed_vertex> const& list) {
      std::int64_t count = 0;
      for (auto const& vertex : list) {
        count += part_of(vertex) == part && wanted(vertex) ? 1 : 0;
      }
      return count;
    };
    made.num_train = listed(train);
    made.num_valid = listed(valid);
    made.num_test = listed(test);
    return made;
  }

  /// Everything, with tables for these types.
  [[nodiscard]] glt::partition_quality measure(std::vector<std::string> const& node_types,
                                               std::vector<glt::hetero_schema::edge_type> const& edge_types) {
    ends.clear();
    for (auto const& edge : edges) {
      ends.emplace_back(part_of(edge.source), part_of(edge.destination));
    }
    glt::partition_quality made;
    fill(made, -1);
    made.smallest_part = made.largest_part = made.parts[0].num_vertices;
    for (auto const& part : made.parts) {
      made.smallest_part = std::min(made.smallest_part, part.num_vertices);
      made.largest_part = std::max(made.largest_part, part.num_vertices);
    }
    for (std::size_t t = 0; t < node_types.size(); ++t) {
      auto& of_type = made.node_types.emplace_back();
      of_type.name = node_types[t];
      fill(of_type, static_cast<int>(t));
    }
    for (int i = 0; i < num_parts; ++i) {
      for (int j = 0; j < num_parts; ++j) {
        made.edges_between.push_back(std::ranges::count(ends, std::pair(i, j)));
      }
    }
    for (std::size_t t = 0; t < edge_types.size(); ++t) {
      glt::detail::edge_type_quality of_type{
          {}, edge_types[t], std::vector<glt::detail::edge_counts>(made.parts.size())};
      for (std::size_t e = 0; e < edges.size(); ++e) {
        if (edges[e].type == t) {
          auto& part = of_type.parts[static_cast<std::size_t>(ends[e].second)];
          for (auto* const counted : {&part, static_cast<glt::detail::edge_counts*>(&of_type)}) {
            ++counted->num_edges;
            counted->num_cut_edges += ends[e].first != ends[e].second ? 1 : 0;
          }
        }
      }
      made.edge_types.push_back(of_type);
    }
    return made;
  }

private:
  void fill(glt::detail::part_table& table, int type) const {
    for (int part = 0; part < num_parts; ++part) {
      table.parts.push_back(counts(part, type));
      static_cast<glt::detail::part_counts&>(table) += table.parts.back();
    }
  }

  std::vector<std::pair<int, int>> ends; // parts of the edges' ends
};

} // namespace glt_test

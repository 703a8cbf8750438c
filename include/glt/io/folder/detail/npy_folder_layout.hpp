// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/data_set_view.hpp>
#include <glt/io/folder/detail/npy_folder_tables.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glt::io::detail {

// Checks a name that becomes part of a file name; names of features end at the first dot.
inline void check_file_name(std::string const& name, char const* what, std::string_view forbidden) {
  if (name.empty() || name.find_first_of(forbidden) != std::string::npos || name.find('\0') != std::string::npos) {
    throw precondition_error(glt::detail::message(what, " '", name, "', which makes no name of a file; rename it"));
  }
}

inline std::vector<std::string> feature_names(std::span<named_array const> features) {
  std::vector<std::string> names;
  for (auto const& feature : features) {
    check_file_name(feature.name, "feature", "/.");
    if (feature.values.shape().empty()) {
      throw precondition_error("feature '" + feature.name + "' is a single number; give one row per vertex or edge");
    }
    names.push_back(feature.name);
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw precondition_error("two features '" + names.front() + "' or another of one name; rename one");
  }
  return names;
}

inline void check_splits(std::vector<link_split_view> const& links) {
  constexpr std::array<std::string_view, 3> known{"train", "valid", "test"};
  auto const* next = known.begin();
  for (auto const& split : links) {
    auto const* const found = std::find(next, known.end(), split.name);
    if (found == known.end()) {
      throw precondition_error("link split '" + split.name +
                               "'; a folder of arrays holds train, valid and test, each once and in this order");
    }
    next = found + 1;
  }
}

/// Returns the types of a data set and the names of their features.
///
/// @throws precondition_error  as `write_npy_folder`, for types, names and link splits
inline npy_folder_tables tables_of(data_set_view const& data) {
  npy_folder_tables made;
  std::set<std::string> suffixes;
  for (auto const& nodes : data.nodes) {
    check_file_name(nodes.name, "vertices of the type", "/");
    made.nodes.push_back({.name = nodes.name, .features = feature_names(nodes.features)});
    if (!suffixes.insert(suffix_of(made.nodes.back())).second) {
      throw precondition_error("two types of vertices '" + nodes.name + "'; rename one");
    }
  }
  suffixes.clear();
  for (auto const& edges : data.edges) {
    made.edges.push_back({.source = edges.source,
                          .name = edges.name,
                          .destination = edges.destination,
                          .features = feature_names(edges.features)});
    for (auto const& name : {edges.source, edges.name, edges.destination}) {
      check_file_name(name, "edges of the type", "/");
    }
    if (!suffixes.insert(suffix_of(made.edges.back())).second) {
      throw precondition_error("two types of edges whose files are called '" + suffix_of(made.edges.back()) +
                               "'; rename one");
    }
    for (auto const& end : {edges.source, edges.destination}) {
      if (std::ranges::find(made.nodes, end, &npy_node_table::name) == made.nodes.end()) {
        throw precondition_error("edges of the vertex type '" + end + "', which is not in the data set; add it");
      }
    }
    check_splits(edges.links);
  }
  if (made.edges.empty()) {
    throw precondition_error("data set without edges; a folder of arrays has one type of edges or more");
  }
  return made;
}

// Returns the tables that a reader would derive from the names of the files alone.
inline npy_folder_tables tables_by_names(npy_folder_tables const& tables) {
  npy_folder_tables made;
  auto const usual = [](std::vector<std::string> const& features, char const* name) {
    return features.empty() ? features : std::vector<std::string>{name};
  };
  std::set<std::string> ends;
  for (auto const& table : tables.edges) {
    ends.insert({table.source, table.destination});
    made.edges.push_back(table);
    made.edges.back().features = usual(table.features, "edge_feat");
  }
  for (auto const& table : tables.nodes) {
    if (ends.contains(table.name)) {
      made.nodes.push_back({.name = table.name, .features = usual(table.features, "node_feat")});
    }
  }
  std::ranges::sort(made.nodes, {}, &npy_node_table::name);
  std::ranges::sort(made.edges, {}, [](npy_edge_table const& table) { return suffix_of(table); });
  return made;
}

/// True if the names of the files do not give these tables.
inline bool needs_tables(npy_folder_tables const& tables) {
  auto const cuts_otherwise = [](npy_edge_table const& table) {
    auto const joined = suffix_of(table).substr(1);
    auto const first = joined.find("__");
    auto const second = joined.find("__", first + 2);
    return first != table.source.size() || second != first + 2 + table.name.size() ||
           joined.find("__", second + 2) != std::string::npos ||
           (table.name.starts_with('_') && table.destination.starts_with('_'));
  };
  return tables != tables_by_names(tables) || std::ranges::any_of(tables.edges, cuts_otherwise);
}

/// Returns a fingerprint of types, features and link splits, which is equal on ranks that agree on them.
inline std::int64_t layout_fingerprint(data_set_view const& data) {
  glt::detail::fingerprint contents;
  auto const add = [&](std::string_view text) {
    contents.add(std::ssize(text));
    for (char const letter : text) {
      contents.add(letter);
    }
  };
  for (auto const& nodes : data.nodes) {
    add(nodes.name);
    contents.add(nodes.num_nodes).add(std::ssize(nodes.features));
  }
  for (auto const& edges : data.edges) {
    add(edges.source + "/" + edges.name + "/" + edges.destination);
    contents.add(std::ssize(edges.features)).add(std::ssize(edges.links));
  }
  return contents.value();
}

/// Throws if an array does not have one row per described vertex or edge.
inline void check_rows_of(data_set_view const& data) {
  auto const check = [](std::string const& what, std::int64_t rows, std::int64_t wanted) {
    if (rows != wanted) {
      throw precondition_error(glt::detail::message(what, " of ", rows, " rows for ", wanted, "; give one for each"));
    }
  };
  for (auto const& nodes : data.nodes) {
    auto const of_type = " of vertices '" + nodes.name + "'";
    if (nodes.num_nodes < 0) {
      throw precondition_error(glt::detail::message(nodes.num_nodes, of_type, "; give 0 or more"));
    }
    for (auto const& feature : nodes.features) {
      check("feature '" + feature.name + "'" + of_type, feature.values.rows(), nodes.num_nodes);
    }
    check("labels" + of_type, nodes.labels.shape().empty() ? nodes.num_nodes : nodes.labels.rows(), nodes.num_nodes);
    check("times" + of_type, nodes.times.empty() ? nodes.num_nodes : std::ssize(nodes.times), nodes.num_nodes);
  }
  for (auto const& edges : data.edges) {
    auto const of_type = " of edges '" + edges.source + " " + edges.name + " " + edges.destination + "'";
    auto const& columns = edges.columns;
    auto const num_edges = columns.sources.size();
    check("destinations" + of_type, columns.destinations.size(), num_edges);
    check("weights" + of_type, columns.weights.empty() ? num_edges : columns.weights.size(), num_edges);
    check("times" + of_type, columns.times.empty() ? num_edges : columns.times.size(), num_edges);
    for (auto const& feature : edges.features) {
      check("feature '" + feature.name + "'" + of_type, feature.values.rows(), num_edges);
    }
    for (auto const& split : edges.links) {
      for (auto const& pairs : {split.edges, split.negatives}) {
        check("destinations of the link split '" + split.name + "'" + of_type, pairs.destinations.size(),
              pairs.sources.size());
      }
    }
  }
}

} // namespace glt::io::detail

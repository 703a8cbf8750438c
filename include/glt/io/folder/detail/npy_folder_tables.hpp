// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/libraries.hpp>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

namespace glt::io::detail {

/// Returns the content of a file meta.json; nothing if there is none.
///
/// @throws io_error  if the file is not JSON, or has more than a megabyte
inline nlohmann::json read_meta(std::filesystem::path const& path) {
  std::error_code fault;
  if (!std::filesystem::exists(path, fault)) {
    return {};
  }
  input_file file(path);
  if (file.size() > std::int64_t{1} << 20) {
    file.fail(0, "has more than a megabyte; a meta.json of a data set is short");
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(text.data(), file.size());
  auto meta = nlohmann::json::parse(text, nullptr, false);
  if (meta.is_discarded()) {
    file.fail(0, "is no JSON; repair or remove it");
  }
  return meta;
}

/// Reads the numbers of vertices by type from a file meta.json. `num_nodes` is a number, or an object of numbers by
/// type; `nodes` is a number. A graph without types has the type "node". Values that are not numbers are ignored.
///
/// @throws io_error  as `read_meta`, and for a number that no graph can have
inline std::map<std::string, std::int64_t> read_node_counts(std::filesystem::path const& path) {
  std::map<std::string, std::int64_t> counts;
  auto const meta = read_meta(path);
  auto const add = [&](std::string const& type, nlohmann::json const& count) {
    if (!count.is_number()) {
      return;
    }
    constexpr auto most = std::uint64_t{1} << 48;
    if (!count.is_number_unsigned() || count.get<std::uint64_t>() > most) {
      throw io_error(path.string(), 0,
                     glt::detail::message("says ", count.dump(), " vertices of type '", type,
                                          "'; give a whole number from 0 to ", most));
    }
    counts[type] = count.get<std::int64_t>();
  };
  if (meta.is_object() && meta.contains("num_nodes")) {
    auto const& all = meta["num_nodes"];
    add("node", all);
    if (all.is_object()) {
      for (auto const& [type, count] : all.items()) {
        add(type, count);
      }
    }
  } else if (meta.is_object() && meta.contains("nodes")) {
    add("node", meta["nodes"]);
  }
  return counts;
}

/// Entry of a vertex or edge type in meta.json of a folder of arrays.
struct npy_node_table {
  std::string name;
  std::vector<std::string> features{};
  friend bool operator==(npy_node_table const&, npy_node_table const&) = default;
};
struct npy_edge_table {
  std::string source;
  std::string name;
  std::string destination;
  std::vector<std::string> features{};
  friend bool operator==(npy_edge_table const&, npy_edge_table const&) = default;
};

/// Types in their order, and the names of their features.
struct npy_folder_tables {
  std::vector<npy_node_table> nodes{};
  std::vector<npy_edge_table> edges{};
  friend bool operator==(npy_folder_tables const&, npy_folder_tables const&) = default;

  /// True for a graph without types; its file names contain no type.
  [[nodiscard]] bool without_types() const {
    return nodes.size() == 1 && nodes[0].name == "node" && edges.size() == 1 && edges[0].source == "node" &&
           edges[0].name == "edge" && edges[0].destination == "node";
  }
};

/// Returns the suffix that a type adds to the names of its files.
inline std::string suffix_of(npy_node_table const& table) {
  return "." + table.name;
}
inline std::string suffix_of(npy_edge_table const& table) {
  return "." + table.source + "__" + table.name + "__" + table.destination;
}

/// Returns the kind of a feature's file. `kind` is node_feat or edge_feat, which is also the usual feature's name.
inline std::string feature_kind(std::string_view kind, std::string const& name) {
  return name == kind ? name : std::string(kind) + "@" + name;
}

/// Returns the tables that meta.json states under "tables"; nothing if it states none.
///
/// @throws io_error  as `read_meta`, and if the tables are not in the form of `tables_text`
inline std::optional<npy_folder_tables> read_npy_folder_tables(std::filesystem::path const& path) {
  auto const meta = read_meta(path);
  if (!meta.is_object() || !meta.contains("tables")) {
    return std::nullopt;
  }
  try {
    npy_folder_tables made;
    for (auto const& table : meta.at("tables").at("nodes")) {
      made.nodes.push_back({.name = table.at("type").get<std::string>(),
                            .features = table.at("features").get<std::vector<std::string>>()});
    }
    for (auto const& table : meta.at("tables").at("edges")) {
      auto const type = table.at("type").get<std::vector<std::string>>();
      if (type.size() != 3) {
        throw io_error(path.string(), 0, "has a type of edges that is not [source, relation, destination]; repair it");
      }
      made.edges.push_back({.source = type[0],
                            .name = type[1],
                            .destination = type[2],
                            .features = table.at("features").get<std::vector<std::string>>()});
    }
    return made;
  } catch (nlohmann::json::exception const& fault) {
    throw io_error(path.string(), 0,
                   std::string("has tables of another form (") + fault.what() + "); repair or remove the file");
  }
}

/// Returns the text of a meta.json that states these tables.
///
/// @throws precondition_error  if a name is not UTF-8
inline std::string tables_text(npy_folder_tables const& tables) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  nlohmann::ordered_json edges = nlohmann::ordered_json::array();
  for (auto const& table : tables.nodes) {
    nodes.push_back({{"type", table.name}, {"features", table.features}});
  }
  for (auto const& table : tables.edges) {
    std::vector<std::string> const type{table.source, table.name, table.destination};
    edges.push_back({{"type", type}, {"features", table.features}});
  }
  try {
    return nlohmann::ordered_json{{"tables", {{"nodes", nodes}, {"edges", edges}}}}.dump(1) + "\n";
  } catch (nlohmann::json::exception const&) {
    throw precondition_error("name of a type or feature that is not UTF-8; rename it");
  }
}

} // namespace glt::io::detail

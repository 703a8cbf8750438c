// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/io/detail/libraries.hpp>
#include <glt/io/parts/detail/parts_files.hpp>
#include <glt/io/parts/manifest.hpp>

#include <nlohmann/json.hpp>

namespace glt::io::detail {

/// Version of the format that is written, and the only one that is read.
inline constexpr int parts_version = 2;

using ordered_json = nlohmann::ordered_json;

inline constexpr std::string_view no_sum = "0000000000000000";

inline ordered_json json_of(std::vector<manifest_array> const& arrays) {
  auto list = ordered_json::array();
  for (auto const& array : arrays) {
    list.push_back({{"name", array.name},
                    {"file", feature_file(array.name)},
                    {"dtype", glt::detail::name_of(array.type)},
                    {"row_shape", array.row_shape}});
  }
  return list;
}

inline ordered_json json_of(manifest_nodes const& type) {
  ordered_json made{{"name", type.name},
                    {"folder", node_folder(type.name)},
                    {"num_nodes", type.num_vertices()},
                    {"offsets", type.offsets},
                    {"features", json_of(type.features)}};
  if (type.labels) {
    made["labels"] = {{"dtype", glt::detail::name_of(type.labels->type)}, {"row_shape", type.labels->row_shape}};
    if (type.label_values) {
      made["labels"]["lowest"] = type.label_values->lowest;
      made["labels"]["classes"] = type.label_values->classes;
    }
  }
  made["times"] = type.times;
  made["train"] = type.train;
  made["valid"] = type.valid;
  made["test"] = type.test;
  made["hot_rows"] = {{"number", type.hot}, {"features", type.hot_features}};
  return made;
}

inline ordered_json json_of(manifest_edges const& type) {
  auto links = ordered_json::array();
  for (auto const& split : type.links) {
    links.push_back({{"name", split.name}, {"edges", split.edges}, {"negatives", split.negatives}});
  }
  return {{"source", type.type.source},
          {"name", type.type.name},
          {"destination", type.type.destination},
          {"folder", edge_folder(type.type)},
          {"num_edges", type.num_edges()},
          {"edges", type.edges},
          {"weights", type.weights},
          {"times", type.times},
          {"features", json_of(type.features)},
          {"halo", type.halo},
          {"links", std::move(links)}};
}

// Puts lists of numbers on one line each; dump() writes one number a line.
inline std::string with_lists_on_lines(std::string const& text) {
  std::string made;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    made += text[i];
    if (quoted && text[i] == '\\') {
      made += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '[') {
      auto const end = text.find_first_not_of("0123456789, \n", i + 1);
      if (end != std::string::npos && text[end] == ']') {
        for (; i + 1 < end; ++i) {
          made += text[i + 1] == ','                          ? ", "
                  : text[i + 1] == ' ' || text[i + 1] == '\n' ? ""
                                                              : std::string(1, text[i + 1]);
        }
      }
    }
  }
  return made;
}

/// Returns the text of a manifest. Its last line is the checksum of the text, with zeros in place of the checksum.
///
/// @throws precondition_error  if a name is not UTF-8
[[nodiscard]] inline std::string to_json(manifest const& from) {
  ordered_json made{{"format", "glt-parts"}, {"version", parts_version}, {"name", from.name}};
  made["directions"] = {"in"};
  made["num_parts"] = from.num_parts();
  auto options = ordered_json::object();
  for (auto const& [name, value] : from.partitioner.options) {
    options[name] = value;
  }
  made["partitioner"] = {
      {"name", from.partitioner.name}, {"options", std::move(options)}, {"key", from.partitioner.key}};
  for (char const* list : {"node_types", "edge_types", "files"}) {
    made[list] = ordered_json::array();
  }
  for (auto const& type : from.nodes) {
    made["node_types"].push_back(json_of(type));
  }
  for (auto const& type : from.edges) {
    made["edge_types"].push_back(json_of(type));
  }
  for (auto const& file : from.files) {
    made["files"].push_back({{"path", file.path}, {"bytes", file.bytes}, {"xxh3", checksum_text(file.xxh3)}});
  }
  made["xxh3"] = no_sum;
  std::string text;
  try {
    text = with_lists_on_lines(made.dump(1, ' ')) + "\n";
  } catch (nlohmann::json::exception const& fault) {
    throw precondition_error(
        glt::detail::message("names of data set '", from.name, "' cannot be stored: ", fault.what()));
  }
  checksum sum;
  sum.add(text.data(), static_cast<std::int64_t>(text.size()));
  return text.replace(text.rfind(no_sum), no_sum.size(), checksum_text(sum.value()));
}

} // namespace glt::io::detail

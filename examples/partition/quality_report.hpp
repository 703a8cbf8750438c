// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "console.hpp"

#include <glt/core/error.hpp>
#include <glt/partition/quality/partition_quality.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

/// A count of a part: its key in JSON, its name in tables and in "balance", its member.
struct quality_count {
  char const* key;
  char const* name;
  std::int64_t glt::detail::part_counts::* member;
  bool of_seeds = false;
};
inline constexpr std::array<quality_count, 9> quality_counts{
    {{"num_vertices", "vertices", &glt::detail::part_counts::num_vertices},
     {"num_edges", "edges", &glt::detail::part_counts::num_edges},
     {"num_cut_edges", "cut", &glt::detail::part_counts::num_cut_edges},
     {"num_boundary_vertices", "boundary", &glt::detail::part_counts::num_boundary_vertices},
     {"halo_size", "halo", &glt::detail::part_counts::halo_size},
     {"communication_volume", "communication_volume", &glt::detail::part_counts::communication_volume},
     {"num_train", "train", &glt::detail::part_counts::num_train, true},
     {"num_valid", "valid", &glt::detail::part_counts::num_valid, true},
     {"num_test", "test", &glt::detail::part_counts::num_test, true}}};

inline nlohmann::ordered_json counts_object(glt::detail::part_counts const& counts) {
  nlohmann::ordered_json object;
  for (auto const& count : quality_counts) {
    object[count.key] = counts.*count.member;
  }
  return object;
}

inline nlohmann::ordered_json edges_object(glt::detail::edge_counts const& counts) {
  return {{"num_edges", counts.num_edges}, {"num_cut_edges", counts.num_cut_edges}};
}

// Adds the keys "total", "cut_fraction", "replication_factor", "balance" and "parts".
inline void add_table(nlohmann::ordered_json& object, glt::detail::part_table const& table) {
  object["total"] = counts_object(table);
  object["cut_fraction"] = table.cut_fraction();
  object["replication_factor"] = table.replication_factor();
  for (auto const& count : quality_counts) {
    object["balance"][count.name] = table.balance(count.member);
  }
  object["parts"] = nlohmann::ordered_json::array();
  for (auto const& part : table.parts) {
    object["parts"].push_back(counts_object(part));
  }
}

/// Returns the quality of a partition as a JSON object, as docs/guides/partitioning.md describes it.
inline nlohmann::ordered_json quality_object(glt::partition_quality const& quality) {
  auto const list = nlohmann::ordered_json::array();
  nlohmann::ordered_json object{{"num_parts", quality.num_parts()}};
  add_table(object, quality);
  object["smallest_part"] = quality.smallest_part;
  object["largest_part"] = quality.largest_part;
  object["edges_between"] = list;
  for (auto row = quality.edges_between.begin(); row != quality.edges_between.end(); row += quality.num_parts()) {
    object["edges_between"].push_back(std::vector<std::int64_t>(row, row + quality.num_parts()));
  }
  object["node_types"] = list;
  for (auto const& type : quality.node_types) {
    add_table(object["node_types"].emplace_back(nlohmann::ordered_json{{"name", type.name}}), type);
  }
  object["edge_types"] = list;
  for (auto const& counted : quality.edge_types) {
    auto of_type = edges_object(counted);
    of_type["source"] = counted.type.source;
    of_type["name"] = counted.type.name;
    of_type["destination"] = counted.type.destination;
    of_type["cut_fraction"] = counted.cut_fraction();
    of_type["parts"] = list;
    for (auto const& part : counted.parts) {
      of_type["parts"].push_back(edges_object(part));
    }
    object["edge_types"].push_back(std::move(of_type));
  }
  return object;
}

/// Returns the quality of a partition as JSON text. Bytes of a name that are not UTF-8 become U+FFFD.
inline std::string quality_json(glt::partition_quality const& quality) {
  return quality_object(quality).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

using table_row = std::vector<std::string>;

/// Returns rows as lines. Columns are aligned to the right, the first one to the left.
inline std::string aligned(std::vector<table_row> const& rows) {
  auto const width_of = [](std::string const& cell) { // bytes that continue a character of UTF-8 take no place
    return static_cast<std::size_t>(std::ranges::count_if(cell, [](char c) { return (c & 0xC0) != 0x80; }));
  };
  std::vector<std::size_t> widths;
  for (auto const& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], width_of(row[c]));
    }
  }
  std::string text;
  for (auto const& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string const gap(widths[c] - width_of(row[c]), ' ');
      text += c == 0 ? row[c] + gap : "  " + gap + row[c];
    }
    text.erase(text.find_last_not_of(' ') + 1) += '\n';
  }
  return text;
}

/// Returns the quality of a partition as plain text: a row per part, totals, max/mean, and tables of types where there
/// are any. Columns of seeds appear if there are seeds.
inline std::string quality_table(glt::partition_quality const& quality) {
  auto const row_of = [&](std::string name, std::string share, auto cell) {
    table_row row{std::move(name)};
    for (auto const& count : quality_counts) {
      if (!count.of_seeds || quality.*count.member > 0) {
        row.push_back(cell(count));
      }
    }
    row.push_back(std::move(share));
    return row;
  };
  auto const head_of = [&](char const* name) {
    return row_of(name, "cut %", [](quality_count const& count) { return std::string(count.name); });
  };
  auto const percent = [](glt::detail::edge_counts const& edges) { return fixed(100 * edges.cut_fraction(), 1); };
  auto const counts_of = [&](std::string name, glt::detail::part_counts const& counts) {
    return row_of(std::move(name), percent(counts),
                  [&](quality_count const& count) { return std::to_string(counts.*count.member); });
  };
  std::vector<table_row> parts{head_of("part")};
  std::vector<table_row> vertices{{"vertices of part"}};
  for (std::size_t p = 0; p < quality.parts.size(); ++p) {
    parts.push_back(counts_of(std::to_string(p), quality.parts[p]));
    vertices.push_back({std::to_string(p)});
  }
  parts.push_back(counts_of("total", quality));
  parts.push_back(
      row_of("max/mean", "", [&](quality_count const& count) { return fixed(quality.balance(count.member), 3); }));
  vertices.push_back({"max/mean"});
  auto text = aligned(parts) + glt::detail::message("\nreplication factor ", fixed(quality.replication_factor(), 3),
                                                    ", communication volume ", quality.communication_volume, ", ",
                                                    quality.num_cut_edges, " of ", quality.num_edges, " edges cut (",
                                                    percent(quality), " %)\n");
  if (!quality.node_types.empty()) {
    std::vector<table_row> types{head_of("node type")};
    for (auto const& type : quality.node_types) {
      types.push_back(counts_of(type.name, type));
      vertices.front().push_back(type.name);
      for (std::size_t p = 0; p < type.parts.size(); ++p) {
        vertices[p + 1].push_back(std::to_string(type.parts[p].num_vertices));
      }
      vertices.back().push_back(fixed(type.balance(&glt::detail::part_counts::num_vertices), 3));
    }
    text += "\n" + aligned(types) + "\n" + aligned(vertices);
  }
  if (!quality.edge_types.empty()) {
    std::vector<table_row> types{{"edge type", "edges", "cut", "cut %"}};
    for (auto const& counted : quality.edge_types) {
      auto const& [source, name, destination] = counted.type;
      types.push_back({glt::detail::message("(", source, ", ", name, ", ", destination, ")"),
                       std::to_string(counted.num_edges), std::to_string(counted.num_cut_edges), percent(counted)});
    }
    text += "\n" + aligned(types);
  }
  return text;
}

} // namespace glt_partition

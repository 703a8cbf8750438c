// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/libraries.hpp>
#include <glt/partition/quality/partition_quality.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace glt::io {

namespace detail {

inline nlohmann::ordered_json counts_object(glt::detail::part_counts const& counts) {
  return {{"num_vertices", counts.num_vertices},
          {"num_edges", counts.num_edges},
          {"num_cut_edges", counts.num_cut_edges},
          {"num_boundary_vertices", counts.num_boundary_vertices},
          {"halo_size", counts.halo_size},
          {"communication_volume", counts.communication_volume},
          {"num_train", counts.num_train},
          {"num_valid", counts.num_valid},
          {"num_test", counts.num_test}};
}

inline nlohmann::ordered_json edges_object(glt::detail::edge_counts const& counts) {
  return {{"num_edges", counts.num_edges}, {"num_cut_edges", counts.num_cut_edges}};
}

// Appends the keys "total", "cut_fraction", "replication_factor", "balance" and "parts".
inline void add_table(nlohmann::ordered_json& object, glt::detail::part_table const& table) {
  object["total"] = counts_object(table);
  object["cut_fraction"] = table.cut_fraction();
  object["replication_factor"] = table.replication_factor();
  object["balance"] = {{"vertices", table.balance(&partition_quality::num_vertices)},
                       {"edges", table.balance(&partition_quality::num_edges)},
                       {"halo", table.balance(&partition_quality::halo_size)},
                       {"communication_volume", table.balance(&partition_quality::communication_volume)},
                       {"train", table.balance(&partition_quality::num_train)},
                       {"valid", table.balance(&partition_quality::num_valid)},
                       {"test", table.balance(&partition_quality::num_test)}};
  object["parts"] = nlohmann::ordered_json::array();
  for (auto const& part : table.parts) {
    object["parts"].push_back(counts_object(part));
  }
}

/// Returns the quality of a partition as a JSON object, to write or to put into another object.
///
/// - `num_parts`
/// - `total`, and per part `parts`: `num_vertices`, `num_edges`, `num_cut_edges`, `num_boundary_vertices`,
///   `halo_size`, `communication_volume`, `num_train`, `num_valid`, `num_test`, as `part_counts` defines them
/// - `cut_fraction`, `replication_factor`
/// - `balance`: the largest by the mean of `vertices`, `edges`, `halo`, `communication_volume`, `train`,
///   `valid`, `test`
/// - `smallest_part`, `largest_part`: vertices
/// - `edges_between`: row i, column j: edges from part i to part j
/// - `node_types`: per type `name` and, of its vertices alone, `total` … `parts` as above
/// - `edge_types`: per type `source`, `name`, `destination`, `num_edges`, `num_cut_edges`, `cut_fraction` and,
///   per part, `parts` with `num_edges` and `num_cut_edges`
[[nodiscard]] inline nlohmann::ordered_json quality_object(partition_quality const& quality) {
  nlohmann::ordered_json object;
  object["num_parts"] = quality.num_parts();
  detail::add_table(object, quality);
  object["smallest_part"] = quality.smallest_part;
  object["largest_part"] = quality.largest_part;
  object["edges_between"] = nlohmann::ordered_json::array();
  for (int from = 0; from < quality.num_parts(); ++from) {
    auto row = nlohmann::ordered_json::array();
    for (int to = 0; to < quality.num_parts(); ++to) {
      row.push_back(quality.edges(from, to));
    }
    object["edges_between"].push_back(std::move(row));
  }
  object["node_types"] = nlohmann::ordered_json::array();
  for (auto const& type : quality.node_types) {
    nlohmann::ordered_json of_type{{"name", type.name}};
    detail::add_table(of_type, type);
    object["node_types"].push_back(std::move(of_type));
  }
  object["edge_types"] = nlohmann::ordered_json::array();
  for (auto const& counted : quality.edge_types) {
    nlohmann::ordered_json of_type{{"source", counted.type.source},           {"name", counted.type.name},
                                   {"destination", counted.type.destination}, {"num_edges", counted.num_edges},
                                   {"num_cut_edges", counted.num_cut_edges},  {"cut_fraction", counted.cut_fraction()}};
    of_type["parts"] = nlohmann::ordered_json::array();
    for (auto const& part : counted.parts) {
      of_type["parts"].push_back(detail::edges_object(part));
    }
    object["edge_types"].push_back(std::move(of_type));
  }
  return object;
}

} // namespace detail

/// Returns the quality of a partition as JSON text, with the keys of `quality_object`.
///
/// Bytes of a name that are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string quality_json(partition_quality const& quality) {
  return detail::quality_object(quality).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace glt::io

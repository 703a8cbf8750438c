// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_convert.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/parts/parts_content.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/graph_part.hpp>

namespace glt::io {

/// One part of a graph without types, with the data of its vertices and edges.
struct loaded_part {
  graph_part<device::cpu> graph;
  feature_store<device::cpu, float> features; ///< one array of features, and the labels if they are whole numbers
  std::vector<global_id> train;               ///< global ids (after partitioning) of this part's training vertices
  std::vector<global_id> valid;
  std::vector<global_id> test;
  std::vector<named_array> more_features{};  ///< [rows, …] all other arrays of features, in their types
  array targets{};                           ///< [rows, …] labels that are not one whole number a vertex
  buffer<device::cpu, std::int64_t> times{}; ///< [rows] or empty
  hot_rows hot{};
  detail::part_edges edges{}; ///< by position in the rows of `graph`
  std::string feature{};      ///< the name of `features`; empty if there are none
};

namespace detail {

inline bool is_whole(element_type type) noexcept {
  return type != element_type::float16 && type != element_type::bfloat16 && type != element_type::float32 &&
         type != element_type::float64;
}

// Removes the array of features of that name from a list and returns it. An empty name selects the first array of two
// dimensions. Returns an array without shape if there is none.
inline named_array extract_features(std::vector<named_array>& all, std::string const& name) {
  auto const wanted = std::ranges::find_if(
      all, [&](named_array const& one) { return name.empty() ? one.values.shape().size() == 2 : one.name == name; });
  if (wanted == all.end()) {
    if (!name.empty()) {
      throw precondition_error("no features '" + name + "'; name some that the data set has, or none for the first");
    }
    return {};
  }
  auto taken = std::move(*wanted);
  all.erase(wanted);
  return taken;
}

/// Makes a `loaded_part` of a part with one type of vertices and one of edges.
///
/// Features of float32 are moved, others are converted. `feature` names the features to use; if empty, the first array
/// of two dimensions is used.
///
/// @throws precondition_error  if there are more types, or no features of that name
[[nodiscard]] inline loaded_part make_loaded_part(part_content content, std::string const& feature = {}) {
  auto& graph = content.graph;
  if (content.nodes.size() != 1 || content.edges.size() != 1) {
    throw precondition_error(glt::detail::message("a graph of ", content.nodes.size(), " node types and ",
                                                  content.edges.size(),
                                                  " edge types has no form without types; use load_hetero"));
  }
  auto& nodes = content.nodes[0];
  auto const rows = graph.books[0].size(graph.part);
  auto chosen = detail::extract_features(nodes.features, feature);
  auto const columns = chosen.values.shape().empty() ? 0 : chosen.values.columns();
  buffer<device::cpu, glt::detail::label_type> labels;
  array targets;
  if (detail::is_whole(nodes.labels.type()) && !nodes.labels.shape().empty() && nodes.labels.columns() == 1) {
    labels = convert<glt::detail::label_type>(std::move(nodes.labels));
  } else {
    targets = std::move(nodes.labels);
  }
  return {.graph = {std::move(graph.books[0]), graph.part, std::move(graph.relations[0]), std::move(graph.original[0])},
          .features = {rows, columns, convert<float>(std::move(chosen.values)), std::move(labels)},
          .train = std::move(nodes.train),
          .valid = std::move(nodes.valid),
          .test = std::move(nodes.test),
          .more_features = std::move(nodes.features),
          .targets = std::move(targets),
          .times = std::move(nodes.times),
          .hot = std::move(nodes.hot),
          .edges = std::move(content.edges[0]),
          .feature = std::move(chosen.name)};
}

} // namespace detail

} // namespace glt::io

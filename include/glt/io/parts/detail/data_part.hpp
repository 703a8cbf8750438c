// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/name_list.hpp>
#include <glt/core/detail/visit_element.hpp>
#include <glt/core/element_type.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_convert.hpp>
#include <glt/io/parts/detail/parts_content.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/memory.hpp>

namespace glt::io::detail {

// Adds an array in its type and without a copy. Rows of arrays with more than two dimensions are flattened.
inline void add_array(feature_table<device::cpu>& table, std::string name, array values) {
  auto const rows = values.rows();
  auto const columns = values.columns();
  glt::detail::visit_element(values.type(), [&]<class T>(std::type_identity<T>) {
    table.add(std::move(name), feature_store<device::cpu, T>(rows, columns, std::move(values).template take<T>()));
  });
}

// Makes one table of arrays of the same vertices or edges. The array `x` becomes "x", as float32 if asked for.
inline feature_table<device::cpu> make_table(std::int64_t num_rows, std::vector<raw_data::named_array> arrays,
                                             std::string const& x = {}, bool as_float = false) {
  feature_table<device::cpu> table(num_rows);
  for (auto& [name, values] : arrays) {
    if (name == x && as_float && values.type() != element_type::float32) {
      auto const columns = values.columns();
      table.add("x", feature_store<device::cpu, float>(num_rows, columns, convert<float>(std::move(values))));
    } else {
      add_array(table, name == x ? "x" : std::move(name), std::move(values));
    }
  }
  return table;
}

// Returns the name of the array that becomes the features "x": the requested name, else "x", else the first array of
// two dimensions; empty if there is none.
inline std::string name_of_x(std::vector<raw_data::named_array> const& all, std::string const& wanted) {
  auto const named = [&](std::string const& name) {
    return std::ranges::find(all, name, &raw_data::named_array::name);
  };
  auto found = named(wanted.empty() ? "x" : wanted);
  if (found == all.end() && wanted.empty()) {
    found = std::ranges::find_if(all, [](raw_data::named_array const& one) { return one.values.shape().size() == 2; });
  }
  return found == all.end() ? std::string() : found->name;
}

// Adds labels as "y": of int64 if they are one whole number a vertex.
inline void add_labels(feature_table<device::cpu>& table, array labels) {
  auto const type = labels.type();
  bool const whole = type != element_type::float16 && type != element_type::bfloat16 && type != element_type::float32 &&
                     type != element_type::float64;
  if (labels.shape().empty()) {
    return;
  }
  if (whole && labels.columns() == 1) {
    table.add("y",
              feature_store<device::cpu, std::int64_t>(table.num_rows(), 1, convert<std::int64_t>(std::move(labels))));
  } else {
    add_array(table, "y", std::move(labels));
  }
}

inline dist::vertex_data<device::cpu> make_vertex_data(std::int64_t num_rows, part_nodes nodes, std::string const& x,
                                                       bool as_float) {
  dist::vertex_data<device::cpu> made{.tensors = make_table(num_rows, std::move(nodes.features), x, as_float),
                                      .splits = {},
                                      .times = std::move(nodes.times)};
  add_labels(made.tensors, std::move(nodes.labels));
  if (!nodes.train.empty() || !nodes.valid.empty() || !nodes.test.empty()) {
    made.splits = {
        {"train", std::move(nodes.train)}, {"valid", std::move(nodes.valid)}, {"test", std::move(nodes.test)}};
  }
  if (!nodes.hot.ids.empty()) {
    made.hot_tensors = make_table(nodes.hot.ids.size(), std::move(nodes.hot.features), x, as_float);
    made.hot_vertices = std::move(nodes.hot.ids);
  }
  return made;
}

/// Makes the part of a `dist::data_set` of a part that was loaded. Features without types become float32, without a
/// copy if they are.
///
/// @throws precondition_error  listing the names, if no type has the features that `options` name
/// @cost   a copy of features and labels that are converted, and of the times if they become tensors
[[nodiscard]] inline dist::data_part<device::cpu> make_data_part(part_content content, load_options const& options) {
  std::vector<std::string> names;
  std::vector<std::string> xs;
  for (auto const& nodes : content.nodes) {
    xs.push_back(name_of_x(nodes.features, options.features));
    for (auto const& each : nodes.features) {
      names.push_back(each.name);
    }
  }
  if (!options.features.empty() && std::ranges::find(names, options.features) == names.end()) {
    throw precondition_error(
        glt::detail::message("no features \"", options.features, "\"; there are ", glt::detail::name_list(names)));
  }
  dist::data_part<device::cpu> made(std::move(content.graph));
  for (std::size_t t = 0; t < xs.size(); ++t) {
    made.vertices[t] =
        make_vertex_data(made.graph.books[t].size(made.graph.part), std::move(content.nodes[t]), xs[t], xs.size() == 1);
  }
  for (std::size_t e = 0; e < made.edges.size(); ++e) {
    auto& edges = content.edges[e];
    if (options.edge_tensors) {
      made.edges[e].tensors = make_table(made.graph.relations[e].view().num_edges(), std::move(edges.features));
      if (auto const times = std::as_const(edges.times).view(); !times.empty()) {
        add_array(made.edges[e].tensors, "time", array::of(times));
      }
    }
    made.edges[e].weights = std::move(edges.weights);
    made.edges[e].times = std::move(edges.times);
    made.edges[e].links = std::move(edges.links);
  }
  return made;
}

} // namespace glt::io::detail

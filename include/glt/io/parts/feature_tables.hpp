// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/visit_element.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/parts/parts_content.hpp>
#include <glt/memory/memory.hpp>

namespace glt::io {

namespace detail {

inline void add_array(feature_table<device::cpu>& table, std::string name, array values) {
  auto const rows = values.rows();
  auto const columns = values.columns();
  glt::detail::visit_element(values.type(), [&]<class T>(std::type_identity<T>) {
    table.add(std::move(name), feature_store<device::cpu, T>(rows, columns, std::move(values).template take<T>()));
  });
}

/// Makes one table of arrays of the same vertices or edges, in their types and without a copy. Rows of arrays with more
/// than two dimensions are flattened.
///
/// @shape  arrays [num_rows, …] each
/// @throws precondition_error  if an array has another number of rows, or a name comes twice
[[nodiscard]] inline feature_table<device::cpu> make_feature_table(std::int64_t num_rows,
                                                                   std::vector<named_array> arrays) {
  feature_table<device::cpu> table(num_rows);
  for (auto& [name, values] : arrays) {
    add_array(table, std::move(name), std::move(values));
  }
  return table;
}

} // namespace detail

/// Moves all features of a vertex type out of a part, and the labels, if there are some, as "label"; for
/// `dist::named_features`.
///
///     auto part = glt::io::load_hetero_for_rank(folder, comm.rank(), comm.size());
///     glt::dist::named_features const features(comm, part.graph.books[0], glt::io::extract_node_features(part));
///
/// @pre    there is such a type; not checked
/// @throws precondition_error  as `make_feature_table`, if features are called "label" and there are labels
[[nodiscard]] inline feature_table<device::cpu> extract_node_features(part_content& part, int type = 0) {
  auto const t = static_cast<std::size_t>(type);
  auto& nodes = part.nodes[t];
  auto table = detail::make_feature_table(part.graph.books[t].size(part.graph.part), std::move(nodes.features));
  nodes.features.clear();
  if (!nodes.labels.shape().empty()) {
    detail::add_array(table, "label", std::exchange(nodes.labels, {}));
  }
  return table;
}

/// Moves all features of an edge type out of a part, with the edge ids and, as "time", any times; for
/// `dist::named_features`. The part keeps its times as well, because rules read them.
///
///     glt::dist::named_features const timed(comm, part.graph.books[0], glt::io::extract_edge_features(part));
///     recipe.with(timed, {{.name = "time"}}); // batch.edge_tensors["time"]
///
/// @pre    there is such a type; not checked
/// @throws precondition_error  as `make_feature_table`, if features are called "time" and there are times
/// @cost   a copy of the edge ids and times, and the table that finds them
[[nodiscard]] inline feature_table<device::cpu> extract_edge_features(part_content& part, int type = 0) {
  auto const e = static_cast<std::size_t>(type);
  auto const graph = part.graph.relations[e].view();
  auto table = detail::make_feature_table(graph.num_edges(), std::exchange(part.edges[e].features, {}));
  if (auto const times = std::as_const(part.edges[e].times).view(); !times.empty()) {
    detail::add_array(table, "time", array::of(times));
  }
  return {make_buffer<device::cpu>(graph.edge_ids()), std::move(table)};
}

} // namespace glt::io

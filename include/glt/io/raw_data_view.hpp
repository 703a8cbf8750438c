// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/raw_data.hpp>

namespace glt::io {

namespace detail {

/// Borrowed edges of one type, for example from mapped files; the position of an edge is its id.
///
/// @shape  sources, destinations [E] · weights [E] or empty · times [E] or empty
struct edge_columns {
  host_view<global_id const> sources;
  host_view<global_id const> destinations;
  host_view<float const> weights{};
  host_view<std::int64_t const> times{};
};

/// Borrowed vertex pairs; see `vertex_pairs`.
struct vertex_pairs_view {
  host_view<global_id const> sources{};
  host_view<global_id const> destinations{};
};

/// Borrowed link split; see `link_split`.
struct link_split_view {
  std::string name;
  vertex_pairs_view edges{};
  vertex_pairs_view negatives{};
};

/// Borrowed edges of one type with all their data; see `edge_table`.
struct edge_table_view {
  std::string source;
  std::string name;
  std::string destination;
  edge_columns columns;
  std::span<raw_data::named_array const> features{};
  std::vector<link_split_view> links{};
  std::string file{}; ///< file of the ends, for errors; empty in memory
};

} // namespace detail

/// Borrowed data set: a `raw_data` in memory, or a `mapped_raw_data` whose arrays stay in files.
struct raw_data_view {
  std::string name;
  std::span<raw_data::node_table const> nodes;
  std::vector<detail::edge_table_view> edges{};
  detail::input_watch const* inputs = nullptr; ///< files of the arrays, which must not change
};

/// Borrows the edges of a table, which must outlive the view.
[[nodiscard]] inline detail::edge_table_view view_of(raw_data::edge_table const& table) {
  auto const pairs = [](link_split::pairs const& from) {
    return detail::vertex_pairs_view{.sources = host_view<global_id const>(from.sources),
                                     .destinations = host_view<global_id const>(from.destinations)};
  };
  detail::edge_table_view made{.source = table.source,
                               .name = table.name,
                               .destination = table.destination,
                               .columns = {.sources = host_view<global_id const>(table.sources),
                                           .destinations = host_view<global_id const>(table.destinations),
                                           .weights = host_view<float const>(table.weights),
                                           .times = host_view<std::int64_t const>(table.times)},
                               .features = table.features};
  for (auto const& split : table.links) {
    made.links.push_back({split.name, pairs(split.edges), pairs(split.negatives)});
  }
  return made;
}

/// Borrows a data set, which must outlive the view.
[[nodiscard]] inline raw_data_view view_of(raw_data const& data) {
  raw_data_view made{.name = data.name, .nodes = data.nodes};
  for (auto const& table : data.edges) {
    made.edges.push_back(view_of(table));
  }
  return made;
}

namespace detail {

/// Returns the types of a data set, in its order.
///
/// @throws precondition_error  as `hetero_schema`
[[nodiscard]] inline hetero_schema schema_of(raw_data_view const& data) {
  std::vector<node_type> nodes;
  std::vector<edge_type> edges;
  for (auto const& table : data.nodes) {
    nodes.push_back({table.name, table.num_nodes});
  }
  for (auto const& table : data.edges) {
    edges.push_back({table.source, table.name, table.destination});
  }
  return {std::move(nodes), std::move(edges)};
}

} // namespace detail

} // namespace glt::io

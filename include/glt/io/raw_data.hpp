// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/coo.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/detail/input_watch.hpp>

#include <functional>

namespace glt::io {

/// Progress of a long task.
///
/// @units  done and total count units named by `unit`, such as "bytes"; total is 0 if it is not known
struct task_progress {
  /// Callback of the thread that started the task, called now and then; may throw to end the task.
  using callback = std::function<void(task_progress const&)>;

  std::string_view what; ///< such as "reading edges"
  std::string_view unit;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// Options of readers of text.
struct read_options {
  int threads = 1;
  task_progress::callback on_progress{};
};

namespace detail {

struct edge_table_view;

} // namespace detail

struct raw_data_view;

/// Whole data set in memory, as readers return it and partitioning takes it.
///
/// A graph without types has one table of vertices and one of edges.
struct raw_data {
  /// One of several arrays that describe the same vertices or edges.
  struct named_array {
    std::string name;
    array values; ///< one row per vertex or edge
  };

  /// Vertices of one type.
  ///
  /// @shape  features [num_nodes, …] each · labels [num_nodes] or empty · times [num_nodes] or empty
  struct node_table {
    std::string name = "node";
    std::int64_t num_nodes = 0;
    std::vector<named_array> features{};
    array labels{}; ///< integers, or float targets
    std::vector<std::int64_t> times{};
    std::vector<global_id> train{}; ///< vertices of the split
    std::vector<global_id> valid{};
    std::vector<global_id> test{};
  };

  /// Edges of one type; the position of an edge is its id.
  ///
  /// @shape  sources, destinations [E] · features [E, …] each · weights [E] or empty · times [E] or empty
  struct edge_table {
    std::string source = "node"; ///< type of its source vertices
    std::string name = "edge";
    std::string destination = "node";
    std::vector<global_id> sources{};
    std::vector<global_id> destinations{};
    std::vector<named_array> features{};
    std::vector<float> weights{};
    std::vector<std::int64_t> times{};
    std::vector<link_split> links{};

    /// Borrows the edges; the table must outlive the view.
    [[nodiscard]] inline detail::edge_table_view view() const;
  };

  std::string name;
  std::vector<node_table> nodes{};
  std::vector<edge_table> edges{};

  /// Borrows the data set, which must outlive the view.
  [[nodiscard]] inline raw_data_view view() const;
};

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
  std::string file{}; ///< for errors; empty in memory
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
  using edge_table = detail::edge_table_view; ///< types, `columns` of ends, weights and times, features and links

  std::string name;
  std::span<raw_data::node_table const> nodes;
  std::vector<edge_table> edges{};
  detail::input_watch const* inputs = nullptr; ///< files of the arrays, which must not change
};

inline detail::edge_table_view raw_data::edge_table::view() const {
  auto const pairs = [](link_split::pairs const& from) {
    return detail::vertex_pairs_view{.sources = host_view<global_id const>(from.sources),
                                     .destinations = host_view<global_id const>(from.destinations)};
  };
  detail::edge_table_view made{.source = source,
                               .name = name,
                               .destination = destination,
                               .columns = {.sources = host_view<global_id const>(sources),
                                           .destinations = host_view<global_id const>(destinations),
                                           .weights = host_view<float const>(weights),
                                           .times = host_view<std::int64_t const>(times)},
                               .features = features};
  for (auto const& split : links) {
    made.links.push_back({split.name, pairs(split.edges), pairs(split.negatives)});
  }
  return made;
}

inline raw_data_view raw_data::view() const {
  raw_data_view made{.name = name, .nodes = nodes};
  for (auto const& table : edges) {
    made.edges.push_back(table.view());
  }
  return made;
}

namespace detail {

/// Returns the types of a data set, in its order.
///
/// @throws precondition_error  as `hetero_schema`
[[nodiscard]] inline hetero_schema schema_of(raw_data_view const& data) {
  std::vector<hetero_schema::node_type> nodes;
  std::vector<hetero_schema::edge_type> edges;
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/parts_content.hpp>
#include <glt/io/parts_cut.hpp>
#include <glt/io/parts_write.hpp>
#include <glt/io/progress.hpp>
#include <glt/memory/copy.hpp>
#include <glt/partition/relabel.hpp>
#include <glt/partition/split.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace glt::io {

/// Vertices of other parts whose rows parts keep, by part and hottest first; original ids.
struct hot_vertices {
  int node_type = 0;
  std::vector<std::vector<global_id>> by_part;
  std::vector<std::string> features{}; ///< which ones are kept; all if none is named
};

/// What `write_parts` writes beside the data set.
struct write_options {
  partitioner_note partitioner{};
  std::vector<hot_vertices> hot{};
  bool halo = false; ///< store which remote vertices a part touches
  progress_callback on_progress{};
};

namespace detail {

// Cuts the parts of a data set.
class data_set_cutter {
public:
  data_set_cutter(data_set const& data, std::span<relabelling const> labels, write_options const& options)
      : data_(data), labels_(labels), options_(options), schema_(schema_of(data)) {
    if (labels.size() != data.nodes.size() || labels.empty()) {
      throw precondition_error(glt::detail::message(labels.size(), " relabellings for ", data.nodes.size(),
                                                    " node types; give one per type, for 1 type or more"));
    }
    for (std::size_t t = 0; t < labels.size(); ++t) {
      check(data.nodes[t], labels[t]);
    }
    for (std::size_t e = 0; e < data.edges.size(); ++e) {
      cutters_.emplace_back(data.edges[e], of_source(e), of_destination(e));
      check(data.edges[e], e);
    }
    check_hot();
  }

  [[nodiscard]] int num_parts() const { return labels_[0].book.num_parts(); }

  [[nodiscard]] part_content cut(int part) {
    part_content made{.graph = {.schema = schema_, .books = {}, .part = part, .relations = {}, .original = {}},
                      .nodes = {},
                      .edges = {}};
    for (std::size_t t = 0; t < labels_.size(); ++t) {
      made.graph.books.push_back(labels_[t].book);
      made.graph.original.push_back(make_buffer<device::cpu>(glt::detail::originals_of(labels_[t], part)));
      made.nodes.push_back(cut_nodes(t, part, made.graph.original[t].view()));
    }
    for (std::size_t e = 0; e < cutters_.size(); ++e) {
      made.graph.relations.push_back(cutters_[e].cut(part));
      made.edges.push_back(cut_edges(e, part, made.graph.relations[e].view()));
    }
    return made;
  }

private:
  static hetero_schema schema_of(data_set const& data) {
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

  [[nodiscard]] relabelling const& of_source(std::size_t e) const {
    return labels_[static_cast<std::size_t>(schema_.source_type(static_cast<int>(e)))];
  }
  [[nodiscard]] relabelling const& of_destination(std::size_t e) const {
    return labels_[static_cast<std::size_t>(schema_.destination_type(static_cast<int>(e)))];
  }

  void check(node_table const& table, relabelling const& labels) const {
    auto const name = "node type '" + table.name + "'";
    glt::detail::check_split(labels, 0, table.num_nodes, name.c_str());
    if (labels.book.num_parts() != num_parts()) {
      throw precondition_error(glt::detail::message(name, " is in ", labels.book.num_parts(),
                                                    " parts, but the first type in ", num_parts(),
                                                    "; make as many of each"));
    }
    check_nodes(table);
  }

  void check(edge_table const& table, std::size_t type) const {
    auto const name = "edges '" + table.name + "'";
    auto const count = std::ssize(table.sources);
    for (auto const& feature : table.features) {
      check_rows(feature.values.rows(), count, name + ": features '" + feature.name + "'");
    }
    if (!table.weights.empty()) {
      check_rows(std::ssize(table.weights), count, name + ": weights");
    }
    if (!table.times.empty()) {
      check_rows(std::ssize(table.times), count, name + ": times");
    }
    for (auto const& split : table.links) {
      for (auto const* const pairs : {&split.edges, &split.negatives}) {
        auto const what = name + ": link split '" + split.name + "'";
        check_rows(std::ssize(pairs->destinations), std::ssize(pairs->sources), what + ": destinations");
        check_ids(pairs->sources, of_source(type).book.num_vertices(), what + ": sources");
        check_ids(pairs->destinations, of_destination(type).book.num_vertices(), what + ": destinations");
      }
    }
  }

  void check_hot() const {
    std::vector<int> types;
    for (auto const& hot : options_.hot) {
      auto const& table =
          data_.nodes[static_cast<std::size_t>(hot.node_type < 0 ? 0 : hot.node_type) % data_.nodes.size()];
      if (hot.node_type < 0 || hot.node_type >= schema_.num_node_types() ||
          std::ranges::count(types, hot.node_type) > 0 || std::ssize(hot.by_part) != num_parts()) {
        throw precondition_error(glt::detail::message("hot rows of node type ", hot.node_type, " for ",
                                                      hot.by_part.size(), " parts; give lists for ", num_parts(),
                                                      " parts, once per type of ", schema_.num_node_types()));
      }
      types.push_back(hot.node_type);
      for (auto const& list : hot.by_part) {
        check_ids(list, table.num_nodes, "hot rows of node type '" + table.name + "'");
      }
      for (auto const& name : hot.features) {
        if (std::ranges::count(table.features, name, &named_array::name) == 0) {
          throw precondition_error(glt::detail::message("hot rows of features '", name, "', which node type '",
                                                        table.name, "' has not; name some of its own"));
        }
      }
    }
  }

  [[nodiscard]] part_nodes cut_nodes(std::size_t t, int part, host_view<global_id const> original) const {
    auto const& table = data_.nodes[t];
    part_nodes made;
    made.features = cut_rows(table.features, original);
    if (!table.labels.shape().empty()) {
      made.labels = cut_rows(table.labels, original);
    }
    made.times = cut_values(table.times, original);
    made.train = own_ids(table.train, labels_[t], part);
    made.valid = own_ids(table.valid, labels_[t], part);
    made.test = own_ids(table.test, labels_[t], part);
    for (auto const& hot : options_.hot) {
      if (hot.node_type == static_cast<int>(t)) {
        made.hot = cut_hot(table, labels_[t], hot, part);
      }
    }
    return made;
  }

  // A part has its own vertices anyway.
  static hot_rows cut_hot(node_table const& table, relabelling const& labels, hot_vertices const& hot, int part) {
    std::vector<global_id> original;
    std::vector<global_id> ids;
    std::unordered_set<global_id> seen;
    for (auto const vertex : hot.by_part[static_cast<std::size_t>(part)]) {
      auto const id = labels.renumbered[vertex];
      if ((id < labels.book.begin(part) || id >= labels.book.end(part)) && seen.insert(id).second) {
        original.push_back(vertex);
        ids.push_back(id);
      }
    }
    hot_rows made{make_buffer<device::cpu>(ids), {}};
    for (auto const& [name, values] : table.features) {
      if (hot.features.empty() || std::ranges::count(hot.features, name) > 0) {
        made.features.push_back({name, cut_rows(values, original)});
      }
    }
    return made;
  }

  [[nodiscard]] part_edges cut_edges(std::size_t e, int part, csr_view<memory_space::host, global_id> rows) const {
    auto const& table = data_.edges[e];
    part_edges made;
    made.features = cut_rows(table.features, rows.edge_ids());
    made.weights = cut_values(table.weights, rows.edge_ids());
    made.times = cut_values(table.times, rows.edge_ids());
    if (options_.halo) {
      made.halo = make_halo(rows, of_source(e).book, part);
    }
    for (auto const& split : table.links) {
      made.links.push_back({split.name, own(split.edges, e, part), own(split.negatives, e, part)});
    }
    return made;
  }
  // The pairs whose destination the part owns.
  [[nodiscard]] vertex_pairs own(vertex_pairs const& pairs, std::size_t e, int part) const {
    vertex_pairs ids;
    auto const& book = of_destination(e).book;
    for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
      auto const destination = of_destination(e).renumbered[pairs.destinations[i]];
      if (destination >= book.begin(part) && destination < book.end(part)) {
        ids.sources.push_back(of_source(e).renumbered[pairs.sources[i]]);
        ids.destinations.push_back(destination);
      }
    }
    return ids;
  }

  data_set const& data_;
  std::span<relabelling const> labels_;
  write_options const& options_;
  hetero_schema schema_;
  std::vector<edge_cutter> cutters_;
};

} // namespace detail

} // namespace glt::io

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/split.hpp>

namespace glt::io::detail {

// Throws for the first invalid vertex id of a list in memory; `what` names the list.
inline void check_listed(host_view<global_id const> ids, raw_data::node_table const& table, std::string const& what) {
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= table.num_nodes) {
      throw_outside({}, glt::detail::message(what, ": id ", i), ids[i], table.num_nodes, table.name);
    }
  }
}

// Throws unless all arrays and lists of a type fit its number of vertices.
inline void check_nodes(raw_data::node_table const& table) {
  auto const name = "node type '" + table.name + "'";
  check_rows_of(table);
  for (auto const& [ids, split] :
       {std::pair{&table.train, ": train"}, std::pair{&table.valid, ": valid"}, std::pair{&table.test, ": test"}}) {
    check_listed(*ids, table, name + split);
    if (auto const twice = find_duplicate(*ids)) {
      throw precondition_error(glt::detail::message(name, split, ": element ", *twice, " is vertex ",
                                                    (*ids)[static_cast<std::size_t>(*twice)],
                                                    ", as one before it; name every vertex once"));
    }
  }
}

// Throws unless there is one relabelling per node type, which fits its vertices, and all have the same number of parts.
inline void check_labels(raw_data_view const& data, std::span<relabelling const> labels) {
  if (labels.size() != data.nodes.size() || labels.empty()) {
    throw precondition_error(glt::detail::message(labels.size(), " relabellings for ", data.nodes.size(),
                                                  " node types; give one per type, for 1 type or more"));
  }
  for (std::size_t t = 0; t < labels.size(); ++t) {
    auto const name = "node type '" + data.nodes[t].name + "'";
    glt::detail::check_split(labels[t], 0, data.nodes[t].num_nodes, name.c_str());
    if (labels[t].book.num_parts() != labels[0].book.num_parts()) {
      throw precondition_error(glt::detail::message(name, " is in ", labels[t].book.num_parts(),
                                                    " parts, but the first type in ", labels[0].book.num_parts(),
                                                    "; make as many of each"));
    }
  }
}

// Throws unless hot rows are given at most once a type, for every part, and for existing vertices and features.
inline void check_hot(raw_data_view const& data, std::span<write_options::hot_vertices const> all, int num_parts) {
  std::vector<int> types;
  for (auto const& hot : all) {
    if (hot.node_type < 0 || hot.node_type >= static_cast<int>(data.nodes.size()) ||
        std::ranges::count(types, hot.node_type) > 0 || std::ssize(hot.by_part) != num_parts) {
      throw precondition_error(glt::detail::message("hot rows of node type ", hot.node_type, " for ",
                                                    hot.by_part.size(), " parts; give lists for ", num_parts,
                                                    " parts, once per type of ", data.nodes.size()));
    }
    types.push_back(hot.node_type);
    auto const& table = data.nodes[static_cast<std::size_t>(hot.node_type)];
    for (auto const& list : hot.by_part) {
      check_listed(list, table, "hot rows of node type '" + table.name + "'");
    }
    for (auto const& name : hot.features) {
      if (std::ranges::count(table.features, name, &raw_data::named_array::name) == 0) {
        throw precondition_error(glt::detail::message("hot rows of features '", name, "', which node type '",
                                                      table.name, "' does not have; name some of those that it has"));
      }
    }
  }
}

/// Data set and its division into parts, checked except for the ids of edges.
class parts_input {
public:
  /// @where  borrows all arguments, which must outlive this object
  /// @throws precondition_error  naming types or relabellings that do not fit each other, an array without one row per
  ///                             vertex or edge, or an id in a list of vertices or a link split that its type does not
  ///                             have
  parts_input(raw_data_view data, std::span<relabelling const> labels, std::span<write_options::hot_vertices const> hot,
              bool halo)
      : data_(std::move(data)), labels_(labels), hot_(hot), halo_(halo), schema_(schema_of(data_)) {
    check_labels(data_, labels_);
    for (auto const& table : data_.nodes) {
      check_nodes(table);
    }
    for (auto const& table : data_.edges) {
      check_rows_of(table);
    }
    check_hot(data_, hot_, num_parts());
  }

  [[nodiscard]] raw_data_view const& data() const noexcept { return data_; }
  [[nodiscard]] hetero_schema const& schema() const noexcept { return schema_; }
  [[nodiscard]] std::span<relabelling const> labels() const noexcept { return labels_; }
  [[nodiscard]] int num_parts() const noexcept { return labels_[0].book.num_parts(); }
  [[nodiscard]] bool halo() const noexcept { return halo_; }

  /// Returns the relabelling of the sources of an edge type; `of_destination`, of its destinations.
  [[nodiscard]] relabelling const& of_source(std::size_t edge_type) const {
    return labels_[static_cast<std::size_t>(schema_.source_type(static_cast<int>(edge_type)))];
  }
  [[nodiscard]] relabelling const& of_destination(std::size_t edge_type) const {
    return labels_[static_cast<std::size_t>(schema_.destination_type(static_cast<int>(edge_type)))];
  }

  /// Returns the hot rows of a node type; null if it has none.
  [[nodiscard]] write_options::hot_vertices const* hot_of(std::size_t node_type) const {
    auto const found = std::ranges::find(hot_, static_cast<int>(node_type), &write_options::hot_vertices::node_type);
    return found == hot_.end() ? nullptr : &*found;
  }

  /// Throws for a pair of a link split with an id that its type does not have; checks piece `share` of `shares` equal
  /// pieces of every list.
  ///
  /// @throws precondition_error  naming the pair
  void check_links(int shares = 1, int share = 0) const {
    for (std::size_t e = 0; e < data_.edges.size(); ++e) {
      auto const& table = data_.edges[e];
      for (auto const& split : table.links) {
        for (auto const* const pairs : {&split.edges, &split.negatives}) {
          auto const size = pairs->sources.size();
          checked_links(table, data_, split, *pairs)
              .check(glt::detail::first_place(size, shares, share), glt::detail::first_place(size, shares, share + 1));
        }
      }
    }
  }

private:
  raw_data_view data_;
  std::span<relabelling const> labels_;
  std::span<write_options::hot_vertices const> hot_;
  bool halo_;
  hetero_schema schema_;
};

} // namespace glt::io::detail

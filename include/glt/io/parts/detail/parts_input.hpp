// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/io/parts/detail/parts_checks.hpp>
#include <glt/io/parts/write_options.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/relabel.hpp>

namespace glt::io::detail {

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
      check_edges(table);
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
        auto const name = link_split_name(table, split);
        auto const check = [&](host_view<global_id const> ids, relabelling const& labels, char const* what) {
          auto const first = glt::detail::first_place(ids.size(), shares, share);
          auto const last = glt::detail::first_place(ids.size(), shares, share + 1);
          check_ids(ids.subview(first, last - first), labels.book.num_vertices(), name + what, first);
        };
        for (auto const* const pairs : {&split.edges, &split.negatives}) {
          check(pairs->sources, of_source(e), ": sources");
          check(pairs->destinations, of_destination(e), ": destinations");
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

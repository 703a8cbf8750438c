// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/element_type.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>
#include <glt/io/peers/peer_partition.hpp>
#include <glt/io/peers/torch_file.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::io {

namespace detail {

// Reader of a folder of GraphLearn-for-PyTorch; see `read_graphlearn_folder`.
class graphlearn_reader {
public:
  explicit graphlearn_reader(std::filesystem::path dir) : dir_(std::move(dir)), meta_(dir_ / "META") {}

  [[nodiscard]] peer_partition read() {
    auto const& root = *meta_.roots().front();
    auto const* const count = meta_.find(root, "num_parts");
    auto const* const number = count == nullptr ? nullptr : count->get_if<std::int64_t>();
    result_.num_parts = checked_num_parts(meta_.path().string(), number == nullptr ? 0 : *number);
    result_.data.name = dir_.filename().string();
    auto const* const kind = meta_.find(root, "data_cls");
    auto const* const text = kind == nullptr ? nullptr : kind->get_if<std::string_view>();
    if (text == nullptr || (*text != "homo" && *text != "hetero")) {
      meta_.fail("says neither 'homo' nor 'hetero' under data_cls; partition the graph again");
    }
    typed_ = *text == "hetero";
    for (auto const& name : typed_ ? node_types(root) : std::vector<std::string>{"node"}) {
      read_nodes(name);
    }
    if (typed_) {
      for (auto& table : edge_types(root)) {
        read_edges(std::move(table));
      }
    } else {
      read_edges(edge_table());
    }
    return std::move(result_);
  }

private:
  [[nodiscard]] std::vector<pickle_value const*> list(pickle_value const& root, std::string_view key) const {
    auto const* const value = meta_.find(root, key);
    auto const* const items = value == nullptr ? nullptr : value->get_if<pickle_list>();
    if (items == nullptr) {
      meta_.fail(glt::detail::message("has no list of ", key, "; partition the graph again"));
    }
    return items->items;
  }
  [[nodiscard]] std::string_view text(pickle_value const& value) const {
    auto const* const found = value.get_if<std::string_view>();
    if (found == nullptr) {
      meta_.fail(glt::detail::message("has ", value.kind(), " as the name of a type; use text"));
    }
    return *found;
  }
  [[nodiscard]] std::vector<std::string> node_types(pickle_value const& root) const {
    std::vector<std::string> names;
    for (auto const* item : list(root, "node_types")) {
      names.push_back(checked_type(meta_.path().string(), text(*item)));
    }
    return names;
  }
  [[nodiscard]] std::vector<edge_table> edge_types(pickle_value const& root) const {
    std::vector<edge_table> tables;
    for (auto const* item : list(root, "edge_types")) {
      auto const* const names = item->get_if<pickle_tuple>();
      if (names == nullptr || names->items.size() != 3) {
        meta_.fail("has an edge type that is no tuple of three names; partition the graph again");
      }
      tables.push_back(
          edges_between(meta_.path().string(), text(*names->items[0]), text(*names->items[1]), text(*names->items[2])));
    }
    return tables;
  }

  [[nodiscard]] std::filesystem::path part(int p) const { return dir_ / ("part" + std::to_string(p)); }
  // Returns the sub-folder of a type; the folder itself without types.
  [[nodiscard]] std::filesystem::path of_type(std::filesystem::path const& folder, std::string const& type) const {
    return typed_ ? folder / type : folder;
  }
  [[nodiscard]] std::filesystem::path book(std::string const& stem, std::string const& type) const {
    return typed_ ? dir_ / stem / (type + ".pt") : dir_ / (stem + ".pt");
  }

  void read_nodes(std::string const& name) {
    auto assigned = read_part_book(book("node_pb", name), result_.num_parts);
    node_table table;
    table.name = name;
    table.num_nodes = assigned.size();
    if (auto features = read_features("node_feat", name, table.num_nodes, assigned.view(), vertices_of_type(table))) {
      table.features.push_back({"feat", std::move(*features)});
    }
    result_.assignment.push_back(std::move(assigned));
    result_.data.nodes.push_back(std::move(table));
  }

  void read_edges(edge_table table) {
    auto const meta = meta_.path().string();
    auto const type = table.source + "__" + table.name + "__" + table.destination;
    auto const source = find_node_type(meta, result_.data.nodes, table.source);
    auto const destination = find_node_type(meta, result_.data.nodes, table.destination);
    // With graph_caching the edges of all parts are in one folder.
    bool const whole = std::filesystem::exists(of_type(dir_ / "graph", type) / "rows.pt");
    std::vector<peer_edges> parts;
    std::vector<peer_ids> ids;
    bool numbered = true;
    std::int64_t count = 0;
    for (int p = 0; p < (whole ? 1 : result_.num_parts); ++p) {
      auto const folder = of_type(whole ? dir_ / "graph" : part(p) / "graph", type);
      peer_edges edges{
          {(folder / "rows.pt").string()}, read_part_list(folder / "rows.pt"), read_part_list(folder / "cols.pt")};
      if (std::filesystem::exists(folder / "eids.pt")) {
        edges.edges = {(folder / "eids.pt").string(), read_part_list(folder / "eids.pt")};
      } else {
        numbered = false;
        edges.edges.ids.resize(edges.sources.size());
        std::iota(edges.edges.ids.begin(), edges.edges.ids.end(), count);
      }
      count += std::ssize(edges.edges.ids);
      ids.push_back({(folder / "weights.pt").string(), edges.edges.ids});
      parts.push_back(std::move(edges));
    }
    auto const edge_parts = std::filesystem::exists(book("edge_pb", type))
                                ? read_part_book(book("edge_pb", type), result_.num_parts)
                                : buffer<device::cpu, local_id>();
    auto const assigned = edge_parts.view();
    place_edges(table, parts, result_.data.nodes[source], result_.data.nodes[destination],
                whole ? host_view<local_id const>() : assigned);
    if (!whole) {
      check_edge_owners(parts, result_.assignment[source].view(), result_.assignment[destination].view());
    }
    read_weights(table, ids);
    if (auto features = read_features("edge_feat", type, count, assigned, edges_of_type(table))) {
      if (!numbered) {
        throw io_error((of_type(part(0) / "edge_feat", type)).string(), 0,
                       "has features of edges without ids in graph/eids.pt; partition again without graph_caching");
      }
      table.features.push_back({"feat", std::move(*features)});
    }
    result_.data.edges.push_back(std::move(table));
  }

  static void read_weights(edge_table& table, std::vector<peer_ids> const& ids) {
    std::int64_t available = 0;
    for (auto const& part : ids) {
      available += std::filesystem::exists(part.path) ? input_file(part.path).size() : 0;
    }
    auto const weights = place_rows(ids, std::ssize(table.sources), available, [&](std::size_t p) {
      return std::filesystem::exists(ids[p].path) ? std::optional(read_torch_tensor(ids[p].path)) : std::nullopt;
    });
    if (weights) {
      check_rows(ids.front().path, weights->bytes().size() / glt::detail::size_of(weights->type()),
                 std::ssize(table.sources), edges_of_type(table));
      table.weights = weights_of(*weights, ids.front().path);
    }
  }

  [[nodiscard]] std::optional<array> read_features(std::string const& group, std::string const& type,
                                                   std::int64_t count, host_view<local_id const> assigned,
                                                   std::string const& what) const {
    std::vector<peer_ids> ids;
    std::int64_t available = 0;
    bool any = false;
    for (int p = 0; p < result_.num_parts; ++p) {
      auto const folder = of_type(part(p) / group, type);
      auto const stored = either(folder, "feats");
      ids.push_back({stored.string()});
      if (std::filesystem::exists(stored)) {
        any = true;
        available += input_file(stored).size();
        ids.back().ids = read_part_list(either(folder, "ids"));
      }
    }
    if (!any) {
      return std::nullopt;
    }
    check_cover(ids, count, assigned, what);
    return place_rows(ids, count, available, [&](std::size_t p) {
      return std::filesystem::exists(ids[p].path) ? std::optional(read_torch_tensor(ids[p].path)) : std::nullopt;
    });
  }

  // Older versions save a tensor, newer ones pickle its chunks one after the other.
  [[nodiscard]] static std::filesystem::path either(std::filesystem::path const& folder, std::string const& stem) {
    auto const chunks = folder / (stem + ".pkl");
    return std::filesystem::exists(chunks) ? chunks : folder / (stem + ".pt");
  }

  std::filesystem::path dir_;
  torch_file meta_;
  bool typed_ = false;
  peer_partition result_{};
};

} // namespace detail

/// Reads a folder that a partitioner of GraphLearn-for-PyTorch wrote, with or without types, features, weights and
/// `graph_caching`. Cached rows are copies and are left out. Features are called "feat". Such a folder has no labels
/// and splits.
///
/// @throws io_error  naming the file that is missing, damaged, not a plain tensor, or contradicts the others
/// @cost   memory of the graph and its features, and of one part beside them
/// @source alibaba/graphlearn-for-pytorch, graphlearn_torch/python/partition/base.py (versions 0.2.0 to 0.2.4)
[[nodiscard]] inline peer_partition read_graphlearn_folder(std::filesystem::path const& dir) {
  return detail::graphlearn_reader(dir.has_filename() ? dir : dir.parent_path()).read();
}

} // namespace glt::io

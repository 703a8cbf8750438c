// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/json_cursor.hpp>
#include <glt/io/detail/libraries.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>
#include <glt/io/peers/peer_partition.hpp>
#include <glt/io/peers/torch_file.hpp>
#include <glt/memory/memory.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::io {

namespace detail {

inline nlohmann::json read_json_file(std::filesystem::path const& path) {
  input_file file(path);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(text.data(), file.size());
  auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (parsed.is_discarded()) {
    file.fail(0, "is no JSON; partition the graph again");
  }
  return parsed;
}

// Reader of a folder of PyTorch Geometric; see `read_pyg_folder`.
class pyg_reader {
public:
  explicit pyg_reader(std::filesystem::path dir)
      : dir_(std::move(dir)), meta_path_(dir_ / "META.json"), meta_(read_json_file(meta_path_)) {}

  [[nodiscard]] peer_partition read() {
    json_cursor const meta(meta_path_, meta_);
    result_.num_parts = checked_num_parts(meta_path_.string(), meta.at("num_parts").count());
    result_.data.name = dir_.filename().string();
    typed_ = meta.at("is_hetero").boolean();
    // Version 2.4 numbers vertices and features through all types; later versions write the offsets and subtract them.
    through_ = typed_ && !meta.find("node_offset");
    if (!typed_) {
      read_nodes("node");
      read_edges(edge_table());
      return std::move(result_);
    }
    for (auto const& name : meta.at("node_types").elements()) {
      read_nodes(checked_type(meta_path_.string(), name.text()));
    }
    for (auto const& type : meta.at("edge_types").elements()) {
      auto const names = type.elements();
      if (names.size() != 3) {
        type.fail("is no list of three names");
      }
      read_edges(edges_between(meta_path_.string(), names[0].text(), names[1].text(), names[2].text()));
    }
    return std::move(result_);
  }

private:
  [[nodiscard]] std::filesystem::path part(int p, std::string const& name) const {
    return dir_ / ("part_" + std::to_string(p)) / name;
  }
  [[nodiscard]] std::filesystem::path book(std::string const& stem, std::string const& type) const {
    return typed_ ? dir_ / stem / (type + ".pt") : dir_ / (stem + ".pt");
  }

  // Returns the entry of one type in a part's file; null if there is none. Edge types have three names.
  [[nodiscard]] pickle_value const* of_type(torch_file const& file, std::vector<std::string> const& names) const {
    auto const& root = *file.roots().front();
    if (!typed_) {
      return &root;
    }
    if (names.size() == 1) {
      return file.find(root, names.front());
    }
    auto const* const dict = root.get_if<pickle_dict>();
    if (dict == nullptr) {
      file.fail(glt::detail::message("holds ", root.kind(), " and no dict of edge types; partition the graph again"));
    }
    auto const same = [](pickle_value const* item, std::string const& name) {
      auto const* const text = item->get_if<std::string_view>();
      return text != nullptr && *text == name;
    };
    for (auto const& [key, value] : dict->entries) {
      auto const* const tuple = key->get_if<pickle_tuple>();
      if (tuple != nullptr && std::ranges::equal(tuple->items, names, same)) {
        return value;
      }
    }
    return nullptr;
  }

  [[nodiscard]] static pickle_value const& required(torch_file const& file, pickle_value const* value,
                                                    std::string_view key) {
    auto const* const found = value == nullptr ? nullptr : file.find(*value, key);
    if (found == nullptr) {
      file.fail(glt::detail::message("lacks ", key, " of some type; partition the graph again"));
    }
    return *found;
  }

  [[nodiscard]] static std::vector<global_id> without(std::vector<global_id> ids, std::int64_t offset) {
    for (auto& id : ids) {
      id -= offset;
    }
    return ids;
  }

  void read_nodes(std::string const& name) {
    auto assigned = read_part_book(book("node_map", name), result_.num_parts);
    node_table table;
    table.name = name;
    table.num_nodes = assigned.size();
    std::vector<peer_ids> ids;
    for (int p = 0; p < result_.num_parts; ++p) {
      torch_file const file(part(p, "node_feats.pt"));
      auto const* const own = of_type(file, {name});
      auto const* const typed_ids = typed_ && own != nullptr ? file.find(*own, "id") : nullptr;
      ids.push_back(
          {file.path().string(), typed_ids != nullptr
                                     ? read_part_list(file, *typed_ids)
                                     : without(read_part_list(file, required(file, own, "global_id")), num_nodes_)});
      if (auto const* const times = p == 0 ? file.find(*own, "time") : nullptr; times != nullptr) {
        table.times = read_part_list(file, *times);
        check_rows(ids.front().path, std::ssize(table.times), table.num_nodes, vertices_of_type(table));
      }
    }
    check_cover(ids, table.num_nodes, assigned.view(), vertices_of_type(table));
    table.features = read_features(ids, {name}, table.num_nodes);
    node_offsets_.push_back(num_nodes_);
    num_nodes_ += table.num_nodes;
    result_.assignment.push_back(std::move(assigned));
    result_.data.nodes.push_back(std::move(table));
  }

  void read_edges(edge_table table) {
    auto const meta = meta_path_.string();
    auto const source = find_node_type(meta, result_.data.nodes, table.source);
    auto const destination = find_node_type(meta, result_.data.nodes, table.destination);
    std::vector<std::string> const type{table.source, table.name, table.destination};
    auto const assigned =
        read_part_book(book("edge_map", type[0] + "__" + type[1] + "__" + type[2]), result_.num_parts);
    std::vector<peer_edges> parts;
    for (int p = 0; p < result_.num_parts; ++p) {
      torch_file const file(part(p, "graph.pt"));
      auto const* const own = of_type(file, type);
      auto const list = [&](char const* key, std::int64_t offset) {
        return without(read_part_list(file, required(file, own, key)), offset);
      };
      parts.push_back({{file.path().string(), list("edge_id", num_edges_)},
                       list("row", through_ ? node_offsets_[source] : 0),
                       list("col", through_ ? node_offsets_[destination] : 0)});
    }
    place_edges(table, parts, result_.data.nodes[source], result_.data.nodes[destination], assigned.view());
    check_edge_owners(parts, result_.assignment[source].view(), result_.assignment[destination].view());
    read_edge_features(table, parts, type);
    num_edges_ += assigned.size();
    result_.data.edges.push_back(std::move(table));
  }

  void read_edge_features(edge_table& table, std::vector<peer_edges> const& parts,
                          std::vector<std::string> const& type) {
    auto const count = std::ssize(table.sources);
    std::vector<peer_ids> ids;
    bool any = false;
    for (int p = 0; p < result_.num_parts; ++p) {
      auto const path = part(p, "edge_feats.pt");
      ids.push_back({path.string()});
      if (!std::filesystem::exists(path)) {
        continue;
      }
      torch_file const file(path);
      auto const* const own = of_type(file, type);
      if (own == nullptr) {
        continue;
      }
      if (auto const* const numbers = file.find(*own, "global_id"); numbers != nullptr) {
        any = true;
        ids.back().ids = without(read_part_list(file, *numbers), through_ ? num_edges_ : 0);
      }
      if (auto const* const times = file.find(*own, "edge_time"); times != nullptr) {
        auto const values = read_part_list(file, *times);
        auto const& edges = parts[static_cast<std::size_t>(p)].edges.ids;
        check_rows(path.string(), std::ssize(values), std::ssize(edges), edges_of_type(table));
        table.times.resize(static_cast<std::size_t>(count), 0);
        for (std::size_t i = 0; i < edges.size(); ++i) {
          table.times[static_cast<std::size_t>(edges[i])] = values[i];
        }
      }
    }
    if (any) {
      check_cover(ids, count, {}, edges_of_type(table));
      table.features = read_features(ids, type, count);
    }
  }

  // Returns the arrays under "feats" of all parts by their names; arrays that are None have no rows.
  [[nodiscard]] std::vector<named_array> read_features(std::vector<peer_ids> const& ids,
                                                       std::vector<std::string> const& type, std::int64_t count) const {
    std::vector<std::string> names;
    std::int64_t available = 0;
    auto const feats = [&](torch_file const& file) {
      auto const* const own = of_type(file, type);
      return own == nullptr ? nullptr : file.find(*own, "feats");
    };
    for (auto const& part : ids) {
      if (!std::filesystem::exists(part.path)) {
        continue;
      }
      torch_file const file(part.path);
      available += input_file(part.path).size();
      auto const* const all = feats(file);
      auto const* const dict = all == nullptr ? nullptr : all->get_if<pickle_dict>();
      for (std::size_t i = 0; dict != nullptr && i < dict->entries.size(); ++i) {
        auto const* const name = dict->entries[i].first->get_if<std::string_view>();
        if (name != nullptr && std::ranges::find(names, *name) == names.end()) {
          names.emplace_back(*name);
        }
      }
    }
    std::vector<named_array> features;
    for (auto const& name : names) {
      auto values = place_rows(ids, count, available, [&](std::size_t p) -> std::optional<array> {
        if (!std::filesystem::exists(ids[p].path)) {
          return std::nullopt;
        }
        torch_file const file(ids[p].path);
        auto const* const all = feats(file);
        auto const* const rows = all == nullptr ? nullptr : file.find(*all, name);
        return rows == nullptr ? std::nullopt : std::optional(file.read(*rows));
      });
      if (values) {
        features.push_back({name, std::move(*values)});
      }
    }
    return features;
  }

  std::filesystem::path dir_;
  std::filesystem::path meta_path_;
  nlohmann::json meta_;
  bool typed_ = false;
  bool through_ = false;
  std::int64_t num_nodes_ = 0; // of the types before
  std::int64_t num_edges_ = 0;
  std::vector<std::int64_t> node_offsets_{};
  peer_partition result_{};
};

} // namespace detail

/// Reads a folder that the Partitioner of PyTorch Geometric 2.4 or newer wrote, with or without types, features and
/// times. Such a folder has no labels and splits.
///
/// @throws io_error  naming the file that is missing, damaged, not a plain tensor, or contradicts the others
/// @cost   memory of the graph and its features, and of one part beside them
/// @source pyg-team/pytorch_geometric, torch_geometric/distributed/partition.py (releases 2.4.0 to 2.6.1)
[[nodiscard]] inline peer_partition read_pyg_folder(std::filesystem::path const& dir) {
  return detail::pyg_reader(dir.has_filename() ? dir : dir.parent_path()).read();
}

} // namespace glt::io

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/pair_arrays.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>
#include <glt/io/peers/torch_file.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::io::detail {

/// One split of an Open Graph Benchmark data set, from a file of torch.save: pairs of vertices for links, or lists of
/// vertices by type.
struct ogb_pickled_split {
  std::string name; ///< train, valid or test
  std::filesystem::path file;
  vertex_pairs edges{};
  vertex_pairs negatives{};
  std::vector<std::pair<std::string, array>> vertices{}; ///< by type; its name may be empty
  std::vector<std::string> left_out{};                   ///< keys that are something else
};

/// Reads one split from a file: "edge" and "edge_neg" [L, 2], or two lists with the ends of pairs, or vertices.
///
/// @throws io_error  if the split has none of these forms, or its arrays contradict each other
[[nodiscard]] inline ogb_pickled_split read_pickled_split(torch_file const& file, std::string name,
                                                          pickle_value const& value) {
  ogb_pickled_split made{.name = std::move(name), .file = file.path()};
  auto const path = file.path().string();
  auto const list = [&](pickle_value const& of) { return integers_of(file.read(of), path); };
  auto const* const dict = value.get_if<pickle_dict>();
  if (dict == nullptr) {
    made.vertices.emplace_back("", file.read(value));
    return made;
  }
  std::vector<std::string_view> used;
  auto const find = [&](std::string_view key) {
    auto const* const found = dict->find(key);
    if (found != nullptr) {
      used.push_back(key);
    }
    return found;
  };
  auto const pairs = [&](std::string_view key, vertex_pairs& out) {
    if (auto const* const found = find(key)) {
      out = to_pairs(file.read(*found), path + ", \"" + std::string(key) + "\"", pair_layout::columns);
    }
  };
  pairs("edge", made.edges);
  pairs("edge_neg", made.negatives);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> ends{
      {{"source_node", "target_node"}, {"head", "tail"}}};
  for (auto const& [from, to] : ends) {
    if (used.empty() && dict->find(from) != nullptr && dict->find(to) != nullptr) {
      made.edges = {list(*find(from)), list(*find(to))};
    }
  }
  if (made.edges.sources.size() != made.edges.destinations.size()) {
    file.fail(glt::detail::message("has ", made.edges.sources.size(), " sources and ", made.edges.destinations.size(),
                                   " destinations of edges; make it again"));
  }
  for (auto const& [key, content] : dict->entries) {
    auto const* const text = key->get_if<std::string_view>();
    if (text == nullptr || std::ranges::find(used, *text) != used.end()) {
      continue;
    }
    if (used.empty() && content->get_if<pickle_tensor>() != nullptr) {
      made.vertices.emplace_back(*text, file.read(*content));
    } else {
      made.left_out.emplace_back(*text);
    }
  }
  return made;
}

/// Reads the splits that are files of torch.save: train.pt, valid.pt and test.pt, or all in split_dict.pt.
///
/// `skip(split)` is true for a split that exists in another form. `leave_out(file, why)` is called for files and keys
/// that are not read.
template <class Skip, class LeaveOut>
[[nodiscard]] std::vector<ogb_pickled_split> read_pickled_splits(std::filesystem::path const& folder, Skip skip,
                                                                 LeaveOut leave_out) {
  std::vector<ogb_pickled_split> made;
  std::vector<std::filesystem::path> files;
  std::error_code fault;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder, fault)) {
    if (entry.path().extension() == ".pt") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  constexpr std::array<std::string_view, 3> names{"train", "valid", "test"};
  auto const take = [&](torch_file const& file, std::string_view name, pickle_value const& value) {
    if (skip(name)) {
      return;
    }
    auto split = read_pickled_split(file, std::string(name), value);
    for (auto const& key : split.left_out) {
      leave_out(file.path(), "\"" + key + "\", which splits of glt do not have");
    }
    made.push_back(std::move(split));
  };
  for (auto const& path : files) {
    auto const stem = path.stem().string();
    bool const here = path.parent_path() == folder;
    bool const single = here && std::ranges::find(names, stem) != names.end();
    if (single && skip(stem)) {
      continue;
    }
    if (!single && !(here && stem == "split_dict")) {
      leave_out(path, "it is not called train.pt, valid.pt, test.pt or split_dict.pt");
      continue;
    }
    try {
      torch_file const file(path);
      auto const& root = *file.roots().front();
      for (auto const name : names) {
        if (single && stem == name) {
          take(file, name, root);
        } else if (auto const* const value = single ? nullptr : file.find(root, name)) {
          take(file, name, *value);
        }
      }
    } catch (io_error const& unread) {
      leave_out(path, unread.what());
    }
  }
  return made;
}

} // namespace glt::io::detail

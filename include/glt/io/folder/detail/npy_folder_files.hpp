// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/folder/detail/npy_folder_tables.hpp>
#include <glt/io/raw_data.hpp>

#include <cctype>
#include <filesystem>
#include <map>
#include <system_error>

namespace glt::io::detail {

/// Returns the least number of letters to add, remove or change to turn one text into the other.
///
/// @source Wagner and Fischer, "The string-to-string correction problem", J. ACM 21(1), 1974
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      auto const changed = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({changed, before + 1, row[j] + 1});
    }
  }
  return row.back();
}

// Other common names of the same arrays.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 22> other_names{
    {{"x", "node_feat"},          {"feat", "node_feat"},
     {"features", "node_feat"},   {"y", "node_label"},
     {"label", "node_label"},     {"labels", "node_label"},
     {"node_year", "node_time"},  {"node_timestamps", "node_time"},
     {"edges", "edge_index"},     {"edge_list", "edge_index"},
     {"edge_attr", "edge_feat"},  {"weights", "edge_weight"},
     {"edge_year", "edge_time"},  {"edge_timestamps", "edge_time"},
     {"time", "edge_time"},       {"times", "edge_time"},
     {"timestamp", "edge_time"},  {"timestamps", "edge_time"},
     {"train_mask", "train_idx"}, {"val_mask", "valid_idx"},
     {"valid_mask", "valid_idx"}, {"test_mask", "test_idx"}}};

/// Returns the known name that was probably meant: a synonym, a plural or other ending, or a name that differs by one
/// or two letters.
[[nodiscard]] inline std::optional<std::string_view> find_nearly_known(std::string_view name,
                                                                       std::span<std::string_view const> known) {
  std::string plain(name);
  std::ranges::transform(plain, plain.begin(), [](char letter) {
    return letter == '-' || letter == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  });
  if (auto const* const found = std::ranges::find(other_names, plain, [](auto const& pair) { return pair.first; });
      found != other_names.end()) {
    return found->second;
  }
  auto const letters = [](std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char letter) { return std::isalpha(letter) != 0; });
  };
  std::optional<std::string_view> nearest;
  std::size_t least = 3;
  for (auto const candidate : known) {
    bool const longer = plain.starts_with(candidate) && letters(std::string_view(plain).substr(candidate.size()));
    auto const distance = longer ? 1 : edit_distance(plain, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

// Feature and its file.
struct array_file {
  std::string name;
  std::filesystem::path path;
};

// Type of vertices or edges, and the suffix in the names of its files.
struct node_type_name {
  std::string name;
  std::string suffix;
  std::vector<array_file> features{};
};
struct edge_type_name {
  std::string source;
  std::string name;
  std::string destination;
  std::string suffix;
  std::vector<array_file> features{};
};

/// Files of a folder that holds arrays named `kind.npy` or `kind.type.npy`, and the types that the files or meta.json
/// name.
class npy_folder_files {
public:
  /// Kinds of arrays that are read, by the first word of the name; kinds of vertices come first.
  static constexpr std::array<std::string_view, 17> kinds{
      "node_feat",  "node_label", "node_time",      "num_nodes",      "train_idx",    "valid_idx",
      "test_idx",   "edge_index", "edge_feat",      "edge_weight",    "edge_time",    "train_edge",
      "valid_edge", "test_edge",  "train_edge_neg", "valid_edge_neg", "test_edge_neg"};

  /// @throws io_error  if it is not a folder, it has no edges, the types contradict each other, or meta.json names a
  ///                   missing file
  explicit npy_folder_files(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::error_code fault;
    std::filesystem::directory_iterator entries(folder_, fault);
    if (fault) {
      throw io_error(folder_.string(), 0, "is no folder that can be read: " + fault.message());
    }
    auto const tables = read_npy_folder_tables(meta());
    for (auto const& entry : entries) {
      add(entry.path(), tables.has_value());
    }
    if (tables) {
      add_types(*tables);
    } else {
      find_edge_types();
      find_node_types();
    }
    check_suffixes();
  }

  [[nodiscard]] std::string name() const {
    auto const whole = folder_.lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  }
  [[nodiscard]] std::filesystem::path meta() const { return folder_ / "meta.json"; }
  [[nodiscard]] std::int64_t num_files() const { return static_cast<std::int64_t>(files_.size() + named_.size()); }
  [[nodiscard]] std::vector<node_type_name> const& node_types() const { return node_types_; }
  [[nodiscard]] std::vector<edge_type_name> const& edge_types() const { return edge_types_; }

  /// Returns the unread files whose names are nearly known, each with the file name that was probably meant.
  [[nodiscard]] std::vector<std::pair<std::filesystem::path, std::string>> nearly_known() const {
    std::vector<std::pair<std::filesystem::path, std::string>> found;
    for (auto const& file : unread_) {
      auto const name = file.filename().string();
      auto const kind = name.substr(0, name.find('.'));
      auto const meant = find_nearly_known(kind.substr(0, kind.find('@')), kinds);
      if (meant && kind != *meant && !kind.starts_with(std::string(*meant) + '@')) {
        found.emplace_back(file, std::string(*meant) + name.substr(kind.size()));
      }
    }
    std::ranges::sort(found);
    return found;
  }

  [[nodiscard]] std::optional<std::filesystem::path> find(std::string const& kind, std::string const& suffix) const {
    auto const found = files_.find({kind, suffix});
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

private:
  static constexpr std::span<std::string_view const> node_kinds{kinds.data(), 7}; // the others are of edges

  void add(std::filesystem::path const& file, bool named_features) {
    auto const name = file.filename().string();
    bool const sparse = name.ends_with(".csr.npz");
    if (!sparse && !name.ends_with(".npy")) {
      return;
    }
    auto const stem = name.substr(0, name.size() - (sparse ? 8 : 4));
    auto const dot = std::min(stem.find('.'), stem.size());
    auto const kind = stem.substr(0, dot);
    if (named_features && !sparse && (kind.starts_with("node_feat@") || kind.starts_with("edge_feat@"))) {
      named_[{kind, stem.substr(dot)}] = file;
      return;
    }
    if (sparse ? kind != "node_feat" : std::ranges::find(kinds, kind) == kinds.end()) {
      unread_.push_back(file);
      return;
    }
    auto& place = files_[{kind, stem.substr(dot)}];
    if (place.empty() || !sparse) { // the same matrix twice: the dense file needs no work
      place = file;
    }
  }

  // Adds the types of meta.json, which take precedence; every file that meta.json names must exist.
  void add_types(npy_folder_tables const& tables) {
    auto const suffix = [&](auto const& table) { return tables.without_types() ? std::string() : suffix_of(table); };
    auto const files = [&](std::string const& kind, auto const& table) {
      std::vector<array_file> made;
      for (auto const& name : table.features) {
        made.push_back({name, require(feature_kind(kind, name), suffix(table))});
      }
      return made;
    };
    for (auto const& table : tables.nodes) {
      node_types_.push_back({table.name, suffix(table), files("node_feat", table)});
    }
    for (auto const& table : tables.edges) {
      for (auto const& end : {table.source, table.destination}) {
        if (std::ranges::find(tables.nodes, end, &npy_node_table::name) == tables.nodes.end()) {
          throw io_error(meta().string(), 0, "has edges of the vertex type '" + end + "', which it does not list");
        }
      }
      static_cast<void>(require("edge_index", suffix(table)));
      edge_types_.push_back({table.source, table.name, table.destination, suffix(table), files("edge_feat", table)});
    }
    if (edge_types_.empty()) {
      throw io_error(meta().string(), 0, "lists no edges; repair or remove it");
    }
  }

  [[nodiscard]] std::filesystem::path require(std::string const& kind, std::string const& suffix) const {
    for (auto const* const among : {&files_, &named_}) {
      if (auto const found = among->find({kind, suffix}); found != among->end()) {
        return found->second;
      }
    }
    throw io_error((folder_ / (kind + suffix + ".npy")).string(), 0,
                   "is not there, but meta.json beside it names it; make the folder again");
  }

  // Returns the features of a type if no meta.json names them.
  [[nodiscard]] std::vector<array_file> usual_features(std::string const& kind, std::string const& suffix) const {
    auto const file = find(kind, suffix);
    return file ? std::vector<array_file>{{kind, *file}} : std::vector<array_file>();
  }

  void find_edge_types() {
    for (auto const& [key, file] : files_) {
      if (key.first != "edge_index") {
        continue;
      }
      if (key.second.empty()) {
        edge_types_.push_back({"node", "edge", "node", "", usual_features("edge_feat", "")});
        continue;
      }
      auto const type = key.second.substr(1);
      auto const first = type.find("__");
      auto const second = first == std::string::npos ? first : type.find("__", first + 2);
      if (second == std::string::npos || first == 0 || second == first + 2 || second + 2 == type.size() ||
          type.find("__", second + 2) != std::string::npos || type[first + 2] == '_' ||
          type[second + 2] == '_') { // OGB's a___r___b, or half of it
        throw io_error(file.string(), 0,
                       "names the edges '" + type +
                           "'; call them source__relation__destination with two underscores each, such as "
                           "edge_index.paper__to__author.npy");
      }
      edge_types_.push_back({type.substr(0, first), type.substr(first + 2, second - first - 2), type.substr(second + 2),
                             key.second, usual_features("edge_feat", key.second)});
    }
    if (edge_types_.empty()) {
      std::string meant;
      for (auto const& [file, name] : nearly_known()) {
        meant += name.starts_with("edge_index") ? " (is it " + file.filename().string() + "?)" : "";
      }
      throw io_error(folder_.string(), 0, "holds no edge_index.npy" + meant + "; give the folder that has it");
    }
    if (edge_types_.size() > 1 && edge_types_.front().suffix.empty()) {
      throw io_error((folder_ / "edge_index.npy").string(), 0,
                     "has no types, but another edge_index beside it has; remove the one or the other");
    }
  }

  void find_node_types() {
    if (edge_types_.front().suffix.empty()) {
      node_types_.push_back({"node", "", usual_features("node_feat", "")});
      return;
    }
    std::vector<std::string> names;
    for (auto const& type : edge_types_) {
      names.insert(names.end(), {type.source, type.destination});
    }
    std::ranges::sort(names);
    auto const [first, last] = std::ranges::unique(names);
    names.erase(first, last);
    for (auto const& type : names) {
      node_types_.push_back({type, "." + type, usual_features("node_feat", "." + type)});
    }
  }

  void check_suffixes() const {
    for (auto const& [key, file] : files_) {
      bool const of_nodes = std::ranges::find(node_kinds, key.first) != node_kinds.end();
      bool const known = of_nodes
                             ? std::ranges::find(node_types_, key.second, &node_type_name::suffix) != node_types_.end()
                             : std::ranges::find(edge_types_, key.second, &edge_type_name::suffix) != edge_types_.end();
      if (!known) {
        throw io_error(file.string(), 0,
                       key.second.empty() ? "names no type, but the graph has types; call it " + key.first + ".TYPE.npy"
                                          : "is of the type '" + key.second.substr(1) +
                                                "', which no edge_index names; rename or remove it");
      }
    }
  }

  using file_map = std::map<std::pair<std::string, std::string>, std::filesystem::path>; // by kind and suffix

  std::filesystem::path folder_;
  file_map files_;
  file_map named_; // of features beside the usual ones
  std::vector<std::filesystem::path> unread_;
  std::vector<node_type_name> node_types_;
  std::vector<edge_type_name> edge_types_;
};

/// Returns one more than the highest id of a type in edges and link splits.
[[nodiscard]] inline std::int64_t count_vertices(raw_data_view const& data, std::string const& type) {
  std::int64_t count = 0;
  for (auto const& table : data.edges) {
    auto const see = [&](auto const& pairs) {
      count = table.source == type ? count_ids(pairs.sources, count) : count;
      count = table.destination == type ? count_ids(pairs.destinations, count) : count;
    };
    see(table.columns);
    for (auto const& links : table.links) {
      see(links.edges);
      see(links.negatives);
    }
  }
  return count;
}

/// Reads the arrays of a type of vertices. `keep(file)` returns an array with a row per vertex, `load(file)` any other
/// array, and `edges()` the edges of all types, which count the vertices if nothing else does.
///
/// @throws io_error  if an array has another number of rows than the others, or as `integers_of` and `split_of`
template <class Keep, class Load, class Edges>
[[nodiscard]] raw_data::node_table read_node_table(npy_folder_files const& files, node_type_name const& type,
                                                   std::map<std::string, std::int64_t> const& counts, Keep keep,
                                                   Load load, Edges edges) {
  using path = std::filesystem::path;
  raw_data::node_table nodes;
  nodes.name = type.name;
  bool known = false;
  auto const rows_are = [&](path const& file, std::int64_t rows) {
    if (known) {
      check_rows(file.string(), rows, nodes.num_nodes, vertices_of_type(nodes));
    }
    nodes.num_nodes = rows;
    known = true;
  };
  auto const list = [&](path const& file) {
    auto const values = load(file);
    check_list(file, values);
    return integers_of(values, file.string());
  };
  if (auto const stated = counts.find(type.name); stated != counts.end()) {
    rows_are(files.meta(), stated->second);
  }
  if (auto const file = files.find("num_nodes", type.suffix)) {
    auto const number = list(*file);
    if (number.size() != 1 || number[0] < 0) {
      throw io_error(file->string(), 0, "is not a single number of 0 or more");
    }
    rows_are(*file, number[0]);
  }
  for (auto const& [name, file] : type.features) {
    nodes.features.push_back({name, keep(file)});
    rows_are(file, nodes.features.back().values.rows());
  }
  if (auto const file = files.find("node_label", type.suffix)) {
    nodes.labels = keep(*file);
    rows_are(*file, nodes.labels.rows());
  }
  if (auto const file = files.find("node_time", type.suffix)) {
    nodes.times = list(*file);
    rows_are(*file, std::ssize(nodes.times));
  }
  if (!known) {
    nodes.num_nodes = count_vertices(edges(), type.name);
  }
  for (auto const& [ids, kind] : {std::pair{&nodes.train, "train_idx"}, std::pair{&nodes.valid, "valid_idx"},
                                  std::pair{&nodes.test, "test_idx"}}) {
    if (auto const file = files.find(kind, type.suffix)) {
      *ids = split_of(load(*file), *file, nodes);
    }
  }
  return nodes;
}

} // namespace glt::io::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/datasets/detail/ogb_files.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

/// Reads a small table of words separated by commas, one row a line, plain or packed by gzip; empty lines are passed
/// over.
///
/// @throws io_error  if the file cannot be read, or has more than a megabyte of text
[[nodiscard]] inline std::vector<std::vector<std::string>> read_csv_words(std::filesystem::path const& path) {
  text_limits limits;
  limits.text_bytes = std::int64_t{1} << 20;
  limits.piece_bytes = limits.text_bytes + 1; // all of it, so that a longer one is noticed at once
  text_source source(path, limits);
  std::vector<std::vector<std::string>> rows;
  while (source.load()) {
    auto const text = source.unread();
    auto line = text.substr(0, text.find('\n'));
    source.skip(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t begin = 0; begin <= line.size();) {
      auto const end = std::min(line.find(',', begin), line.size());
      row.emplace_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return rows;
}

// Content of the folder of a data set.
template <class Edges>
struct ogb_content {
  std::string name;
  std::vector<raw_data::node_table> nodes{};
  std::vector<Edges> edges{};
};

// Reader of the folder; `Tables` decides where edges and features are kept.
template <class Tables>
class ogb_reader {
public:
  using edges_type = typename Tables::edges_type; // an edge_table, or derived from it

  ogb_reader(std::filesystem::path const& folder, ogb_options const& options, Tables tables)
      : files_(folder, options), reading_(options.reading), tables_(std::move(tables)) {}

  [[nodiscard]] ogb_content<edges_type> read() {
    data_.name = files_.name();
    auto const& raw = files_.raw();
    if (auto const types = files_.find(raw, "num-node-dict")) {
      read_types(*types);
    } else {
      data_.nodes.emplace_back().num_nodes = read_count(files_.require(raw, "num-node-list"), "vertices");
      read_nodes(data_.nodes.front(), raw, raw);
      read_edges({}, raw);
    }
    if (files_.split()) {
      read_split(*files_.split());
    }
    return std::move(data_);
  }

private:
  using path = std::filesystem::path;

  void read_types(path const& file) {
    auto const words = read_csv_words(file);
    if (words.empty()) {
      throw io_error(file.string(), 0, "is empty; its first line names the types of vertices");
    }
    column_options const table{static_cast<std::int64_t>(words.front().size()), 1};
    auto const counts = read_columns<std::int64_t>(file, table, reading_);
    check_rows(file.string(), counts.rows(), 1, "graph; only sets of one graph can be read");
    for (std::size_t i = 0; i < words.front().size(); ++i) {
      if (std::ranges::find(data_.nodes, words.front()[i], &raw_data::node_table::name) != data_.nodes.end()) {
        throw io_error(file.string(), 0, "names the type '" + words.front()[i] + "' twice");
      }
      auto& nodes = data_.nodes.emplace_back();
      nodes.name = words.front()[i];
      nodes.num_nodes = counts.values<std::int64_t>()[static_cast<std::int64_t>(i)];
      check_count(file, nodes.num_nodes);
      read_nodes(nodes, files_.raw() / "node-feat" / nodes.name, files_.raw() / "node-label" / nodes.name);
    }
    require_promised("node-feat", "nodetype-has-feat");
    require_promised("node-label", "nodetype-has-label");
    auto const triplets = files_.require(files_.raw(), "triplet-type-list");
    for (auto const& triplet : read_csv_words(triplets)) {
      if (triplet.size() != 3) {
        throw io_error(triplets.string(), 0,
                       glt::detail::message("has a line of ", triplet.size(),
                                            " words; a type of edges is source,relation,destination"));
      }
      for (auto const& type : {triplet[0], triplet[2]}) {
        if (std::ranges::find(data_.nodes, type, &raw_data::node_table::name) == data_.nodes.end()) {
          throw io_error(triplets.string(), 0, "names the type '" + type + "', which is not in " + file.string());
        }
      }
      edges_type edges;
      edges.source = triplet[0];
      edges.name = triplet[1];
      edges.destination = triplet[2];
      auto const folder = files_.raw() / "relations" / folder_of(edges);
      read_edges(std::move(edges), folder);
    }
  }

  // Checks that each type has a file of this name if the two-line table `promises` says so.
  void require_promised(std::string const& name, std::string const& promises) const {
    auto const file = files_.find(files_.raw(), promises);
    auto const words = file ? read_csv_words(*file) : std::vector<std::vector<std::string>>();
    for (std::size_t i = 0; words.size() > 1 && i < std::min(words[0].size(), words[1].size()); ++i) {
      if (words[1][i] == "True") {
        static_cast<void>(files_.require(files_.raw() / name / words[0][i], name));
      }
    }
  }

  static std::string folder_of(raw_data::edge_table const& edges) {
    return edges.source + "___" + edges.name + "___" + edges.destination;
  }

  std::vector<std::int64_t> read_list(path const& file) const {
    return integers_of(read_columns<std::int64_t>(file, {.columns = 1}, reading_), file.string());
  }

  std::int64_t read_count(path const& file, std::string const& what) const {
    auto const counts = read_list(file);
    if (counts.size() != 1) {
      throw io_error(file.string(), 0,
                     glt::detail::message("counts the ", what, " of ", counts.size(),
                                          " graphs; only sets of one graph can be read"));
    }
    check_count(file, counts[0]);
    return counts[0];
  }

  static void check_count(path const& file, std::int64_t count) {
    if (count < 0) {
      throw io_error(file.string(), 0, glt::detail::message("counts ", count, "; a count is 0 or more"));
    }
  }

  void read_nodes(raw_data::node_table& nodes, path const& folder, path const& label_folder) {
    auto const what = vertices_of_type(nodes);
    if (auto const file = files_.find(folder, "node-feat")) {
      nodes.features.push_back({"node_feat", tables_.read_floats(*file)});
      check_rows(file->string(), nodes.features.back().values.rows(), nodes.num_nodes, what);
    }
    for (auto const& name : files_.list(folder, "node_")) {
      auto const file = files_.require(folder, name);
      if (name == "node_year") {
        nodes.times = read_list(file);
        check_rows(file.string(), std::ssize(nodes.times), nodes.num_nodes, what);
      } else {
        nodes.features.push_back({name, tables_.read_numbers(file)});
        check_rows(file.string(), nodes.features.back().values.rows(), nodes.num_nodes, what);
      }
    }
    if (auto const file = files_.find(label_folder, "node-label")) {
      nodes.labels = tables_.read_numbers(*file);
      check_rows(file->string(), nodes.labels.rows(), nodes.num_nodes, what);
    }
  }

  void read_edges(edges_type edges, path const& folder) {
    auto const what = edges_of_type(edges);
    auto const file = files_.require(folder, "edge");
    tables_.read_pairs(file, edges);
    auto const ends = tables_.columns_of(edges);
    auto const num_edges = ends.sources.size();
    check_pairs(file.string(), "edge", {ends.sources, ends.destinations}, nodes_of(edges.source),
                nodes_of(edges.destination));
    if (auto const counts = files_.find(folder, "num-edge-list")) {
      check_rows(file.string(), num_edges, read_count(*counts, "edges"), what + " in num-edge-list");
    }
    if (auto const features = files_.find(folder, "edge-feat")) {
      edges.features.push_back({"edge_feat", tables_.read_floats(*features)});
      check_rows(features->string(), edges.features.back().values.rows(), num_edges, what);
    }
    for (auto const& name : files_.list(folder, "edge_")) {
      auto const extra = files_.require(folder, name);
      if (name == "edge_weight") {
        tables_.read_weights(extra, edges);
        check_rows(extra.string(), tables_.columns_of(edges).weights.size(), num_edges, what);
      } else if (name == "edge_year") {
        tables_.read_times(extra, edges);
        check_rows(extra.string(), tables_.columns_of(edges).times.size(), num_edges, what);
      } else {
        edges.features.push_back({name, tables_.read_numbers(extra)});
        check_rows(extra.string(), edges.features.back().values.rows(), num_edges, what);
      }
    }
    data_.edges.push_back(std::move(edges));
  }

  [[nodiscard]] raw_data::node_table const& nodes_of(std::string const& type) const {
    return *std::ranges::find(data_.nodes, type, &raw_data::node_table::name);
  }

  void read_split(path const& folder) {
    bool const typed = files_.find(files_.raw(), "num-node-dict").has_value();
    for (auto& nodes : data_.nodes) {
      auto const own = typed ? folder / nodes.name : folder;
      for (auto const& [list, name] :
           {std::pair{&nodes.train, "train"}, std::pair{&nodes.valid, "valid"}, std::pair{&nodes.test, "test"}}) {
        if (auto const file = files_.find(own, name)) {
          *list = read_list(*file);
          check_ids(file->string(), *list, nodes);
          check_unique(file->string(), *list);
        }
      }
    }
    for (auto& edges : data_.edges) {
      auto const own = typed ? folder / folder_of(edges) : folder;
      for (std::string const name : {"train", "valid", "test"}) {
        link_split links{name, read_pairs(own / (name + "_edge.npy"), edges),
                         read_pairs(own / (name + "_edge_neg.npy"), edges)};
        if (!links.edges.sources.empty() || !links.negatives.sources.empty()) {
          edges.links.push_back(std::move(links));
        }
      }
    }
    check_converted(folder);
  }

  link_split::pairs read_pairs(path const& file, raw_data::edge_table const& edges) const {
    std::error_code fault;
    if (!std::filesystem::exists(file, fault)) {
      return {};
    }
    auto pairs = to_pairs(read_npy_any(file), file.string(), pair_layout::either);
    check_pairs(file.string(), "pair", {pairs.sources, pairs.destinations}, nodes_of(edges.source),
                nodes_of(edges.destination));
    return pairs;
  }

  // Throws for a split of torch.save, unless it exists as tables or arrays too.
  void check_converted(path const& folder) const {
    for (std::string const name : {"train", "valid", "test", "split_dict"}) {
      auto const file = folder / (name + ".pt");
      std::error_code fault;
      if (std::filesystem::exists(file, fault) && !has_split(name)) {
        throw io_error(file.string(), 0,
                       "is a split of torch.save; python3 examples/convert.py " + files_.folder().string() +
                           " writes it as arrays beside the file, or move the file away to do without it");
      }
    }
  }

  // True if vertices or edges have the split of this name; of split_dict any.
  [[nodiscard]] bool has_split(std::string const& name) const {
    bool const any = name == "split_dict";
    return std::ranges::any_of(data_.nodes,
                               [&](raw_data::node_table const& nodes) {
                                 return ((any || name == "train") && !nodes.train.empty()) ||
                                        ((any || name == "valid") && !nodes.valid.empty()) ||
                                        ((any || name == "test") && !nodes.test.empty());
                               }) ||
           std::ranges::any_of(data_.edges, [&](raw_data::edge_table const& edges) {
             return std::ranges::any_of(edges.links,
                                        [&](link_split const& links) { return any || links.name == name; });
           });
  }

  ogb_files files_;
  read_options const& reading_;
  Tables tables_;
  ogb_content<edges_type> data_;
};

// Returns the shape of a table's numbers; a single column becomes a list.
inline std::vector<std::int64_t> shape_of_numbers(array const& numbers) {
  auto shape = numbers.shape();
  if (shape[1] == 1) {
    shape.pop_back();
  }
  return shape;
}

// Reader of tables into memory.
class tables_in_memory {
public:
  using edges_type = raw_data::edge_table;

  explicit tables_in_memory(read_options const& reading) : reading_(reading) {}

  [[nodiscard]] array read_floats(std::filesystem::path const& file) const {
    return read_columns<float>(file, {}, reading_);
  }
  [[nodiscard]] array read_numbers(std::filesystem::path const& file) const {
    auto const numbers = read_columns<double>(file, {}, reading_);
    bool const whole = std::ranges::all_of(numbers.values<double>(), is_integer<double>);
    if (whole) {
      return array::of(host_view<std::int64_t const>(integers_of(numbers, file.string())), shape_of_numbers(numbers));
    }
    return array::of(host_view<float const>(floats_of(numbers, file.string())), shape_of_numbers(numbers));
  }

  void read_pairs(std::filesystem::path const& file, raw_data::edge_table& edges) const {
    auto pairs = to_pairs(read_columns<global_id>(file, {.columns = 2}, reading_), file.string(), pair_layout::columns);
    edges.sources = std::move(pairs.sources);
    edges.destinations = std::move(pairs.destinations);
  }
  void read_weights(std::filesystem::path const& file, raw_data::edge_table& edges) const {
    edges.weights = weights_of(read_columns<double>(file, {.columns = 1}, reading_), file.string());
  }
  void read_times(std::filesystem::path const& file, raw_data::edge_table& edges) const {
    edges.times = integers_of(read_columns<std::int64_t>(file, {.columns = 1}, reading_), file.string());
  }
  [[nodiscard]] static edge_columns columns_of(raw_data::edge_table const& edges) { return edges.view().columns; }

private:
  read_options const& reading_;
};

/// Reads a data set of the Open Graph Benchmark from its unpacked folder, or from raw/ in it. Reads sets of one graph,
/// for vertices and links, with and without types.
///
/// Tables are CSV, packed or not: `edge`, `num-node-list`, `node-feat`, `node-label`, `edge-feat`; `node_year` and
/// `edge_year` become times, `edge_weight` weights, and every other `node_…` and `edge_…` a feature of that name.
/// With types: `num-node-dict`, `triplet-type-list`, relations/SOURCE___RELATION___DESTINATION/, node-feat/TYPE/ and
/// node-label/TYPE/. Edges stay as stored: if edges count in both directions, each is stored once, and `symmetrize`
/// adds the reverse edges.
///
/// Splits of vertices are lists `train`, `valid` and `test` in split/NAME/, with types in split/NAME/TYPE/. Splits of
/// links are arrays `valid_edge.npy`, `valid_edge_neg.npy` and so on, [2, L] or [L, 2], with types in
/// split/NAME/SOURCE___RELATION___DESTINATION/. The benchmark has `valid.pt` or `split_dict.pt` instead:
/// examples/convert.py writes them as arrays.
///
/// @throws io_error  if the folder does not hold such a set, no split was chosen of several, a split is only in a .pt
///                   file, a file is missing, damaged or of the wrong row count, or names a vertex that does not exist
[[nodiscard]] inline raw_data read_ogb(std::filesystem::path const& folder, ogb_options const& options = {}) {
  auto read = ogb_reader(folder, options, tables_in_memory(options.reading)).read();
  return {std::move(read.name), std::move(read.nodes), std::move(read.edges)};
}

} // namespace glt::io::detail

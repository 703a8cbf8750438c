// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/detail/npz.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/folder/detail/npy_folder_tables.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>
#include <map>

namespace glt::io::detail {

/// Options of reading a folder of arrays.
struct npy_folder_options {
  dense_options dense{}; ///< of features that are sparse on disk
  read_options reading{};
};

class npy_folder_reader {
public:
  npy_folder_reader(std::filesystem::path const& folder, npy_folder_options const& options)
      : files_(folder), counts_(read_node_counts(files_.meta())), options_(options) {}

  [[nodiscard]] raw_data read() {
    data_.name = files_.name();
    for (auto const& type : files_.edge_types()) {
      read_edges(type);
    }
    for (auto const& type : files_.node_types()) {
      auto const from = [&](path const& file) { return load(file); };
      data_.nodes.push_back(read_node_table(files_, type, counts_, from, from, [&] { return data_.view(); }));
    }
    for (std::size_t i = 0; i < data_.edges.size(); ++i) {
      check_edges(data_.edges[i], files_.edge_types()[i]);
    }
    return std::move(data_);
  }

private:
  using path = std::filesystem::path;

  array load(path const& file) {
    if (options_.reading.on_progress) {
      options_.reading.on_progress({"reading arrays", "files", files_done_, files_.num_files()});
    }
    ++files_done_;
    return file.extension() == ".npz" ? to_dense(read_scipy_csr(file), file.string(), options_.dense)
                                      : read_npy_any(file);
  }

  std::vector<std::int64_t> load_integers(path const& file) {
    auto const values = load(file);
    check_list(file, values);
    return integers_of(values, file.string());
  }

  link_split::pairs load_pairs(path const& file) { return to_pairs(load(file), file.string(), pair_layout::rows); }

  void read_edges(edge_type_name const& type) {
    raw_data::edge_table edges;
    edges.source = type.source;
    edges.name = type.name;
    edges.destination = type.destination;
    auto pairs = load_pairs(*files_.find("edge_index", type.suffix));
    edges.sources = std::move(pairs.sources);
    edges.destinations = std::move(pairs.destinations);
    auto const num_edges = static_cast<std::int64_t>(edges.sources.size());
    auto const what = edges_of_type(edges);
    for (auto const& [name, file] : type.features) {
      edges.features.push_back({name, load(file)});
      check_rows(file.string(), edges.features.back().values.rows(), num_edges, what);
    }
    if (auto const file = files_.find("edge_weight", type.suffix)) {
      auto const values = load(*file);
      edges.weights = weights_of(values, file->string());
      check_rows(file->string(), values.rows(), num_edges, what);
      check_rows(file->string(), static_cast<std::int64_t>(edges.weights.size()), num_edges, what);
    }
    if (auto const file = files_.find("edge_time", type.suffix)) {
      edges.times = load_integers(*file);
      check_rows(file->string(), static_cast<std::int64_t>(edges.times.size()), num_edges, what);
    }
    for (std::string const split : {"train", "valid", "test"}) {
      auto const links = files_.find(split + "_edge", type.suffix);
      auto const negatives = files_.find(split + "_edge_neg", type.suffix);
      if (links || negatives) {
        edges.links.push_back({split, links ? load_pairs(*links) : link_split::pairs{},
                               negatives ? load_pairs(*negatives) : link_split::pairs{}});
      }
    }
    data_.edges.push_back(std::move(edges));
  }

  void check_edges(raw_data::edge_table const& edges, edge_type_name const& type) const {
    auto const& from = *std::ranges::find(data_.nodes, edges.source, &raw_data::node_table::name);
    auto const& to = *std::ranges::find(data_.nodes, edges.destination, &raw_data::node_table::name);
    auto const check = [&](std::string const& kind, std::vector<global_id> const& sources,
                           std::vector<global_id> const& destinations) {
      if (auto const file = files_.find(kind, type.suffix)) {
        check_pairs(file->string(), kind == "edge_index" ? "edge" : "pair", {sources, destinations}, from, to);
      }
    };
    check("edge_index", edges.sources, edges.destinations);
    for (auto const& links : edges.links) {
      check(links.name + "_edge", links.edges.sources, links.edges.destinations);
      check(links.name + "_edge_neg", links.negatives.sources, links.negatives.destinations);
    }
  }

  npy_folder_files files_;
  std::map<std::string, std::int64_t> counts_; // of vertices by type, as meta.json states them
  npy_folder_options const& options_;
  raw_data data_;
  std::int64_t files_done_ = 0;
};

/// Reads a folder of arrays, which are recognised by their names.
///
/// | file | array |
/// |---|---|
/// | `edge_index.npy` | sources and destinations [2, E]; the only one that must be there |
/// | `edge_feat`, `edge_weight`, `edge_time` | [E, …], [E], [E] |
/// | `train_edge`, `valid_edge`, `test_edge`, each also with `_neg` | pairs [2, L] to predict, and such that are none |
/// | `node_feat` (or `node_feat.csr.npz` of SciPy), `node_label`, `node_time` | [V, …], [V, …], [V] |
/// | `train_idx`, `valid_idx`, `test_idx` | vertices of the split, each once; or a mask [V] of type bool |
/// | `num_nodes` | a single number; without it and without rows of vertices, V is one more than the highest id |
///
/// Weights become float32, which rounds whole numbers above 2^24; times are whole numbers, whatever their type.
///
/// With types, every name has them before its ending: `edge_index.paper__to__author.npy`,
/// `node_label.author.npy`. Types come in alphabetical order. A meta.json may state V as `num_nodes` (a number, or an
/// object of them by type) or `nodes`. As `tables` it may state the order of the types, and several features of a type
/// by their names, which are in `node_feat@NAME.npy` and `edge_feat@NAME.npy`: see `write_npy_folder`. Files of other
/// names are not read.
///
/// @throws io_error  if there is no `edge_index`, a name has a type that no edges have, or has types although the graph
///                   has none, an array is damaged, of a wrong shape or row count, or names a vertex that does not
///                   exist, a vertex comes twice in a split, ids are of type bool, a time is not a whole number, or a
///                   weight does not fit float32
[[nodiscard]] inline raw_data read_npy_folder(std::filesystem::path const& folder,
                                              npy_folder_options const& options = {}) {
  return npy_folder_reader(folder, options).read();
}

} // namespace glt::io::detail

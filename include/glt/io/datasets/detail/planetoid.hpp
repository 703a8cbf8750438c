// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npz.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>
#include <initializer_list>

namespace glt::io::detail {

/// Options of reading an archive that holds a citation graph.
struct planetoid_options {
  std::int64_t split = 0; ///< row of the masks, if they are matrices with a row for every split
  dense_options dense{};  ///< of features that are sparse on disk
};

class planetoid_reader {
public:
  planetoid_reader(std::filesystem::path const& path, planetoid_options const& options)
      : file_(path), options_(options) {}

  [[nodiscard]] raw_data read() {
    read_edges();
    read_features();
    if (auto const name = find({"labels", "node_labels", "node_label", "label", "y"})) {
      nodes_.labels = file_.read(*name);
      add_rows(*name, nodes_.labels.rows());
    }
    if (!known_) {
      nodes_.num_nodes = count_ids(edges_.destinations, count_ids(edges_.sources, 0));
    }
    check_pairs(edges_path_, "edge", {edges_.sources, edges_.destinations}, nodes_, nodes_);
    nodes_.train = read_split({"train_mask", "train_masks"}, {"train_idx", "idx_train"});
    nodes_.valid = read_split({"val_mask", "val_masks", "valid_mask"}, {"val_idx", "valid_idx", "idx_val"});
    nodes_.test = read_split({"test_mask", "test_masks"}, {"test_idx", "idx_test"});
    raw_data data{file_.path().stem().string(), {}, {}};
    data.nodes.push_back(std::move(nodes_));
    data.edges.push_back(std::move(edges_));
    return data;
  }

private:
  using names = std::initializer_list<char const*>;

  [[nodiscard]] std::optional<std::string> find(names choices) const {
    for (char const* const name : choices) {
      if (file_.contains(name)) {
        return name;
      }
    }
    return std::nullopt;
  }

  void add_rows(std::string const& name, std::int64_t rows) {
    if (known_) {
      check_rows(file_.path_of(name), rows, nodes_.num_nodes, "vertices");
    }
    nodes_.num_nodes = rows;
    known_ = true;
  }

  void read_edges() {
    if (file_.contains("adj_indptr")) {
      edges_path_ = file_.path_of("adj_indices");
      auto matrix = read_scipy_csr(file_, "adj_", weights_of);
      if (matrix.num_rows != matrix.num_columns) {
        throw io_error(file_.path_of("adj_shape"), 0,
                       glt::detail::message("is ", matrix.num_rows, " x ", matrix.num_columns,
                                            "; the matrix of a graph has as many columns as rows"));
      }
      add_rows("adj_shape", matrix.num_rows);
      auto pairs = to_edges(matrix);
      edges_.sources = std::move(pairs.sources);
      edges_.destinations = std::move(pairs.destinations);
      if (std::ranges::any_of(matrix.values, [](float value) { return value != 1; })) {
        edges_.weights = std::move(matrix.values);
      }
      return;
    }
    auto const name = find({"edge_index", "edges", "adj_matrix"});
    if (!name) {
      throw io_error(file_.path().string(), 0,
                     "holds neither adj_indptr (a SciPy matrix) nor edge_index nor edges; give an archive of a graph");
    }
    edges_path_ = file_.path_of(*name);
    auto const layout = *name == "edges" ? pair_layout::columns : pair_layout::rows;
    auto pairs = to_pairs(file_.read(*name), edges_path_, layout);
    edges_.sources = std::move(pairs.sources);
    edges_.destinations = std::move(pairs.destinations);
  }

  void read_features() {
    if (file_.contains("attr_indptr")) {
      nodes_.features.push_back(
          {"node_feat", to_dense(read_scipy_csr(file_, "attr_"), file_.path().string(), options_.dense)});
      add_rows("attr_shape", nodes_.features.back().values.rows());
    } else if (auto const name = find({"attr_matrix", "node_features", "features", "node_feat", "node_attr", "x"})) {
      nodes_.features.push_back({"node_feat", file_.read(*name)});
      add_rows(*name, nodes_.features.back().values.rows());
    }
  }

  std::vector<global_id> read_split(names masks, names lists) {
    if (auto const name = find(lists)) {
      auto const values = file_.read(*name);
      return values.is_bool() ? places_of(values, *name) : split_of(values, file_.path_of(*name), nodes_);
    }
    auto const name = find(masks);
    return name ? places_of(file_.read(*name), *name) : std::vector<global_id>();
  }

  // Returns the vertices of a mask.
  std::vector<global_id> places_of(array const& values, std::string const& name) {
    bool const several = values.shape().size() == 2;
    auto const rows = several ? values.rows() : 1;
    if (options_.split < 0 || options_.split >= rows) {
      throw io_error(file_.path_of(name), 0,
                     glt::detail::message("has no split ", options_.split, "; its splits are 0 to ", rows - 1));
    }
    auto const width = several ? values.columns() : values.rows();
    check_rows(file_.path_of(name), width, nodes_.num_nodes, "vertices");
    auto const begin = options_.split * width;
    auto const mask = visit_values(values, [&](auto elements) { // bool is welcome here
      return to_integers(elements, file_.path_of(name), begin, begin + width);
    });
    std::vector<global_id> ids;
    for (std::int64_t v = 0; v < width; ++v) {
      if (mask[static_cast<std::size_t>(v)] != 0) {
        ids.push_back(v);
      }
    }
    return ids;
  }

  npz_file file_;
  planetoid_options const& options_;
  raw_data::node_table nodes_;
  raw_data::edge_table edges_;
  std::string edges_path_;
  bool known_ = false;
};

/// Reads an .npz archive that holds a graph with features and labels, the usual form of citation and co-purchase
/// graphs.
///
/// The edges are `adj_data`, `adj_indices`, `adj_indptr` and `adj_shape` of a SciPy matrix (weights only if they
/// are not all 1), `edge_index` [2, E] or `edges` [E, 2]; the features `attr_…` likewise, `attr_matrix`,
/// `node_features`, `features` or `x`; the labels `labels`, `node_labels` or `y`; the split `train_mask` (one, or
/// `train_masks` with a row for each split) or `train_idx`, and so on. Edges are as stored; `symmetrize` makes
/// them go both ways.
///
/// @throws io_error  if there are no edges, an array is damaged or holds Python objects, which are never executed, an
///                   array has a wrong shape or row count or names a vertex that does not exist, or there is no such
///                   split
[[nodiscard]] inline raw_data read_planetoid_npz(std::filesystem::path const& path,
                                                 planetoid_options const& options = {}) {
  return planetoid_reader(path, options).read();
}

} // namespace glt::io::detail

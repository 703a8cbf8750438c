// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/folder/detail/npy_folder_tables.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>
#include <map>
#include <system_error>

namespace glt::io::detail {

// Arrays of one edge type as stored in their files.
struct mapped_edges {
  edge_type_name type;
  array edge_index; // int64 [2, E]
  array weights;    // float32 [E] or empty
  array times;      // int64 [E] or empty
  std::vector<raw_data::named_array> features;
  std::map<std::string, array> links; // int64 [2, n] by kind: train_edge, train_edge_neg, …
};

/// Folder of .npy files as a data set whose edges and features stay in the files until they are used. Equals the data
/// set that `read_npy_folder` makes in memory.
///
/// Lists of vertices and times of vertices are read into memory. The files must not change while the data set lives.
/// Partitioning and hotness estimates throw an `io_error` if a file was changed, replaced or shortened meanwhile. A
/// shortened file then reads as zeros beyond its end.
///
/// Concurrent calls: const members may run concurrently.
class mapped_raw_data {
public:
  /// @throws io_error  as `read_npy_folder`, except for ids, which are checked where they are used; also if edges are
  ///                   not int64, weights not float32 or times not int64, and for features that are sparse or of a type
  ///                   that `map_npy_any` refuses
  /// @cost   maps the files; reads all edges once if no file states the number of vertices
  explicit mapped_raw_data(std::filesystem::path const& folder) : files_(folder) {
    for (auto const& type : files_.edge_types()) {
      map_edges(type);
    }
    auto const counts = read_node_counts(files_.meta());
    for (auto const& type : files_.node_types()) {
      nodes_.push_back(read_node_table(
          files_, type, counts, [&](path const& file) { return map_dense(file); },
          [](path const& file) { return read_npy_any(file); }, [&] { return view(); }));
    }
  }

  [[nodiscard]] std::string name() const { return files_.name(); }

  /// Returns a view of the whole data set, which must outlive the view.
  [[nodiscard]] raw_data_view view() const {
    raw_data_view made{.name = name(), .nodes = nodes_, .edges = {}, .inputs = watch_.get()};
    for (auto const& edges : edges_) {
      auto const ends = edges.edge_index.matrix<global_id>();
      auto& table = made.edges.emplace_back(edge_table_view{.source = edges.type.source,
                                                            .name = edges.type.name,
                                                            .destination = edges.type.destination,
                                                            .columns = {.sources = ends.row(0),
                                                                        .destinations = ends.row(1),
                                                                        .weights = values_of<float>(edges.weights),
                                                                        .times = values_of<std::int64_t>(edges.times)},
                                                            .features = edges.features,
                                                            .links = {},
                                                            .file = file_of("edge_index", edges.type)});
      for (std::string const split : {"train", "valid", "test"}) {
        auto const links = edges.links.find(split + "_edge");
        auto const negatives = edges.links.find(split + "_edge_neg");
        if (links != edges.links.end() || negatives != edges.links.end()) {
          auto const pairs = [&](auto found) {
            return found == edges.links.end() ? vertex_pairs_view{}
                                              : pairs_of(found->second, file_of(found->first, edges.type));
          };
          table.links.push_back({split, pairs(links), pairs(negatives)});
        }
      }
    }
    return made;
  }

private:
  using path = std::filesystem::path;

  template <class T>
  static host_view<T const> values_of(array const& values) {
    return values.empty() ? host_view<T const>() : values.values<T>();
  }
  static vertex_pairs_view pairs_of(array const& pairs, std::string file) {
    auto const rows = pairs.matrix<global_id>();
    return {.sources = rows.row(0), .destinations = rows.row(1), .file = std::move(file)};
  }

  // Follows links, which a folder for other rows may consist of.
  [[nodiscard]] std::string file_of(std::string const& kind, edge_type_name const& type) const {
    auto const file = *files_.find(kind, type.suffix);
    std::error_code fault;
    auto const behind_links = std::filesystem::is_symlink(file, fault) ? std::filesystem::canonical(file, fault) : file;
    return fault ? file.string() : behind_links.string();
  }

  [[nodiscard]] array map_pairs(path const& file) const {
    auto pairs = map_npy(file, element_type::int64, {.watch = watch_});
    if (pairs.shape().size() != 2 || pairs.rows() != 2) {
      throw io_error(file.string(), 0,
                     "has the shape " + shape_text(pairs.shape()) +
                         "; pairs of vertices are [2, E] here, save the transpose");
    }
    return pairs;
  }

  [[nodiscard]] array map_dense(path const& file) const {
    if (file.extension() == ".npz") {
      throw io_error(file.string(), 0, "is sparse, and cannot stay in its file; save it as a dense .npy file");
    }
    return map_npy_any(file, {.watch = watch_});
  }

  void map_edges(edge_type_name const& type) {
    mapped_edges edges{.type = type,
                       .edge_index = map_pairs(*files_.find("edge_index", type.suffix)),
                       .weights = {},
                       .times = {},
                       .features = {},
                       .links = {}};
    auto const num_edges = edges.edge_index.columns();
    auto const what = edges_of_type(type);
    auto const map = [&](char const* kind, element_type wanted) {
      auto const file = files_.find(kind, type.suffix);
      auto made = file ? map_npy(*file, wanted, {.watch = watch_}) : array();
      if (file) {
        if (wanted == element_type::int64) {
          check_list(*file, made);
        }
        check_rows(file->string(), made.rows(), num_edges, what);
        check_rows(file->string(), made.bytes().size() / glt::detail::size_of(wanted), num_edges, what);
      }
      return made;
    };
    for (auto const& [name, file] : type.features) {
      edges.features.push_back({name, map_dense(file)});
      check_rows(file.string(), edges.features.back().values.rows(), num_edges, what);
    }
    edges.weights = map("edge_weight", element_type::float32);
    edges.times = map("edge_time", element_type::int64);
    for (auto const* const kind :
         {"train_edge", "valid_edge", "test_edge", "train_edge_neg", "valid_edge_neg", "test_edge_neg"}) {
      if (auto const file = files_.find(kind, type.suffix)) {
        edges.links.emplace(kind, map_pairs(*file));
      }
    }
    edges_.push_back(std::move(edges));
  }

  npy_folder_files files_;
  std::shared_ptr<input_watch> watch_ = std::make_shared<input_watch>();
  std::vector<raw_data::node_table> nodes_;
  std::vector<mapped_edges> edges_;
};

} // namespace glt::io::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "added_edges.hpp"
#include "options.hpp"

#include <glt/comm/serial.hpp>
#include <glt/core/detail/atomic_file.hpp>
#include <glt/core/element_type.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/folder/detail/npy_folder_tables.hpp>
#include <glt/io/folder/detail/npy_together.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/staging/detail/stage_graph.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

/// Writes the edges of a data set anew that the options add some to, in a folder of links to its files.
class added_edge_files {
public:
  /// @param folder   of links to the files of `data`
  /// @param scratch  for what waits on disk
  added_edge_files(std::filesystem::path folder, glt::io::raw_data_view const& data, options const& chosen,
                   std::filesystem::path scratch)
      : folder_(std::move(folder)), data_(data), chosen_(chosen), scratch_(std::move(scratch)), files_(folder_) {}

  /// What `add_edges` does in memory.
  void write() {
    check_added_edges(data_, chosen_);
    auto tables = glt::io::detail::tables_of(data_);
    for (std::size_t t = 0; t < data_.edges.size(); ++t) {
      auto const& edges = data_.edges[t];
      auto const& type = files_.edge_types()[t];
      auto const what = additions_of(edges, chosen_);
      auto const ends = glt::io::detail::checked_ends(edges, data_);
      ends.check(); // here, for later the file would be one of this folder
      if (what.reverse_relation) {
        tables.edges.push_back({.source = edges.destination,
                                .name = name_of_reverse(edges.name),
                                .destination = edges.source,
                                .features = tables.edges[t].features});
        write_reverse(edges, type, glt::io::detail::suffix_of(tables.edges.back()));
      }
      auto const num_vertices = num_vertices_of(data_, edges.source);
      glt::io::detail::staged_edges::columns both;
      auto columns = edges.columns;
      if (what.both_ways) {
        constexpr std::int64_t usual = std::int64_t{1} << 31;
        both = glt::io::detail::stage_both_ways(ends, scratch_ / std::to_string(t),
                                                (chosen_.memory > 0 ? chosen_.memory : usual) / 2);
        columns = both.view();
      }
      if (what.both_ways || what.appends()) {
        write_pairs(type.suffix, columns, num_vertices, what);
      }
      if (what.appends() && has_values(edges)) {
        write_values(edges, type, num_vertices, what);
      }
      if (what.appends() && edges.columns.sources.empty()) {
        remove_empty_values(type.suffix);
      }
    }
    if (tables.edges.size() > data_.edges.size()) {
      write_tables(tables);
    }
  }

private:
  using path = std::filesystem::path;
  using edge_table_view = glt::io::detail::edge_table_view;
  using edge_type_name = glt::io::detail::edge_type_name;
  using edge_columns = glt::io::detail::edge_columns;

  [[nodiscard]] path path_of(std::string const& kind, std::string const& suffix) const {
    return folder_ / (kind + suffix + ".npy");
  }

  // Values are those of the edges, by the same place: links to their files.
  void write_reverse(edge_table_view const& edges, edge_type_name const& type, std::string const& suffix) {
    glt::serial_comm alone;
    glt::io::detail::write_pairs_together(alone, path_of("edge_index", suffix), edges.columns.destinations,
                                          edges.columns.sources);
    auto const link = [&](std::string const& kind, path const& file) {
      std::filesystem::create_symlink(std::filesystem::absolute(file), path_of(kind, suffix));
    };
    for (char const* const kind : {"edge_weight", "edge_time"}) {
      if (auto const file = files_.find(kind, type.suffix)) {
        link(kind, *file);
      }
    }
    for (auto const& feature : type.features) {
      link(glt::io::detail::feature_kind("edge_feat", feature.name), feature.path);
    }
  }

  // A file of so many rows: those that are there, and behind them what add(write) writes.
  template <class Add>
  static void write_file(path const& file, glt::element_type type, std::vector<std::int64_t> const& shape, Add add) {
    auto const head = glt::io::detail::npy_start(glt::io::detail::npy_own_name_of(type), shape);
    std::filesystem::remove(file); // the link, which is not followed
    glt::detail::atomic_file out(file);
    out.write(head->data(), std::ssize(*head));
    add(out);
    out.commit();
  }

  static std::int64_t count_appended(edge_columns const& columns, std::int64_t num_vertices,
                                     edge_additions const& what) {
    std::int64_t count = 0;
    for_appended(columns, num_vertices, what, [&](glt::global_id, glt::global_id, std::int64_t) { ++count; });
    return count;
  }

  void write_pairs(std::string const& suffix, edge_columns const& columns, std::int64_t num_vertices,
                   edge_additions const& what) {
    std::vector<std::int64_t> const shape{2, columns.sources.size() + count_appended(columns, num_vertices, what)};
    auto const file = *files_.find("edge_index", suffix);
    write_file(file, glt::element_type::int64, shape, [&](auto& out) {
      for (auto const row : {0, 1}) {
        auto const& given = row == 0 ? columns.sources : columns.destinations;
        out.write(given.data(), given.size() * static_cast<std::int64_t>(sizeof(glt::global_id)));
        for_appended(columns, num_vertices, what, [&](glt::global_id source, glt::global_id destination, std::int64_t) {
          auto const id = row == 0 ? source : destination;
          out.write(&id, sizeof(id));
        });
      }
    });
  }

  void write_values(edge_table_view const& edges, edge_type_name const& type, std::int64_t num_vertices,
                    edge_additions const& what) {
    auto const count = edges.columns.sources.size() + count_appended(edges.columns, num_vertices, what);
    // `none` is the row of an edge that comes from no other.
    auto const write = [&](path const& file, glt::element_type kind, std::vector<std::int64_t> shape, void const* rows,
                           std::byte const* none) {
      shape[0] = count;
      auto row_bytes = glt::detail::size_of(kind);
      for (std::size_t i = 1; i < shape.size(); ++i) {
        row_bytes *= shape[i];
      }
      auto const* const first = static_cast<std::byte const*>(rows);
      write_file(file, kind, shape, [&](auto& out) {
        out.write(first, edges.columns.sources.size() * row_bytes);
        for_appended(edges.columns, num_vertices, what, [&](glt::global_id, glt::global_id, std::int64_t origin) {
          out.write(origin < 0 ? none : first + origin * row_bytes, row_bytes);
        });
      });
    };
    for (std::size_t i = 0; i < edges.features.size(); ++i) {
      auto const& values = edges.features[i].values;
      write(type.features[i].path, values.type(), values.shape(), values.bytes().data(), nullptr);
    }
    if (!edges.columns.weights.empty()) {
      float const weight = 1;
      write(*files_.find("edge_weight", type.suffix), glt::element_type::float32, {0}, edges.columns.weights.data(),
            reinterpret_cast<std::byte const*>(&weight));
    }
    if (!edges.columns.times.empty()) {
      write(*files_.find("edge_time", type.suffix), glt::element_type::int64, {0}, edges.columns.times.data(), nullptr);
    }
  }

  // In memory, weights and times of no edges are none.
  void remove_empty_values(std::string const& suffix) {
    for (char const* const kind : {"edge_weight", "edge_time"}) {
      if (auto const file = files_.find(kind, suffix)) {
        std::filesystem::remove(*file);
      }
    }
  }

  // The order of the types, which alphabetical names do not say any more; what else meta.json said, numbers of vertices,
  // becomes files.
  void write_tables(glt::io::detail::npy_folder_tables const& tables) {
    for (std::size_t t = 0; t < data_.nodes.size(); ++t) {
      std::array const number{data_.nodes[t].num_nodes};
      auto const file = path_of("num_nodes", files_.node_types()[t].suffix);
      std::filesystem::remove(file); // the link, here and below
      glt::io::write_npy(file, number);
    }
    std::filesystem::remove(folder_ / "meta.json");
    glt::detail::write_file(folder_ / "meta.json", glt::io::detail::tables_text(tables));
  }

  path folder_;
  glt::io::raw_data_view const& data_;
  options const& chosen_;
  path scratch_;
  glt::io::detail::npy_folder_files files_;
};

} // namespace glt_partition

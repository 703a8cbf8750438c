// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/serial.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/datasets/detail/ogb_files.hpp>
#include <glt/io/datasets/detail/ogb_reader.hpp>
#include <glt/io/datasets/detail/ogb_tables.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/parse_lines.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/outofcore/staging/detail/stage_graph.hpp>
#include <glt/outofcore/staging/detail/staged_edges.hpp>

#include <filesystem>

namespace glt::io::detail {

// Edges whose columns stay on disk; the columns of the base table are empty.
struct staged_edge_table : raw_data::edge_table {
  staged_edges::columns columns{};
};

// Reader of tables, piece by piece, into files of a folder, which are removed with the arrays.
class tables_on_disk {
public:
  using edges_type = staged_edge_table;

  tables_on_disk(std::filesystem::path folder, read_options const& reading)
      : folder_(std::move(folder)), reading_(reading) {}

  [[nodiscard]] array read_floats(std::filesystem::path const& file) { return read<float>(file, {}); }

  [[nodiscard]] array read_numbers(std::filesystem::path const& file) {
    bool whole = true;
    auto const numbers = read<double>(file, {}, [&](host_view<double const> piece) {
      whole = whole && std::ranges::all_of(piece, is_integer<double>);
    });
    return whole ? convert<std::int64_t>(numbers, file) : convert<float>(numbers, file);
  }

  void read_pairs(std::filesystem::path const& file, staged_edge_table& edges) {
    text_source source(file);
    auto lines = begin_columns<global_id>(source, {.columns = 2});
    staged_edges staged(folder_, next_name());
    raw_data::edge_table piece;
    parse_pieces(source, reading_, "reading numbers", lines, [&](column_lines<global_id>& all) {
      auto const elements = all.elements();
      for (std::int64_t i = 0; i < elements.size(); i += 2) {
        piece.sources.push_back(elements[i]);
        piece.destinations.push_back(elements[i + 1]);
      }
      all.clear();
      staged.take(piece);
    });
    edges.columns = std::move(staged).finish();
  }
  void read_weights(std::filesystem::path const& file, staged_edge_table& edges) {
    edges.columns.weights = read<float>(file, {.columns = 1}).template take<float>();
  }
  void read_times(std::filesystem::path const& file, staged_edge_table& edges) {
    edges.columns.times = read<std::int64_t>(file, {.columns = 1}).template take<std::int64_t>();
  }
  [[nodiscard]] static edge_columns columns_of(staged_edge_table const& edges) { return edges.columns.view(); }

private:
  [[nodiscard]] std::string next_name() { return "table" + std::to_string(num_tables_++); }

  struct no_look {
    template <class T>
    void operator()(host_view<T const>) const {}
  };

  template <class T, class Look = no_look>
  array read(std::filesystem::path const& file, column_options const& options, Look look = {}) {
    text_source source(file);
    auto lines = begin_columns<T>(source, options);
    staged_rows rows(folder_ / next_name(), glt::detail::element_type_of<T>, {lines.columns()});
    parse_pieces(source, reading_, "reading numbers", lines, [&](column_lines<T>& all) {
      look(all.elements());
      rows.append(all.elements());
      all.clear();
    });
    return std::move(rows).finish();
  }

  template <class T>
  array convert(array const& numbers, std::filesystem::path const& file) {
    auto shape = shape_of_numbers(numbers);
    staged_rows rows(folder_ / next_name(), glt::detail::element_type_of<T>, {shape.begin() + 1, shape.end()});
    auto const values = numbers.values<double>();
    std::vector<T> piece;
    for (std::int64_t first = 0; first < values.size(); first += piece_size) {
      piece.clear();
      for (auto i = first; i < std::min(first + piece_size, values.size()); ++i) {
        if constexpr (std::floating_point<T>) {
          piece.push_back(to_float(values[i], i, file.string()));
        } else {
          piece.push_back(static_cast<T>(values[i]));
        }
      }
      rows.append(host_view<T const>(piece));
    }
    return std::move(rows).finish();
  }

  static constexpr std::int64_t piece_size = std::int64_t{1} << 16;

  std::filesystem::path folder_;
  read_options const& reading_;
  int num_tables_ = 0;
};

/// Reads an Open Graph Benchmark data set and writes it as a folder of arrays, piece by piece. The folder equals
/// `write_npy_folder` of the result of `read_ogb`.
///
/// Runs in one process: the tables are packed, and packed files cannot be cut.
///
/// @where  memory for a piece of text, for lists of vertices and their times, and for link splits; edges and features
///         are stored in the folder, twice for a moment
/// @throws io_error            as `read_ogb`, or if the folder cannot be made or written, or is not empty
/// @throws precondition_error  as `write_npy_folder`
inline void stage_ogb(std::filesystem::path const& input, std::filesystem::path const& folder,
                      ogb_options const& options = {}) {
  detail::make_empty_folder(folder);
  auto const read = detail::ogb_reader(input, options, detail::tables_on_disk(folder, options.reading)).read();
  raw_data_view data{.name = read.name, .nodes = read.nodes, .edges = {}};
  for (auto const& table : read.edges) {
    data.edges.push_back(view_of(table));
    data.edges.back().columns = table.columns.view();
  }
  detail::write_checked_folder(folder, data);
}

} // namespace glt::io::detail

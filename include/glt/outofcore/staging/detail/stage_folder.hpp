// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/serial.hpp>
#include <glt/core/detail/atomic_file.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/detail/npz.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/datasets/detail/ogb.hpp>
#include <glt/io/datasets/detail/ogb_files.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/folder/detail/npy_together.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/outofcore/staging/detail/stage_graph.hpp>

#include <filesystem>

namespace glt::io::detail {

// True if `mapped_raw_data` can map the file as it is; its elements must be of type `wanted`, if given.
inline bool can_stay(std::filesystem::path const& path, std::optional<element_type> wanted) {
  auto const header = io::detail::read_npy_header(path);
  auto const* const known = std::ranges::find(npy_conversions, header.type, &npy_conversion::stored);
  return !has_columns_first(header) && known != npy_conversions.end() &&
         known->stored_size == glt::detail::size_of(known->type) && known->stored != "<u8" &&
         (!wanted || known->type == *wanted);
}

// The bytes of an array as elements of another type.
inline void write_as(glt::detail::atomic_file& out, array const& piece, std::optional<element_type> wanted,
                     std::string const& path) {
  auto const write = [&](auto const& values) {
    out.write(values.data(), std::ssize(values) * static_cast<std::int64_t>(sizeof(values[0])));
  };
  if (wanted == element_type::int64) {
    write(integers_of(piece, path));
  } else if (wanted == element_type::float32) {
    write(weights_of(piece, path));
  } else {
    out.write(piece.bytes().data(), piece.bytes().size());
  }
}

/// Rewrites an .npy file, piece by piece, with the elements that `read_npy_any` reads. Converts them to `wanted`, if
/// given: int64, or float32, the type of weights.
///
/// @throws io_error  as `read_npy_any`, for an element that is not a whole number if int64 is wanted, or a weight that
///                   does not fit float32
inline void convert_npy(std::filesystem::path const& path, std::filesystem::path const& made,
                        std::optional<element_type> wanted) {
  npy_pieces pieces(path);
  glt::detail::atomic_file out(made);
  auto const head = *npy_start(npy_own_name_of(wanted.value_or(pieces.type())), pieces.header().shape);
  out.write(head.data(), std::ssize(head));
  pieces.for_each([&](array const& piece, std::int64_t) { write_as(out, piece, wanted, path.string()); });
  out.commit();
}

/// Writes a sparse matrix as a dense .npy file, row after row; equals the result of `to_dense`.
///
/// @throws io_error  if a row is too long, or the file cannot be written
inline void write_dense(csr_matrix const& matrix, std::filesystem::path const& path,
                        std::filesystem::path const& made) {
  constexpr std::int64_t most_columns = std::int64_t{1} << 26;
  if (matrix.num_columns > most_columns) {
    throw io_error(path.string(), 0,
                   glt::detail::message("is a sparse matrix of ", matrix.num_columns,
                                        " columns, too many for dense features; reduce them to ", most_columns,
                                        " or fewer"));
  }
  glt::detail::atomic_file out(made);
  std::array const shape{matrix.num_rows, matrix.num_columns};
  auto const head = *npy_start(npy_type<float>(), shape);
  out.write(head.data(), std::ssize(head));
  std::vector<float> row(static_cast<std::size_t>(matrix.num_columns));
  for (std::size_t r = 0; r + 1 < matrix.offsets.size(); ++r) {
    std::ranges::fill(row, 0.0F);
    auto const end = static_cast<std::size_t>(matrix.offsets[r + 1]);
    for (auto e = static_cast<std::size_t>(matrix.offsets[r]); e < end; ++e) {
      row[static_cast<std::size_t>(matrix.columns[e])] += matrix.values.empty() ? 1.0F : matrix.values[e];
    }
    out.write(row.data(), std::ssize(row) * static_cast<std::int64_t>(sizeof(float)));
  }
  out.commit();
}

/// Makes a folder that `mapped_raw_data` maps from a folder of arrays. Files that can be mapped as they are become
/// links, all others are rewritten piece by piece.
///
/// @where  memory for a piece of an array; all entries of a matrix that is sparse on disk
/// @throws io_error  as `read_npy_folder` for names and types of arrays; or if the folder cannot be made or written, or
///                   is not empty
inline void stage_npy_folder(std::filesystem::path const& input, std::filesystem::path const& folder) {
  detail::npy_folder_files const files(input);
  detail::make_empty_folder(folder);
  auto const stage = [&](std::filesystem::path const& file, std::optional<element_type> wanted) {
    auto const made = folder / file.filename();
    if (file.extension() == ".npz") {
      auto const name = file.filename().string(); // node_feat.TYPE.csr.npz
      detail::write_dense(detail::read_scipy_csr(file), file, folder / (name.substr(0, name.size() - 8) + ".npy"));
    } else if (detail::can_stay(file, wanted)) {
      std::filesystem::create_symlink(std::filesystem::absolute(file), made);
    } else {
      detail::convert_npy(file, made, wanted);
    }
  };
  auto const stage_kind = [&](char const* kind, std::string const& suffix, std::optional<element_type> wanted) {
    if (auto const file = files.find(kind, suffix)) {
      stage(*file, wanted);
    }
  };
  for (auto const& type : files.edge_types()) {
    for (char const* const kind : {"edge_index", "edge_time", "train_edge", "valid_edge", "test_edge", "train_edge_neg",
                                   "valid_edge_neg", "test_edge_neg"}) {
      stage_kind(kind, type.suffix, element_type::int64);
    }
    stage_kind("edge_weight", type.suffix, element_type::float32);
    for (auto const& feature : type.features) {
      stage(feature.path, std::nullopt);
    }
  }
  for (auto const& type : files.node_types()) {
    for (char const* const kind : {"num_nodes", "node_label", "node_time", "train_idx", "valid_idx", "test_idx"}) {
      stage_kind(kind, type.suffix, std::nullopt);
    }
    for (auto const& feature : type.features) {
      stage(feature.path, std::nullopt);
    }
  }
  if (std::filesystem::exists(files.meta())) {
    std::filesystem::create_symlink(std::filesystem::absolute(files.meta()), folder / "meta.json");
  }
}

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
    auto const numbers = read<double>(file, {.columns = 1});
    check_weights(numbers, file.string());
    edges.columns.weights = convert<float>(numbers, file).template take<float>();
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
    data.edges.push_back(table.view());
    data.edges.back().columns = table.columns.view();
  }
  detail::write_checked_folder(folder, data);
}

} // namespace glt::io::detail

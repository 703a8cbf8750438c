// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npy_any.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/detail/npy_layout.hpp>
#include <glt/io/array/detail/npy_pieces.hpp>
#include <glt/io/array/detail/scipy_csr.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/folder/detail/npy_lists.hpp>
#include <glt/io/folder/detail/npy_together.hpp>
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

/// Rewrites an .npy file, piece by piece, with the elements that `read_npy_any` reads. Converts them to `wanted`, if given:
/// int64, or float32, the type of weights.
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

} // namespace glt::io::detail

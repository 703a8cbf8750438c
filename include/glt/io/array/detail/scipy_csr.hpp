// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npz.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Sparse matrix in CSR format.
///
/// @shape  offsets [rows + 1] · columns [entries] · values [entries] or empty
struct csr_matrix {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> columns{}; ///< of every entry
  std::vector<float> values{};         ///< of every entry

  [[nodiscard]] std::int64_t num_entries() const { return static_cast<std::int64_t>(columns.size()); }
};

/// Limit on the size of a dense matrix.
struct dense_options {
  std::int64_t max_bytes = std::int64_t{4} << 30;
};

inline void check_csr(csr_matrix const& matrix, npz_file const& file, std::string const& prefix) {
  auto const fail = [&](char const* member, std::string const& what) {
    throw io_error(file.path_of(prefix + member), 0, what + "; save the matrix again with scipy.sparse.save_npz");
  };
  auto const& offsets = matrix.offsets;
  auto const entries = matrix.num_entries();
  if (matrix.num_rows < 0 || matrix.num_columns < 0) {
    fail("shape", glt::detail::message("is (", matrix.num_rows, ", ", matrix.num_columns, ")"));
  }
  if (static_cast<std::int64_t>(offsets.size()) - 1 != matrix.num_rows) {
    fail("indptr", glt::detail::message("has ", offsets.size(), " offsets for ", matrix.num_rows, " rows"));
  }
  if (offsets.front() != 0 || offsets.back() != entries || !std::ranges::is_sorted(offsets)) {
    fail("indptr", glt::detail::message("does not ascend from 0 to ", entries, ", the number of entries"));
  }
  for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
    if (matrix.columns[i] < 0 || matrix.columns[i] >= matrix.num_columns) {
      fail("indices", glt::detail::message("element ", i, " is ", matrix.columns[i], ", outside [0, ",
                                           matrix.num_columns, "), the columns of the matrix"));
    }
  }
  if (!matrix.values.empty() && matrix.values.size() != matrix.columns.size()) {
    fail("data", glt::detail::message("has ", matrix.values.size(), " values for ", entries, " entries"));
  }
}

/// Reads the matrix from the arrays `prefix`indptr, indices, shape and, if the matrix has values, data.
/// `convert` makes floats of these.
///
/// @throws io_error  if an array is missing or contradicts the others, or the format is not CSR
[[nodiscard]] inline csr_matrix read_scipy_csr(npz_file& file, std::string const& prefix = {},
                                               std::vector<float> (*convert)(array const&,
                                                                             std::string const&) = floats_of) {
  if (file.contains(prefix + "format")) {
    if (auto const format = file.read_string(prefix + "format"); format != "csr") {
      throw io_error(file.path_of(prefix + "format"), 0,
                     "is '" + format + "'; save scipy.sparse.csr_matrix of the matrix");
    }
  }
  auto const integers = [&](char const* name) {
    return integers_of(file.read(prefix + name), file.path_of(prefix + name));
  };
  auto const shape = integers("shape");
  if (shape.size() != 2) {
    throw io_error(file.path_of(prefix + "shape"), 0, "is not the shape of a matrix, which has two sides");
  }
  csr_matrix matrix{shape[0], shape[1], integers("indptr"), integers("indices"), {}};
  if (file.contains(prefix + "data")) {
    matrix.values = convert(file.read(prefix + "data"), file.path_of(prefix + "data"));
    if (matrix.values.empty() != matrix.columns.empty()) {
      throw io_error(file.path_of(prefix + "data"), 0,
                     glt::detail::message("has ", matrix.values.size(), " values for ", matrix.num_entries(),
                                          " entries; save the matrix again with scipy.sparse.save_npz"));
    }
  }
  if (matrix.offsets.empty()) {
    throw io_error(file.path_of(prefix + "indptr"), 0, "is empty; save the matrix again");
  }
  check_csr(matrix, file, prefix);
  return matrix;
}

/// Reads a file that `scipy.sparse.save_npz` made from a CSR matrix.
///
/// @throws io_error  if there is no such file, or as `npz_file`
[[nodiscard]] inline csr_matrix read_scipy_csr(std::filesystem::path const& path) {
  npz_file file(path);
  return read_scipy_csr(file);
}

/// Returns the dense matrix; entries at one place are added up, and entries without values are 1.
///
/// @shape  [rows, columns] of float32
/// @throws io_error  naming `path` if the matrix would take more than `max_bytes`
[[nodiscard]] inline array to_dense(csr_matrix const& matrix, std::string const& path,
                                    dense_options const& options = {}) {
  constexpr std::int64_t element = sizeof(float);
  if (matrix.num_columns > 0 && matrix.num_rows > options.max_bytes / element / matrix.num_columns) {
    throw io_error(path, 0,
                   glt::detail::message("is a sparse matrix of ", matrix.num_rows, " x ", matrix.num_columns,
                                        "; dense, as features are kept, it takes more than the ", options.max_bytes,
                                        " bytes allowed; raise max_bytes or reduce the columns"));
  }
  buffer<device::cpu, std::byte> bytes(matrix.num_rows * matrix.num_columns * element);
  auto* const values = reinterpret_cast<float*>(bytes.data());
  std::fill_n(values, matrix.num_rows * matrix.num_columns, 0.0F);
  for (std::int64_t row = 0; row < matrix.num_rows; ++row) {
    auto const end = static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(row) + 1]);
    for (auto i = static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(row)]); i < end; ++i) {
      values[row * matrix.num_columns + matrix.columns[i]] += matrix.values.empty() ? 1.0F : matrix.values[i];
    }
  }
  return {element_type::float32, {matrix.num_rows, matrix.num_columns}, std::move(bytes)};
}

/// Returns the entries as edges from row to column, row by row.
[[nodiscard]] inline link_split::pairs to_edges(csr_matrix const& matrix) {
  link_split::pairs edges;
  edges.destinations = matrix.columns;
  edges.sources.reserve(matrix.columns.size());
  for (std::int64_t row = 0; row < matrix.num_rows; ++row) {
    auto const at = static_cast<std::size_t>(row);
    edges.sources.insert(edges.sources.end(), static_cast<std::size_t>(matrix.offsets[at + 1] - matrix.offsets[at]),
                         row);
  }
  return edges;
}

} // namespace glt::io::detail

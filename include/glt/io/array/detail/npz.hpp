// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/libraries.hpp>
#include <glt/io/raw_data.hpp>

#include <charconv>
#include <filesystem>
#include <system_error>
#include <zip.h>

namespace glt::io::detail {

// Returns the bytes of a NumPy string type such as "|S3" or "<U3"; 0 for other types.
inline std::int64_t npy_string_size(std::string_view type) {
  std::int64_t length = 0;
  if (type.size() < 3 || !(type.starts_with("|S") || type.starts_with("<U"))) {
    return 0;
  }
  auto const [end, fault] = std::from_chars(type.data() + 2, type.data() + type.size(), length);
  constexpr std::int64_t longest = 4096;
  if (fault != std::errc() || end != type.data() + type.size() || length > longest) {
    return 0;
  }
  return type[1] == 'U' ? length * 4 : length;
}

// Reads an array of one string; NumPy pads with zero bytes and stores a letter in 1 or 4 bytes.
template <byte_source Source>
std::string read_npy_string(Source& source) {
  auto const header = read_npy_header(source);
  auto const size = npy_string_size(header.type);
  if (size == 0) {
    source.fail(0, "holds elements of type '" + header.type + "' where a single string belongs");
  }
  if (count_npy_elements(source, header, size) != 1) {
    source.fail(0, "is an array of shape " + shape_text(header.shape) + " where a single string belongs");
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  auto const begin = source.position();
  source.read(bytes.data(), size);
  std::size_t const step = header.type[1] == 'U' ? 4 : 1;
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bool const low = i % step == 0;
    if (static_cast<unsigned char>(bytes[i]) > 127 || (!low && bytes[i] != '\0')) {
      source.fail(begin + static_cast<std::int64_t>(i), "has a letter that is not ASCII");
    }
    if (low) {
      text += bytes[i];
    }
  }
  return text.substr(0, text.find('\0'));
}

// Member of an archive that is read like a file; errors name it as archive/member.
class zip_member {
public:
  zip_member(zip_t* archive, std::uint64_t index, std::int64_t size, std::string name)
      : size_(size), name_(std::move(name)), file_(zip_fopen_index(archive, index, 0)) {
    if (!file_) {
      fail(0, glt::detail::message("cannot be unpacked: ", zip_strerror(archive), "; make the archive again"));
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }

  void read(void* out, std::int64_t count) {
    for (auto* to = static_cast<char*>(out); count > 0;) {
      auto const got = zip_fread(file_.get(), to, static_cast<zip_uint64_t>(count));
      if (got <= 0) {
        fail(position_,
             glt::detail::message("cannot be unpacked: ", got < 0 ? zip_file_strerror(file_.get()) : "it ends early",
                                  "; make the archive again"));
      }
      to += got;
      count -= got;
      position_ += got;
    }
  }

  // libzip compares the checksum only when a read goes beyond the last byte.
  void check_end() {
    char more = 0;
    if (auto const got = zip_fread(file_.get(), &more, 1); got != 0) {
      fail(position_,
           glt::detail::message("is damaged: ", got < 0 ? zip_file_strerror(file_.get()) : "it is longer than it says",
                                "; make the archive again"));
    }
  }

  [[noreturn]] void fail(std::int64_t offset, std::string const& what) const { throw io_error(name_, offset, what); }

private:
  struct close {
    void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
  };

  std::int64_t size_;
  std::int64_t position_ = 0;
  std::string name_;
  std::unique_ptr<zip_file_t, close> file_;
};

/// .npz archive: arrays by name, stored or deflated, read one at a time.
///
/// Errors about a member name it as archive/member.npy.
///
/// Concurrent calls: none on one object.
class npz_file {
public:
  /// @throws io_error  if there is no such file, or it is not a whole ZIP archive
  explicit npz_file(std::filesystem::path path) : path_(std::move(path)) {
    input_file const file(path_);
    int code = 0;
    archive_.reset(zip_open(path_.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
    if (!archive_) {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      auto const text = glt::detail::message("is no whole .npz archive: ", zip_error_strerror(&error),
                                             "; make it again with numpy.savez");
      zip_error_fini(&error);
      file.fail(0, text);
    }
    file_size_ = file.size();
    auto const count = zip_get_num_entries(archive_.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      char const* const name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
      std::string_view const member = name == nullptr ? "" : name;
      names_.emplace_back(member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member);
    }
  }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  /// Returns the names of the arrays in the order of the archive, without ".npy".
  [[nodiscard]] std::vector<std::string> const& names() const noexcept { return names_; }
  [[nodiscard]] bool contains(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

  /// Returns the unpacked size of all members as the archive's directory states it. Reading a member never takes more
  /// than its stated size.
  ///
  /// @throws io_error  if the directory does not state the size of a member
  [[nodiscard]] double unpacked_bytes() const {
    double bytes = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      zip_stat_t about;
      if (zip_stat_index(archive_.get(), i, 0, &about) != 0 || (about.valid & ZIP_STAT_SIZE) == 0) {
        throw io_error(path_of(names_[i]), 0, "has no size in the directory of the archive; make it again");
      }
      bytes += static_cast<double>(about.size);
    }
    return bytes;
  }

  /// Returns the name that errors give a member, for use in other error messages.
  [[nodiscard]] std::string path_of(std::string_view name) const {
    return path_.string() + "/" + std::string(name) + ".npy";
  }

  /// Reads an array.
  ///
  /// @throws io_error  if there is no array of this name, it is encrypted or damaged, or as `read_npy_any` does
  /// @cost   memory is allocated only after the sizes in the archive were found plausible
  [[nodiscard]] array read(std::string_view name) {
    auto member = open(name);
    auto made = read_npy_source(member);
    member.check_end();
    return made;
  }

  /// Reads a single string, as `numpy.savez(file, format="csr")` writes one.
  ///
  /// @throws io_error  as `read`, and if the array is not a single string of ASCII
  [[nodiscard]] std::string read_string(std::string_view name) {
    auto member = open(name);
    auto made = read_npy_string(member);
    member.check_end();
    return made;
  }

private:
  struct discard {
    void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
  };

  // Deflate expands one byte to at most 1032, which bounds the size that a member can claim.
  static constexpr std::int64_t most_per_byte = 1032;

  zip_member open(std::string_view name) {
    auto const found = std::ranges::find(names_, name);
    if (found == names_.end()) {
      throw io_error(path_.string(), 0,
                     glt::detail::message("holds no array '", name, "' but ", glt::detail::name_list(names_)));
    }
    auto const index = static_cast<zip_uint64_t>(found - names_.begin());
    auto const fail = [&](std::string const& what) { throw io_error(path_of(name), 0, what); };
    zip_stat_t about;
    if (zip_stat_index(archive_.get(), index, 0, &about) != 0) {
      fail(glt::detail::message("cannot be found: ", zip_strerror(archive_.get())));
    }
    if ((about.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && about.encryption_method != ZIP_EM_NONE) {
      fail("is encrypted; make the archive again with numpy.savez");
    }
    bool const known = (about.valid & ZIP_STAT_COMP_METHOD) != 0;
    if (!known || (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)) {
      fail(glt::detail::message("is packed by method ", about.comp_method,
                                "; only stored and deflated members can be read, make it with numpy.savez"));
    }
    auto const packed = std::min(about.comp_size, static_cast<zip_uint64_t>(file_size_));
    if (about.comp_size > packed || about.size / most_per_byte > packed) {
      fail(glt::detail::message("claims ", about.size, " bytes, too many for an archive of ", file_size_,
                                "; make it again"));
    }
    return {archive_.get(), index, static_cast<std::int64_t>(about.size), path_of(name)};
  }

  std::filesystem::path path_;
  std::unique_ptr<zip_t, discard> archive_;
  std::int64_t file_size_ = 0;
  std::vector<std::string> names_;
};

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

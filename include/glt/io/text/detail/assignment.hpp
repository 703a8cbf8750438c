// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/text_cursor.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Parser of lines with one part each.
class assignment_lines {
public:
  [[nodiscard]] assignment_lines fresh() const { return {}; }

  void parse(text_cursor cursor) {
    while (!cursor.done()) {
      if (cursor.skip_line_without_data(comment_marks)) {
        continue;
      }
      auto const part = cursor.natural<local_id>("a part");
      cursor.end_line("the part of a vertex");
      parts_.resize(parts_.size() + 1);
      parts_[parts_.size() - 1] = part;
    }
  }

  void append(assignment_lines& other) {
    auto const before = parts_.size();
    parts_.resize(before + other.parts_.size());
    std::ranges::copy(other.parts_, parts_.begin() + before);
    other.parts_.clear();
  }

  void reserve(double factor) {
    parts_.reserve(static_cast<std::int64_t>(static_cast<double>(parts_.size()) * factor * 1.02));
  }

  [[nodiscard]] buffer<device::cpu, local_id> finish() && { return std::move(parts_); }

private:
  buffer<device::cpu, local_id> parts_;
};

template <class T>
buffer<device::cpu, local_id> read_npy_assignment(std::filesystem::path const& path) {
  auto const array = read_npy<T>(path, 1);
  buffer<device::cpu, local_id> parts(array.data.size());
  for (std::int64_t v = 0; v < parts.size(); ++v) {
    if (array.data[v] < 0 || std::cmp_greater(array.data[v], std::numeric_limits<local_id>::max())) {
      throw io_error(path.string(), 0,
                     glt::detail::message("vertex ", v, " has the part ", std::int64_t{array.data[v]},
                                          "; parts are numbers from 0 on, of 31 bits"));
    }
    parts[v] = static_cast<local_id>(array.data[v]);
  }
  return parts;
}

/// Reads the part of every vertex from text, one part a line, as METIS and its relatives write it; plain or gzip.
///
/// Empty lines and lines that begin with '#' or '%' are skipped. The caller checks that there are as many parts as
/// vertices.
///
/// @shape  [V]
/// @throws io_error            if a line is not a number of 0 or more that fits 31 bits
/// @throws precondition_error  if read.threads < 1
[[nodiscard]] inline buffer<device::cpu, local_id> read_assignment(text_source& source, read_options const& read = {}) {
  assignment_lines lines;
  parse_lines(source, read, "reading parts", lines);
  return std::move(lines).finish();
}

/// Reads the part of every vertex from text, or from a one-dimensional .npy file of 32-bit or 64-bit integers.
///
/// @throws io_error  also as `read_npy`, if the name ends in ".npy"
[[nodiscard]] inline buffer<device::cpu, local_id> read_assignment(std::filesystem::path const& path,
                                                                   read_options const& read = {}) {
  if (path.extension() != ".npy") {
    text_source source(path);
    return read_assignment(source, read);
  }
  return read_npy_header(path).type == npy_type<std::int32_t>() ? read_npy_assignment<std::int32_t>(path)
                                                                : read_npy_assignment<std::int64_t>(path);
}

} // namespace glt::io::detail

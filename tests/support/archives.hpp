// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gzip.hpp"
#include "scratch.hpp"

#include <zip.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// The bytes of an .npy file of a NumPy type, a shape as Python writes it, and elements.
inline std::string npy_bytes(std::string const& type, std::string const& shape, std::string const& elements,
                             std::string const& fortran_order = "False") {
  auto const dictionary =
      "{'descr': '" + type + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(dictionary.size() & 0xFF);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary + elements;
}

template <class T>
std::string raw(std::vector<T> const& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

inline std::string npy_longs(std::vector<std::int64_t> const& values) {
  return npy_bytes("<i8", "(" + std::to_string(values.size()) + ",)", raw(values));
}
/// Pairs as [2, E]: all first ones, then all second ones.
inline std::string npy_pairs(std::vector<std::int64_t> const& values) {
  return npy_bytes("<i8", "(2, " + std::to_string(values.size() / 2) + ")", raw(values));
}
inline std::string npy_floats(std::vector<float> const& values) {
  return npy_bytes("<f4", "(" + std::to_string(values.size()) + ",)", raw(values));
}

/// An archive of files, by name and bytes.
inline void write_zip(std::filesystem::path const& path,
                      std::vector<std::pair<std::string, std::string>> const& members, int method = ZIP_CM_DEFLATE,
                      char const* password = nullptr) {
  auto const insist = [](bool holds) {
    if (!holds) {
      throw std::runtime_error("write_zip");
    }
  };
  int code = 0;
  auto* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  insist(archive != nullptr);
  for (auto const& [name, bytes] : members) {
    auto* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    auto const index = zip_file_add(archive, name.c_str(), source, 0);
    insist(index >= 0);
    insist(zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 0) == 0);
    if (password != nullptr) {
      insist(zip_file_set_encryption(archive, static_cast<zip_uint64_t>(index), ZIP_EM_AES_256, password) == 0);
    }
  }
  insist(zip_close(archive) == 0);
}

/// A file packed by gzip, with the folders that it stands in.
inline void write_gzip(std::filesystem::path const& path, std::string const& text) {
  std::filesystem::create_directories(path.parent_path());
  write_bytes(path, gzip(text));
}

} // namespace glt_test

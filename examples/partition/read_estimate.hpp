// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "available_memory.hpp"
#include "options.hpp"

#include <glt/core/error.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npz.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace glt_partition {

/// About how much memory the arrays of an .npz archive take when they are read and sparse ones made dense.
inline std::int64_t estimate_archive(std::filesystem::path const& path) {
  constexpr double most = 1e17;
  glt::io::detail::npz_file archive(path);
  auto bytes = static_cast<std::int64_t>(std::min(archive.unpacked_bytes(), most));
  if (archive.contains("attr_shape")) { // of sparse features
    auto elements = 2.0;
    for (auto const side : glt::io::detail::integers_of(archive.read("attr_shape"), archive.path_of("attr_shape"))) {
      elements *= static_cast<double>(std::max<std::int64_t>(side, 0));
    }
    bytes += static_cast<std::int64_t>(std::min(elements * sizeof(float), most));
  }
  return bytes;
}

/// The same of all archives of a folder, of which one is read at a time.
inline std::int64_t estimate_archives(std::filesystem::path const& folder) {
  std::int64_t bytes = 0;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename().string().ends_with(".csr.npz")) {
      bytes = std::max(bytes, 2 * estimate_archive(entry.path()));
    }
  }
  return bytes;
}

/// About how much memory reading a data set takes, all of it at once. `copies` of what is read are there at a time: what
/// is read, what is made of it, and room for a conversion.
inline std::int64_t estimate_reading(std::filesystem::path const& input, std::string const& format,
                                     std::int64_t copies = 3) {
  namespace fs = std::filesystem;
  if (format == "wordnet") {
    constexpr std::int64_t synsets = 120'000;
    return synsets * 256 * 4 + (std::int64_t{200} << 20); // features, and texts with what finds words in them
  }
  std::int64_t bytes = 0;
  auto const add = [&](fs::path const& file) {
    std::error_code ignored;
    auto const size = fs::file_size(file, ignored);
    bytes +=
        ignored ? 0 : copies * (file.extension() == ".npz" ? estimate_archive(file) : static_cast<std::int64_t>(size));
  };
  std::error_code fault;
  if (!fs::is_directory(input, fault)) {
    add(input);
    return bytes;
  }
  if (format == "npy") { // nothing below the folder is read, nor is what has another name
    for (auto const& entry : fs::directory_iterator(input, fault)) {
      auto const name = entry.path().filename().string();
      if (entry.is_regular_file(fault) && (name.ends_with(".npy") || name.ends_with(".csr.npz"))) {
        add(entry.path());
      }
    }
    return bytes;
  }
  for (auto const& entry : fs::recursive_directory_iterator(input, fault)) {
    if (entry.is_regular_file(fault)) {
      add(entry.path());
    }
  }
  return bytes;
}

/// Refuses work whose estimate is above the limit; `way_out` is what the user can do instead.
inline void check_fits(std::int64_t needed, options const& chosen, std::string const& work,
                       std::string const& way_out) {
  if (chosen.memory > 0 && needed > chosen.memory) {
    throw glt::precondition_error(glt::detail::message(work, " takes about ", needed, " bytes of memory and --memory ",
                                                       "allows ", chosen.memory, "; ", way_out, ", or allow more"));
  }
}

/// Refuses an input that does not fit the memory that can be had.
inline void check_readable(options const& chosen, std::string const& format) {
  auto const needed = estimate_reading(chosen.input, format, 1);
  if (auto const available = available_memory(); needed > available) {
    throw glt::precondition_error(glt::detail::message("reading ", chosen.input.string(), " as ", format, " takes ",
                                                       needed, " bytes of memory or more, and ", available,
                                                       " can be had; --memory keeps what it can on disk"));
  }
}

} // namespace glt_partition

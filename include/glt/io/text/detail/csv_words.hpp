// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/text/text_source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace glt::io::detail {

/// Reads a small table of words separated by commas, one row a line, plain or packed by gzip; empty lines are passed
/// over.
///
/// @throws io_error  if the file cannot be read, or has more than a megabyte of text
[[nodiscard]] inline std::vector<std::vector<std::string>> read_csv_words(std::filesystem::path const& path) {
  text_limits limits;
  limits.text_bytes = std::int64_t{1} << 20;
  limits.piece_bytes = limits.text_bytes + 1; // all of it, so that a longer one is noticed at once
  text_source source(path, limits);
  std::vector<std::vector<std::string>> rows;
  while (source.load()) {
    auto const text = source.unread();
    auto line = text.substr(0, text.find('\n'));
    source.skip(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t begin = 0; begin <= line.size();) {
      auto const end = std::min(line.find(',', begin), line.size());
      row.emplace_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return rows;
}

} // namespace glt::io::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/view.hpp>

#include <cmath>
#include <cstdint>
#include <string_view>

namespace glt_partition {

/// Hash of a word without regard to case; the same on every machine.
inline std::uint64_t hash_word(std::string_view word) {
  glt::random_key key(0x776f7264); // any constant; it fixes which words share a column
  for (char const letter : word) {
    key = key.fold(static_cast<unsigned char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter));
  }
  return key.bits();
}

/// Counts the words of a text in the columns of a row; every word has a column and a sign. Then scales the
/// row to a mean square of 1.
///
/// @shape  row [F], F > 0, written
/// @source Weinberger et al., "Feature hashing for large scale multitask learning", ICML 2009
inline void hash_words(std::string_view text, glt::host_view<float> row) {
  auto const is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) > 127;
  };
  for (auto& value : row) {
    value = 0;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    auto end = begin;
    while (end < text.size() && is_letter(text[end])) {
      ++end;
    }
    if (end > begin) {
      auto const hash = hash_word(text.substr(begin, end - begin));
      auto const column = static_cast<std::int64_t>((hash >> 1) % static_cast<std::uint64_t>(row.size()));
      row[column] += (hash & 1) != 0 ? 1.0F : -1.0F;
    }
    begin = end + 1;
  }
  double squares = 0;
  for (auto const value : row) {
    squares += static_cast<double>(value) * value;
  }
  auto const scale = squares > 0 ? std::sqrt(static_cast<double>(row.size()) / squares) : 0;
  for (auto& value : row) {
    value = static_cast<float>(value * scale);
  }
}

} // namespace glt_partition

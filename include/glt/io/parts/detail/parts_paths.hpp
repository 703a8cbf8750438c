// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>

namespace glt::io::detail {

inline constexpr char const* manifest_file_name = "manifest.json";

// Encodes a name for a file name: all bytes but letters, digits, - and _ become %XX. Different names stay different,
// and none leads to another folder.
inline std::string encoded_name(std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (char const letter : name) {
    auto const byte = static_cast<unsigned char>(letter);
    bool const plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
    if (plain) {
      encoded += letter;
    } else {
      encoded += {'%', digits[byte / 16], digits[byte % 16]};
    }
  }
  return encoded;
}

inline std::string part_folder(int part) {
  return "part-" + std::to_string(part);
}

inline std::string node_folder(std::string_view type) {
  return encoded_name(type);
}

inline std::string edge_folder(edge_type const& type) {
  return encoded_name(type.source) + "." + encoded_name(type.name) + "." + encoded_name(type.destination);
}

// Returns the file of a feature, whose name must not clash with other arrays of the folder, hot rows and link splits.
inline std::string feature_file(std::string_view name) {
  constexpr std::array<std::string_view, 12> taken{"original", "labels",  "times",    "train",   "valid", "test",
                                                   "offsets",  "sources", "edge_ids", "weights", "halo",  "hot_ids"};
  bool clashes = name.starts_with("feature-") || name.starts_with("hot-") || name.starts_with("links-");
  for (auto const other : taken) {
    clashes = clashes || name == other;
  }
  return (clashes ? "feature-" : "") + encoded_name(name) + ".npy";
}

inline std::string hot_feature_file(std::string_view name) {
  return "hot-" + encoded_name(name) + ".npy";
}

inline std::string links_file(std::string_view split, bool negatives) {
  return "links-" + encoded_name(split) + (negatives ? ".negatives.npy" : ".edges.npy");
}

} // namespace glt::io::detail

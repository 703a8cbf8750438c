// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::io::detail {

/// Returns the least number of letters to add, remove or change to turn one text into the other.
///
/// @source Wagner and Fischer, "The string-to-string correction problem", J. ACM 21(1), 1974
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      auto const changed = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({changed, before + 1, row[j] + 1});
    }
  }
  return row.back();
}

// Other common names of the same arrays.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 22> other_names{
    {{"x", "node_feat"},          {"feat", "node_feat"},
     {"features", "node_feat"},   {"y", "node_label"},
     {"label", "node_label"},     {"labels", "node_label"},
     {"node_year", "node_time"},  {"node_timestamps", "node_time"},
     {"edges", "edge_index"},     {"edge_list", "edge_index"},
     {"edge_attr", "edge_feat"},  {"weights", "edge_weight"},
     {"edge_year", "edge_time"},  {"edge_timestamps", "edge_time"},
     {"time", "edge_time"},       {"times", "edge_time"},
     {"timestamp", "edge_time"},  {"timestamps", "edge_time"},
     {"train_mask", "train_idx"}, {"val_mask", "valid_idx"},
     {"valid_mask", "valid_idx"}, {"test_mask", "test_idx"}}};

/// Returns the known name that was probably meant: a synonym, a plural or other ending, or a name that differs by one
/// or two letters.
[[nodiscard]] inline std::optional<std::string_view> find_nearly_known(std::string_view name,
                                                                       std::span<std::string_view const> known) {
  std::string plain(name);
  std::ranges::transform(plain, plain.begin(), [](char letter) {
    return letter == '-' || letter == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  });
  if (auto const* const found = std::ranges::find(other_names, plain, [](auto const& pair) { return pair.first; });
      found != other_names.end()) {
    return found->second;
  }
  auto const letters = [](std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char letter) { return std::isalpha(letter) != 0; });
  };
  std::optional<std::string_view> nearest;
  std::size_t least = 3;
  for (auto const candidate : known) {
    bool const longer = plain.starts_with(candidate) && letters(std::string_view(plain).substr(candidate.size()));
    auto const distance = longer ? 1 : edit_distance(plain, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

} // namespace glt::io::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <algorithm>
#include <vector>

namespace glt::detail {

/// Numbers of vertices in the parts, which only grow; finds the lowest of the smallest parts.
///
/// @cost   O(V + P · V / P) for V additions with a look-up after each
class part_sizes {
public:
  explicit part_sizes(int num_parts) : sizes_(static_cast<std::size_t>(num_parts), 0) {}

  [[nodiscard]] std::int64_t operator[](std::size_t part) const noexcept { return sizes_[part]; }
  [[nodiscard]] std::size_t num_parts() const noexcept { return sizes_.size(); }

  void add(std::size_t part) noexcept { ++sizes_[part]; }

  void clear() {
    std::ranges::fill(sizes_, 0);
    candidates_.clear();
  }

  [[nodiscard]] std::size_t smallest() {
    while (!candidates_.empty() && sizes_[candidates_.back()] != level_) {
      candidates_.pop_back();
    }
    if (candidates_.empty()) {
      level_ = std::ranges::min(sizes_);
      for (auto part = sizes_.size(); part-- > 0;) {
        if (sizes_[part] == level_) {
          candidates_.push_back(part);
        }
      }
    }
    return candidates_.back();
  }

  /// True if part a is smaller, or as small and lower: the order that breaks ties.
  [[nodiscard]] bool precedes(std::size_t a, std::size_t b) const noexcept {
    return sizes_[a] != sizes_[b] ? sizes_[a] < sizes_[b] : a < b;
  }

private:
  std::vector<std::int64_t> sizes_;
  std::int64_t level_ = 0; // size of the candidates
  std::vector<std::size_t> candidates_;
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/partition/balance.hpp>
#include <glt/partition/detail/balance_loads.hpp>

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

/// Free capacity of the parts, for a partitioner that assigns one vertex after the other.
///
/// @cost   O(V + P) for V vertices; O(P · limits) more for each vertex that finds the smallest part full
class part_capacities {
public:
  /// @throws precondition_error  if num_vertices is negative or a limit is wrong
  part_capacities(std::int64_t capacity, balance_constraints const& limits, std::int64_t num_vertices, int num_parts)
      : capacity_(capacity), sizes_(num_parts), loads_(limits, num_vertices, num_parts) {}

  [[nodiscard]] part_sizes const& sizes() const noexcept { return sizes_; }

  /// Chooses the vertex that the other calls refer to.
  void weigh(std::int64_t vertex) {
    if (!loads_.empty()) {
      loads_.weigh(vertex);
    }
  }

  [[nodiscard]] bool has_capacity(std::size_t part) const {
    return sizes_[part] < capacity_ && (loads_.empty() || loads_.has_capacity(part));
  }

  /// Returns the first part by `part_sizes::precedes` among the parts with free capacity. If there is none, returns the
  /// part whose tightest capacity the vertex exceeds least.
  [[nodiscard]] std::size_t smallest() {
    auto const smallest = sizes_.smallest();
    if (has_capacity(smallest)) {
      return smallest;
    }
    std::optional<std::size_t> found;
    for (std::size_t part = 0; part < sizes_.num_parts(); ++part) {
      if (has_capacity(part) && (!found || sizes_.precedes(part, *found))) {
        found = part;
      }
    }
    return found ? *found : least_exceeded();
  }

  void add(std::size_t part) {
    sizes_.add(part);
    if (!loads_.empty()) {
      loads_.add(part);
    }
  }

  void clear() {
    sizes_.clear();
    loads_.clear();
  }

private:
  [[nodiscard]] std::size_t least_exceeded() const {
    std::size_t best = 0;
    double least = fullness(0);
    for (std::size_t part = 1; part < sizes_.num_parts(); ++part) {
      auto const found = fullness(part);
      if (found < least || (found == least && sizes_.precedes(part, best))) {
        best = part;
        least = found;
      }
    }
    return best;
  }

  [[nodiscard]] double fullness(std::size_t part) const {
    auto const after = static_cast<double>(sizes_[part] + 1) / static_cast<double>(capacity_);
    return loads_.empty() ? after : std::max(after, loads_.fullness(part));
  }

  std::int64_t capacity_; // vertices of a part
  part_sizes sizes_;
  balance_loads loads_;
};

} // namespace glt::detail

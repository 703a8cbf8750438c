// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/partition/balance.hpp>
#include <glt/partition/partitioner.hpp>

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

/// Limits of `assign_by_hotness`.
struct frequency_options {
  double capacity_slack = 0.05;  ///< a part has at most (1 + slack) · V / P vertices, rounded up
  balance_constraints balance{}; ///< kept, like the capacity, if a part has room
};

// Returns how much hotter each vertex is in its best part than in its second best.
inline std::vector<double> advantages(host_matrix<double const> hotness) {
  std::vector<double> second(static_cast<std::size_t>(hotness.columns()), 0);
  std::vector<double> best(second.size(), 0);
  for (std::int64_t part = 0; part < hotness.rows(); ++part) {
    for (std::size_t v = 0; v < best.size(); ++v) {
      auto const found = hotness(part, static_cast<std::int64_t>(v));
      if (!(found >= 0)) {
        throw precondition_error(
            message("hotness of vertex ", v, " in part ", part, " is ", found, "; hotness is 0 or more"));
      }
      second[v] = std::max(second[v], std::min(best[v], found));
      best[v] = std::max(best[v], found);
    }
  }
  for (std::size_t v = 0; v < best.size(); ++v) {
    best[v] -= second[v];
  }
  return best;
}

/// Assigns every vertex to the part that needs it most often and has room for it.
///
/// Vertices that lose most in another part are assigned first. They are ordered by how much hotter they are in their
/// best part than in their second best, then by number. Parts where a vertex is equally hot, or cold, are ordered by
/// size, then by number. If limits leave room in no part, the vertex goes to the part whose tightest capacity it
/// exceeds least.
///
/// @shape  hotness [P, V], by `estimate_hotness` from the seeds of each part → [V]
/// @throws precondition_error  if there is no part, a hotness is negative or not a number, capacity_slack is
///                             negative, or `balance` is wrong
/// @cost   O(V · (P + log V) + V · limits); memory O(V)
[[nodiscard]] inline buffer<device::cpu, local_id> assign_by_hotness(host_matrix<double const> hotness,
                                                                     frequency_options const& options = {}) {
  auto const num_vertices = hotness.columns();
  auto const num_parts = static_cast<int>(hotness.rows());
  detail::check_num_parts(num_parts);
  detail::check_slack("assignment by hotness", options.capacity_slack);
  auto const advantage = detail::advantages(hotness);
  std::vector<std::int64_t> order(advantage.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) {
    auto const first = advantage[static_cast<std::size_t>(a)];
    auto const second = advantage[static_cast<std::size_t>(b)];
    return first > second || (first == second && a < b);
  });
  detail::part_capacities capacities(detail::part_capacity(num_vertices, 1, options.capacity_slack, num_parts),
                                     options.balance, num_vertices, num_parts);
  buffer<device::cpu, local_id> part_of(num_vertices);
  for (auto const v : order) {
    capacities.weigh(v);
    auto best = capacities.smallest();
    for (int part = 0; part < num_parts; ++part) {
      auto const candidate = static_cast<std::size_t>(part);
      auto const found = hotness(part, v);
      auto const known = hotness(static_cast<std::int64_t>(best), v);
      if ((found > known || (found == known && capacities.sizes().precedes(candidate, best))) &&
          capacities.has_capacity(candidate)) {
        best = candidate;
      }
    }
    part_of[v] = static_cast<local_id>(best);
    capacities.add(best);
  }
  return part_of;
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/partition/balance.hpp>

namespace glt::detail {

/// Returns the most that a part may have of `total`, of which `heaviest` cannot be divided.
[[nodiscard]] inline std::int64_t part_capacity(std::int64_t total, std::int64_t heaviest, double slack,
                                                int num_parts) {
  auto const wished = std::ceil((1 + slack) * static_cast<double>(total) / num_parts);
  auto const needed = std::max(total / num_parts + (total % num_parts > 0 ? 1 : 0), heaviest);
  return wished < static_cast<double>(total) ? std::max(needed, static_cast<std::int64_t>(wished)) : total;
}

inline void check_slack(char const* what, double slack) {
  if (!(slack >= 0)) {
    throw precondition_error(message(what, " with a slack of ", slack, "; a slack is 0 or more"));
  }
}

/// Groups of all limits in one list: their total weights, and the groups to which a vertex adds weight.
class balance_totals {
public:
  struct column {
    std::int64_t total = 0;
    std::int64_t heaviest = 0; ///< weight of one vertex
    double slack = 0;
  };
  struct weight {
    std::size_t column;
    std::int64_t amount;
  };

  /// @throws precondition_error  if a slack is negative, a limit has no groups or no shares, a vertex's group is
  ///                             outside the limit's groups, a weight is negative, or a sum does not fit 64 bits
  /// @cost   O(V · limits)
  balance_totals(balance_constraints limits, std::int64_t num_vertices) : limits_(std::move(limits)) {
    for (auto const& limit : limits_) {
      check_slack(("balance of " + limit.name).c_str(), limit.slack);
      if (limit.num_groups < 1 || !limit.share) {
        throw precondition_error(message("balance of ", limit.name, " has ", limit.num_groups, " groups and ",
                                         limit.share ? "a" : "no", " share of a vertex; give 1 group or more, and a ",
                                         "function that tells the share"));
      }
      first_.push_back(columns_.size());
      columns_.resize(columns_.size() + static_cast<std::size_t>(limit.num_groups), {.slack = limit.slack});
    }
    weights_.resize(limits_.size());
    for (std::int64_t v = 0; !limits_.empty() && v < num_vertices; ++v) {
      add(v);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return limits_.empty(); }
  [[nodiscard]] std::vector<column> const& columns() const noexcept { return columns_; }

  /// Computes the weights of a vertex and stores them in `weights`, one entry a limit.
  void weigh(std::int64_t vertex) {
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      auto const [group, amount] = limits_[i].share(vertex);
      weights_[i] = {first_[i] + static_cast<std::size_t>(group), amount};
    }
  }
  [[nodiscard]] std::vector<weight> const& weights() const noexcept { return weights_; }

private:
  void add(std::int64_t vertex) {
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      auto const [group, amount] = limits_[i].share(vertex);
      if (group < 0 || group >= limits_[i].num_groups) {
        throw precondition_error(message("balance of ", limits_[i].name, ": vertex ", vertex, " is in group ", group,
                                         ", outside [0, ", limits_[i].num_groups, ")"));
      }
      auto& sum = columns_[first_[i] + static_cast<std::size_t>(group)];
      if (amount < 0 || amount > std::numeric_limits<std::int64_t>::max() - sum.total) {
        throw precondition_error(message("balance of ", limits_[i].name, ": vertex ", vertex, " weighs ", amount,
                                         "; weights are 0 or more, and their sum fits 64 bits"));
      }
      sum.total += amount;
      sum.heaviest = std::max(sum.heaviest, amount);
    }
  }

  balance_constraints limits_;
  std::vector<std::size_t> first_; // column of every limit's group 0
  std::vector<column> columns_;
  std::vector<weight> weights_;
};

/// Loads of the parts, for a partitioner that assigns one vertex after the other.
///
/// @shape  loads [P, groups of all limits]
class balance_loads {
public:
  balance_loads(balance_constraints limits, std::int64_t num_vertices, int num_parts)
      : totals_(std::move(limits), num_vertices) {
    for (auto const& column : totals_.columns()) {
      capacities_.push_back(part_capacity(column.total, column.heaviest, column.slack, num_parts));
    }
    loads_.resize(capacities_.size() * static_cast<std::size_t>(num_parts), 0);
  }

  [[nodiscard]] bool empty() const noexcept { return totals_.empty(); }

  /// Chooses the vertex that the other calls refer to.
  void weigh(std::int64_t vertex) { totals_.weigh(vertex); }

  [[nodiscard]] bool has_capacity(std::size_t part) const {
    return std::ranges::all_of(totals_.weights(), [&](auto const& weight) {
      return weight.amount == 0 || load(part, weight.column) + weight.amount <= capacities_[weight.column];
    });
  }

  /// Returns the share of the part's tightest capacity in use with the vertex added; above 1 if there is no room.
  [[nodiscard]] double fullness(std::size_t part) const {
    double fullest = 0;
    for (auto const& [column, amount] : totals_.weights()) {
      if (amount > 0) {
        auto const after = static_cast<double>(load(part, column) + amount);
        fullest = std::max(fullest, after / static_cast<double>(capacities_[column]));
      }
    }
    return fullest;
  }

  void add(std::size_t part) {
    for (auto const& [column, amount] : totals_.weights()) {
      loads_[part * capacities_.size() + column] += amount;
    }
  }

  void remove(std::size_t part) {
    for (auto const& [column, amount] : totals_.weights()) {
      loads_[part * capacities_.size() + column] -= amount;
    }
  }

  void clear() { std::ranges::fill(loads_, 0); }

  /// True if the part exceeds a capacity that the vertex uses.
  [[nodiscard]] bool exceeds(std::size_t part) const {
    return std::ranges::any_of(totals_.weights(), [&](auto const& weight) {
      return weight.amount > 0 && load(part, weight.column) > capacities_[weight.column];
    });
  }

  /// Returns the decrease of the sum of squared loads, as shares of their capacities, if the vertex moves to `to`.
  [[nodiscard]] double relief(std::size_t from, std::size_t to) const {
    double sum = 0;
    for (auto const& [column, amount] : totals_.weights()) {
      if (amount > 0) { // no product is added, so that a compiler cannot fuse the two
        auto const surplus = static_cast<double>(load(from, column) - load(to, column) - amount);
        auto const capacity = static_cast<double>(capacities_[column]);
        sum += 2 * static_cast<double>(amount) * surplus / (capacity * capacity);
      }
    }
    return sum;
  }

  /// Returns the sum, over all parts, of the loads above capacity, as shares of the capacity.
  [[nodiscard]] double excess() const {
    double sum = 0;
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      auto const capacity = capacities_[i % capacities_.size()];
      if (loads_[i] > capacity) {
        sum += static_cast<double>(loads_[i] - capacity) / static_cast<double>(capacity);
      }
    }
    return sum;
  }

  /// Returns, for every group of the limits, the part with the least load.
  [[nodiscard]] std::vector<std::size_t> emptiest() const {
    std::vector<std::size_t> found(capacities_.size(), 0);
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      auto const column = i % found.size();
      found[column] = loads_[i] < load(found[column], column) ? i / found.size() : found[column];
    }
    return found;
  }

  /// Returns the weights of the chosen vertex.
  [[nodiscard]] std::vector<balance_totals::weight> const& weights() const noexcept { return totals_.weights(); }

private:
  [[nodiscard]] std::int64_t load(std::size_t part, std::size_t column) const {
    return loads_[part * capacities_.size() + column];
  }

  balance_totals totals_;
  std::vector<std::int64_t> capacities_; // of every column
  std::vector<std::int64_t> loads_;
};

} // namespace glt::detail

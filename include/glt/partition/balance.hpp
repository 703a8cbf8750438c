// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_schema.hpp>

#include <functional>

namespace glt {

namespace detail {

/// Returns the first vertex of every type in the numbering of all types, and the total number of vertices.
///
/// @shape  → [node types + 1]
[[nodiscard]] inline std::vector<std::int64_t> first_vertices(hetero_schema const& schema) {
  std::vector<std::int64_t> first{0};
  for (auto const& type : schema.node_types()) {
    first.push_back(first.back() + type.num_vertices);
  }
  return first;
}

/// Contribution of one vertex to a limit: a weight in one of its groups.
struct balance_share {
  std::int64_t group = 0;  ///< in [0, num_groups) of the limit
  std::int64_t weight = 1; ///< 0 or more
};

} // namespace detail

/// Quantity that every part has about equally much of: vertices, edges, training seeds, vertices of a type.
///
/// A part has at most (1 + slack) · total / P of every group, rounded up, or the weight of the heaviest vertex if that
/// is more. `share` is called vertex by vertex, so a limit needs no memory unless its weights do.
struct balance_limit {
  using share_type = detail::balance_share; ///< `group` and `weight` of a vertex

  std::string name; ///< name of the limit in errors
  double slack = 0.05;
  int num_groups = 1; ///< every group is shared out separately
  std::function<share_type(std::int64_t vertex)> share{};

  /// Limits the vertices of a part.
  [[nodiscard]] static balance_limit vertices(double slack = 0.05) {
    return {.name = "vertices", .slack = slack, .share = [](std::int64_t) { return share_type{}; }};
  }

  /// Limits the edges into the vertices of a part; the graph must outlive the limit.
  template <vertex_id Vertex>
  [[nodiscard]] static balance_limit edges(csr_view<memory_space::host, Vertex> graph, double slack = 0.05) {
    return {.name = "edges", .slack = slack, .share = [offsets = graph.offsets()](std::int64_t v) {
              return share_type{.weight = offsets[v + 1] - offsets[v]};
            }};
  }

  /// Limits the sum of any weights of a part's vertices; the weights are borrowed.
  ///
  /// @shape  weights [V], 0 or more
  template <std::integral T>
  [[nodiscard]] static balance_limit weights(std::string name, host_view<T const> weights, double slack = 0.05) {
    return {.name = std::move(name), .slack = slack, .share = [weights](std::int64_t v) {
              return share_type{.weight = static_cast<std::int64_t>(weights[v])};
            }};
  }

  /// Limits the vertices of every type in a part; the types are borrowed.
  ///
  /// @shape  type_of [V], in [0, num_types)
  template <std::integral T>
  [[nodiscard]] static balance_limit types(host_view<T const> type_of, int num_types, double slack = 0.05) {
    return {.name = "vertices of a type", .slack = slack, .num_groups = num_types, .share = [type_of](std::int64_t v) {
              return share_type{.group = static_cast<std::int64_t>(type_of[v])};
            }};
  }

  /// Limits the listed vertices of a part; a vertex that is listed twice counts twice.
  ///
  /// @shape  seeds [S]
  /// @throws precondition_error  naming the first seed that is not in [0, num_vertices)
  /// @cost   O(V + S), 4 bytes a vertex
  template <std::integral T>
  [[nodiscard]] static balance_limit seeds(std::int64_t num_vertices, host_view<T const> seeds, double slack = 0.05) {
    auto const times = std::make_shared<std::vector<std::int32_t>>(static_cast<std::size_t>(num_vertices), 0);
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      auto const seed = static_cast<std::int64_t>(seeds[i]);
      if (seed < 0 || seed >= num_vertices) {
        throw precondition_error(detail::message("seed ", i, " is ", seed, ", but vertices are in [0, ", num_vertices,
                                                 "); pass ids of this graph"));
      }
      ++(*times)[static_cast<std::size_t>(seed)];
    }
    return {.name = "seeds", .slack = slack, .share = [times](std::int64_t v) {
              return share_type{.weight = (*times)[static_cast<std::size_t>(v)]};
            }};
  }

  /// Limits the vertices of every node type in a part, for the graph that `make_homogeneous` makes.
  ///
  /// @cost   O(log node types) a vertex, and no memory for the vertices
  [[nodiscard]] static balance_limit types(hetero_schema const& schema, double slack = 0.05) {
    return {.name = "vertices of a type",
            .slack = slack,
            .num_groups = std::max(schema.num_node_types(), 1),
            .share = [first = detail::first_vertices(schema)](std::int64_t v) {
              return share_type{.group = std::ranges::upper_bound(first, v) - first.begin() - 1};
            }};
  }

  /// Limits the training seeds of a node type in a part, for the graph that `make_homogeneous` makes.
  ///
  /// @shape  seeds [S], numbered within their type
  /// @throws precondition_error  if there is no such node type, or naming the first seed that is not a vertex of the
  ///                             type
  /// @cost   O(V of the type + S), 4 bytes a vertex of the type
  template <std::integral T>
  [[nodiscard]] static balance_limit seeds(hetero_schema const& schema, int node_type, host_view<T const> seeds,
                                           double slack = 0.05) {
    auto const size = schema.num_vertices(node_type);
    auto const first = detail::first_vertices(schema)[static_cast<std::size_t>(node_type)];
    auto limit = balance_limit::seeds(size, seeds, slack);
    limit.share = [first, size, within = std::move(limit.share)](std::int64_t v) {
      return v >= first && v - first < size ? within(v - first) : share_type{.weight = 0};
    };
    return limit;
  }
};

/// Limits that a partitioner keeps beside its capacity; none by default. LDG, Fennel and frequency keep them while a
/// part has room; METIS and the multilevel partitioner keep them approximately, and `repair_balance` moves the excess. Contiguous ranges are cut by
/// them. Random, hash and given parts take no limits.
using balance_constraints = std::vector<balance_limit>;

} // namespace glt

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

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
  std::string name; ///< name of the limit in errors
  double slack = 0.05;
  int num_groups = 1; ///< every group is shared out separately
  std::function<detail::balance_share(std::int64_t vertex)> share{};

  /// Limits the vertices of a part.
  [[nodiscard]] static balance_limit vertices(double slack = 0.05) {
    return {.name = "vertices", .slack = slack, .share = [](std::int64_t) { return detail::balance_share{}; }};
  }

  /// Limits the edges into the vertices of a part; the graph must outlive the limit.
  template <vertex_id Vertex>
  [[nodiscard]] static balance_limit edges(csr_view<memory_space::host, Vertex> graph, double slack = 0.05) {
    return {.name = "edges", .slack = slack, .share = [offsets = graph.offsets()](std::int64_t v) {
              return detail::balance_share{.weight = offsets[v + 1] - offsets[v]};
            }};
  }

  /// Limits the sum of any weights of a part's vertices; the weights are borrowed.
  ///
  /// @shape  weights [V], 0 or more
  template <std::integral T>
  [[nodiscard]] static balance_limit weights(std::string name, host_view<T const> weights, double slack = 0.05) {
    return {.name = std::move(name), .slack = slack, .share = [weights](std::int64_t v) {
              return detail::balance_share{.weight = static_cast<std::int64_t>(weights[v])};
            }};
  }

  /// Limits the vertices of every type in a part; the types are borrowed.
  ///
  /// @shape  type_of [V], in [0, num_types)
  template <std::integral T>
  [[nodiscard]] static balance_limit types(host_view<T const> type_of, int num_types, double slack = 0.05) {
    return {.name = "vertices of a type", .slack = slack, .num_groups = num_types, .share = [type_of](std::int64_t v) {
              return detail::balance_share{.group = static_cast<std::int64_t>(type_of[v])};
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
              return detail::balance_share{.weight = (*times)[static_cast<std::size_t>(v)]};
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
              return detail::balance_share{.group = std::ranges::upper_bound(first, v) - first.begin() - 1};
            }};
  }

  /// Limits the training seeds of a node type in a part, for the graph that `make_homogeneous` makes.
  ///
  /// @shape  seeds [S], numbered within their type
  /// @throws precondition_error  if there is no such node type, or naming the first seed that is not a vertex of the type
  /// @cost   O(V of the type + S), 4 bytes a vertex of the type
  template <std::integral T>
  [[nodiscard]] static balance_limit seeds(hetero_schema const& schema, int node_type, host_view<T const> seeds,
                                           double slack = 0.05) {
    auto const size = schema.num_vertices(node_type);
    auto const first = detail::first_vertices(schema)[static_cast<std::size_t>(node_type)];
    auto limit = balance_limit::seeds(size, seeds, slack);
    limit.share = [first, size, within = std::move(limit.share)](std::int64_t v) {
      return v >= first && v - first < size ? within(v - first) : detail::balance_share{.weight = 0};
    };
    return limit;
  }
};

/// Limits that a partitioner keeps beside its capacity; none by default. LDG, Fennel and frequency keep them while a
/// part has room; METIS keeps them approximately, and `repair_balance` moves the excess. Contiguous ranges are cut by
/// them. Random, hash and given parts take no limits.
using balance_constraints = std::vector<balance_limit>;

} // namespace glt

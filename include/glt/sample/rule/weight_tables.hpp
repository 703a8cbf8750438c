// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/rule/detail/alias_table.hpp>
#include <glt/sample/rule/weights.hpp>

#include <utility>

namespace glt {

namespace detail {

/// Borrowed alias tables of the rows of a graph; see `weight_tables`.
///
/// @shape  slots [E], in row order · num_positive [num_rows], edges of a row that may be drawn
template <memory_space Space>
struct weight_tables_view {
  array_view<Space, detail::alias_slot const> slots;
  array_view<Space, std::uint32_t const> num_positive;

  [[nodiscard]] GLT_HOST_DEVICE constexpr bool empty() const noexcept { return num_positive.empty(); }
};

template <class Graph>
struct fill_tables {
  Graph graph;
  edge_weights<Graph::space> weights;
  array_view<Graph::space, alias_slot> slots;
  array_view<Graph::space, std::uint32_t> num_positive;

  GLT_HOST_DEVICE void operator()(std::int64_t r) const {
    auto const row = weights.subview(graph.offset(r), graph.degree(r));
    num_positive[r] = static_cast<std::uint32_t>(count_positive<Graph::space>(row));
    fill_alias_table<Graph::space>(row, slots.subview(graph.offset(r), graph.degree(r)));
  }
};

template <class Graph>
struct degree_of_row {
  Graph graph;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t r) const { return graph.degree(r); }
};

struct larger {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const { return b > a ? b : a; }
};

} // namespace detail

/// Alias tables of the rows of a graph, for draws of edges in proportion to weight in O(1).
///
/// A draw by a table differs from the exact probabilities by about 2⁻³¹ at most, summed over the edges of the row.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  8 bytes an edge and 4 a row; building needs no more memory
/// @source as `fill_alias_table`
template <device_policy Policy = device::cpu>
class weight_tables {
public:
  static constexpr memory_space space = Policy::space;

  weight_tables() = default;

  /// Checks the weights and builds the tables; the rows are divided over the executor of the policy.
  ///
  /// @shape  weights [E], in row order
  /// @throws precondition_error  as `validate_weights`, or if a row has 2³² edges or more
  /// @cost   O(E); waits for the checks
  template <vertex_id Vertex>
  weight_tables(csr_view<space, Vertex> graph, edge_weights<space> weights, Policy policy = {})
      : slots_(graph.num_edges(), policy), num_positive_(graph.num_rows(), policy) {
    using graph_type = csr_view<space, Vertex>;
    auto const ex = policy.executor();
    validate_weights(policy, graph, weights);
    auto const longest =
        ex.reduce(graph.num_rows(), std::int64_t{0}, detail::degree_of_row<graph_type>{graph}, detail::larger{});
    if (longest > std::int64_t{detail::always}) {
      throw precondition_error(detail::message("weight table of a row of ", longest, " edges; tables number the ",
                                               "edges of a row with 32 bits: sample without tables"));
    }
    ex.for_each(graph.num_rows(), detail::fill_tables<graph_type>{graph, weights, slots_.view(), num_positive_.view()});
  }

  [[nodiscard]] detail::weight_tables_view<space> view() const noexcept {
    return {slots_.view(), num_positive_.view()};
  }

private:
  buffer<Policy, detail::alias_slot> slots_;
  buffer<Policy, std::uint32_t> num_positive_;
};

} // namespace glt

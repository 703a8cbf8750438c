// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/rule/weights.hpp>

namespace glt::detail {

/// One place of an alias table: a number in [0, 2³²) below `threshold` stands for the edge of the place, any other
/// number for edge `alias` of the same row.
struct alias_slot {
  std::uint32_t threshold;
  std::uint32_t alias;
};

inline constexpr std::uint32_t always = std::numeric_limits<std::uint32_t>::max();

// Returns the first edge from i on that is heavier than a share, or that is not.
template <memory_space Space>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t next_edge(array_view<Space, float const> row, std::int64_t i,
                                                               double share, bool heavier) noexcept {
  while (i < row.size() && (static_cast<double>(row[i]) > share) != heavier) {
    ++i;
  }
  return i;
}

[[nodiscard]] GLT_HOST_DEVICE constexpr alias_slot make_slot(double weight, double share, std::int64_t alias) noexcept {
  double const scaled = weight / share * 0x1p32;
  return {scaled < always ? static_cast<std::uint32_t>(scaled) : always, static_cast<std::uint32_t>(alias)};
}

/// Builds the alias table of one row, by two sweeps over its light and its heavy edges.
///
/// @shape  row [degree] · slots [degree], written; a table of zero weights is useless
/// @pre    the weights are finite and 0 or more, degree is below 2³²; not checked
/// @cost   O(degree), no memory beside slots
/// @source Walker, "An efficient method for generating discrete random variables with general distributions",
///         ACM TOMS 3(3), 1977; the sweeps: Hübschle-Schneider & Sanders, "Parallel weighted random
///         sampling", ACM TOMS 48(3), 2022
template <memory_space Space>
GLT_HOST_DEVICE constexpr void fill_alias_table(array_view<Space, float const> row,
                                                array_view<Space, alias_slot> slots) noexcept {
  auto const degree = row.size();
  double sum = 0; // of doubles: a sum of floats may overflow
  std::int64_t heaviest = 0;
  for (std::int64_t i = 0; i < degree; ++i) {
    sum += static_cast<double>(row[i]);
    heaviest = row[i] > row[heaviest] ? i : heaviest;
  }
  double const share = sum / static_cast<double>(degree); // weight of every slot
  auto light = next_edge(row, 0, share, false);
  auto heavy = next_edge(row, 0, share, true);
  double left = heavy < degree ? static_cast<double>(row[heavy]) : 0; // of the heavy edge, not yet in a slot
  while (heavy < degree) {
    if (left > share) {
      if (light == degree) {
        break;
      }
      slots[light] = make_slot(static_cast<double>(row[light]), share, heavy);
      left += static_cast<double>(row[light]) - share;
      light = next_edge(row, light + 1, share, false);
    } else {
      auto const following = next_edge(row, heavy + 1, share, true);
      if (following == degree) {
        break;
      }
      slots[heavy] = make_slot(left, share, following);
      left += static_cast<double>(row[following]) - share;
      heavy = following;
    }
  }
  // Each remaining edge fills one share, up to rounding.
  for (; heavy < degree; heavy = next_edge(row, heavy + 1, share, true)) {
    slots[heavy] = {always, static_cast<std::uint32_t>(heavy)};
  }
  for (; light < degree; light = next_edge(row, light + 1, share, false)) {
    slots[light] = row[light] > 0 ? alias_slot{always, static_cast<std::uint32_t>(light)}
                                  : alias_slot{0, static_cast<std::uint32_t>(heaviest)};
  }
}

} // namespace glt::detail

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
  template <class Self>
  [[nodiscard]] static constexpr auto members(Self& self) noexcept {
    return std::tie(self.slots, self.num_positive);
  }
};

template <class Graph>
struct fill_tables {
  Graph graph;
  array_view<Graph::space, float const> weights;
  array_view<Graph::space, alias_slot> slots;
  array_view<Graph::space, std::uint32_t> num_positive;

  GLT_HOST_DEVICE void operator()(std::int64_t r) const {
    auto const row = weights.subview(graph.offset(r), graph.degree(r));
    num_positive[r] = static_cast<std::uint32_t>(count_positive(row));
    fill_alias_table<Graph::space>(row, slots.subview(graph.offset(r), graph.degree(r)));
  }
};

template <class Graph>
struct degree_of_row {
  Graph graph;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t r) const { return graph.degree(r); }
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
  using view_type = detail::weight_tables_view<space>; ///< for a `weighted_rule`

  weight_tables() = default;

  /// Checks the weights and builds the tables; the rows are divided over the executor of the policy.
  ///
  /// @shape  weights [E], in row order
  /// @throws precondition_error  as `validate`, or if a row has 2³² edges or more
  /// @cost   O(E); waits for the checks
  template <vertex_id Vertex>
  weight_tables(csr_view<space, Vertex> graph, array_view<space, float const> weights, Policy policy = {})
      : slots_(graph.num_edges(), policy), num_positive_(graph.num_rows(), policy) {
    using graph_type = csr_view<space, Vertex>;
    auto const ex = policy.executor();
    validate(graph, weights, policy);
    auto const longest = ex.reduce(graph.num_rows(), std::int64_t{0}, detail::degree_of_row<graph_type>{graph},
                                   detail::larger<std::int64_t>{});
    if (longest > std::int64_t{detail::always}) {
      throw precondition_error(detail::message("weight table of a row of ", longest, " edges; tables number the ",
                                               "edges of a row with 32 bits: sample without tables"));
    }
    ex.for_each(graph.num_rows(), detail::fill_tables<graph_type>{graph, weights, slots_.view(), num_positive_.view()});
  }

  [[nodiscard]] view_type view() const noexcept { return {slots_.view(), num_positive_.view()}; }

private:
  buffer<Policy, detail::alias_slot> slots_;
  buffer<Policy, std::uint32_t> num_positive_;
};

} // namespace glt

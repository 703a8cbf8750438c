// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/bisection.hpp>
#include <glt/sample/link/detail/exclusions.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

// The graph as the inner rule sees it: one row, without its excluded edges.
template <class Vertex>
struct shortened_row {
  using vertex_type = Vertex;
  std::int64_t length;
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t degree(std::int64_t) const noexcept { return length; }
};

/// Rule that removes edges from rows before another rule draws: a fanout is met whenever enough edges stay.
///
/// The inner rule may read only the number of edges of a row: uniform sampling does.
///
/// @cost   as the inner rule; in rows with x excluded edges O(log x) a pick more
template <memory_space Space, class Inner = uniform_rule>
struct excluding_rule {
  using query_type = typename Inner::query_type;

  exclusions_view<Space> excluded;
  Inner inner{};

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, query_type query,
                                                             hop_options options, random_key key,
                                                             std::uint64_t subject) const noexcept {
    return inner.count(rest(graph, row, excluded.of(row)), row, query, options, key, subject);
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, query_type query, hop_options options,
                                      random_key key, std::uint64_t subject, std::int64_t count,
                                      Position* out) const noexcept {
    auto const positions = excluded.of(row);
    inner.pick(rest(graph, row, positions), row, query, options, key, subject, count, out);
    for (std::int64_t i = 0; !positions.empty() && i < count; ++i) {
      out[i] = static_cast<Position>(out[i] + excluded_before(positions, out[i]));
    }
  }

  [[nodiscard]] static constexpr bool shares_row(hop_options options) noexcept { return Inner::shares_row(options); }
  template <class Team, class Graph, class Position, class Emit>
  GLT_HOST_DEVICE constexpr void pick_by(Team const& team, Graph const& graph, std::int64_t row, query_type query,
                                         hop_options options, random_key key, std::uint64_t subject, std::int64_t count,
                                         Position* out, Emit emit) const noexcept {
    auto const positions = excluded.of(row);
    inner.pick_by(
        team, rest(graph, row, positions), row, query, options, key, subject, count, out,
        [&](std::int64_t i, std::int64_t position) { emit(i, position + excluded_before(positions, position)); });
  }

  /// Returns true if draws depend on the graph alone. Every rank that reaches a row can then draw.
  [[nodiscard]] bool reads_graph_alone() const noexcept { return excluded.filter.empty() && std::is_empty_v<Inner>; }

private:
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE static constexpr auto rest(Graph const& graph, std::int64_t row,
                                                           array_view<Space, edge_offset const> positions) noexcept {
    return detail::shortened_row<typename Graph::vertex_type>{graph.degree(row) - positions.size()};
  }

  // Returns how many excluded positions lie before the edge with number `rank` among the edges that stay.
  [[nodiscard]] GLT_HOST_DEVICE static constexpr std::int64_t
  excluded_before(array_view<Space, edge_offset const> positions, std::int64_t rank) noexcept {
    // positions[k] − k edges that stay lie before excluded position k
    return detail::first_where(0, positions.size(), [&](std::int64_t k) { return positions[k] - k > rank; });
  }
};

/// True if a rule reads only the number of edges of a row: edges can then be excluded from the row.
template <class Rule>
inline constexpr bool reads_lengths_only = std::is_same_v<Rule, uniform_rule>;

/// Rule by which neighbours of the ends of seed edges are drawn.
template <memory_space Space, class Rule>
using link_rule = std::conditional_t<reads_lengths_only<Rule>, excluding_rule<Space, Rule>, Rule>;

/// Returns the rule that excludes edges before another rule draws; the other rule if none can be excluded.
template <memory_space Space, class Rule>
[[nodiscard]] link_rule<Space, Rule> make_link_rule(Rule const& rule, exclusions_view<Space> excluded = {}) {
  if constexpr (reads_lengths_only<Rule>) {
    return {excluded, rule};
  } else {
    return rule;
  }
}

/// @throws precondition_error  if seed edges are to be excluded from rows of a rule that reads more than their lengths
template <class Rule>
void check_exclusion(seed_exclusion exclude) {
  if (exclude != seed_exclusion::none && !reads_lengths_only<Rule>) {
    throw precondition_error("seed edges are excluded from uniform draws only; leave `exclude` out, and by times take "
                             "temporal_bound::before, which leaves a seed edge out by its time");
  }
}

} // namespace glt::detail

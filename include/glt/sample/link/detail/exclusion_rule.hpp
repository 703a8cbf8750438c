// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/sample/link/detail/exclusions.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Edges that are left out of one row. The edges that stay are numbered from 0.
///
/// @shape  positions [x], ascending
template <memory_space Space>
struct excluded_of_row {
  array_view<Space, edge_offset const> positions;

  /// Returns the position of the edge with number `rank` among the edges that stay.
  ///
  /// @cost   O(log x)
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t position(std::int64_t rank) const noexcept {
    // positions[k] − k edges that stay lie before excluded position k
    return rank + first_where(0, positions.size(), [&](std::int64_t k) { return positions[k] - k > rank; });
  }
};

// The graph as the inner rule sees it: one row, without its excluded edges.
template <class Graph, memory_space Space>
struct shortened_row {
  using vertex_type = typename Graph::vertex_type;

  struct edges {
    edge_offset first;
    excluded_of_row<Space> excluded;
    [[nodiscard]] GLT_HOST_DEVICE constexpr edge_offset operator()(std::int64_t i) const noexcept {
      return first + excluded.position(i);
    }
  };

  Graph const* graph;
  excluded_of_row<Space> excluded;
  std::int64_t length;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t degree(std::int64_t) const noexcept { return length; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr edges edges_of(std::int64_t row) const noexcept {
    return {graph->offset(row), excluded};
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr vertex_type source(edge_offset position) const noexcept {
    return graph->source(position);
  }
};

/// Rule that removes edges from rows before another rule draws: a fanout is met whenever enough edges stay. Rows
/// without excluded edges are drawn as by the other rule alone, with its optional members.
///
/// The inner rule has `allows_exclusion`.
///
/// @cost   as the inner rule; in rows with x excluded edges O(log x) more for a pick, and for an edge whose data is
///         read
template <memory_space Space, class Inner = uniform_rule>
struct excluding_rule {
  using query_type = typename Inner::query_type;
  static constexpr bool may_exceed_fanout = largest_count<Inner>({.fanout = 1}) < 0;

  exclusions_view<Space> excluded;
  Inner inner{};

  // Exclusions are no data of a part: each requester has some.
  template <class Self>
  [[nodiscard]] static constexpr auto members(Self& self) noexcept
    requires shows_data<Inner>
  {
    return std::tie(self.inner);
  }

  /// @throws precondition_error  as the inner rule
  template <class Graph>
  void check(Graph const& graph, hop_options options) const {
    if constexpr (requires { inner.check(graph, options); }) {
      inner.check(graph, options);
    }
  }
  /// Returns true if nothing is excluded, and the inner rule gives the first edges of a row in order.
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool all_in_order(hop_options options) const noexcept {
    return excluded.filter.empty() && gives_all_in_order<Inner>(options);
  }

  template <class Graph>
  GLT_HOST_DEVICE constexpr void prefetch(Graph const& graph, std::int64_t row) const noexcept
    requires(requires(Inner const& rule) { rule.prefetch(graph, row); })
  {
    inner.prefetch(graph, row);
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, query_type query,
                                                             hop_options options, random_key key,
                                                             std::uint64_t subject) const noexcept {
    return seen_by_inner(graph, row, of(row),
                         [&](auto const& seen) { return inner.count(seen, row, query, options, key, subject); });
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, query_type query, hop_options options,
                                      random_key key, std::uint64_t subject, std::int64_t count,
                                      Position* out) const noexcept {
    auto const left_out = of(row);
    seen_by_inner(graph, row, left_out,
                  [&](auto const& seen) { inner.pick(seen, row, query, options, key, subject, count, out); });
    to_positions(left_out, count, out);
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void prepare(Graph const& graph, std::int64_t row, query_type query, hop_options options,
                                         random_key key, std::uint64_t subject, std::int64_t count,
                                         Position* out) const noexcept
    requires(requires(Inner const& rule) { rule.prepare(graph, row, query, options, key, subject, count, out); })
  {
    if (of(row).positions.empty()) {
      inner.prepare(graph, row, query, options, key, subject, count, out);
    }
  }
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void finish(Graph const& graph, std::int64_t row, query_type query, hop_options options,
                                        random_key key, std::uint64_t subject, std::int64_t count,
                                        Position* out) const noexcept {
    if (of(row).positions.empty()) {
      inner.finish(graph, row, query, options, key, subject, count, out);
    } else {
      pick(graph, row, query, options, key, subject, count, out);
    }
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr std::int64_t count_and_pick(Graph const& graph, std::int64_t row, query_type query,
                                                        hop_options options, random_key key, std::uint64_t subject,
                                                        Position* out) const noexcept
    requires(requires(Inner const& rule) { rule.count_and_pick(graph, row, query, options, key, subject, out); })
  {
    auto const left_out = of(row);
    auto const taken = seen_by_inner(graph, row, left_out, [&](auto const& seen) {
      return inner.count_and_pick(seen, row, query, options, key, subject, out);
    });
    to_positions(left_out, taken, out);
    return taken;
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t find(Graph const& graph, std::int64_t row,
                                                            query_type query) const noexcept
    requires(finds_in_rows<Inner, Graph>)
  {
    return seen_by_inner(graph, row, of(row), [&](auto const& seen) { return inner.find(seen, row, query); });
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count_found(std::int64_t found,
                                                                   hop_options options) const noexcept {
    return inner.count_found(found, options);
  }
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick_found(Graph const& graph, std::int64_t row, std::int64_t found,
                                            hop_options options, random_key key, std::uint64_t subject,
                                            std::int64_t count, Position* out) const noexcept {
    auto const left_out = of(row);
    seen_by_inner(graph, row, left_out,
                  [&](auto const& seen) { inner.pick_found(seen, row, found, options, key, subject, count, out); });
    to_positions(left_out, count, out);
  }

  [[nodiscard]] static constexpr bool shares_row(hop_options options) noexcept
    requires(requires { Inner::shares_row(options); })
  {
    return Inner::shares_row(options);
  }
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t work(Graph const& graph, std::int64_t row) const noexcept
    requires(counts_by_team<Inner, Graph>)
  {
    return seen_by_inner(graph, row, of(row), [&](auto const& seen) { return inner.work(seen, row); });
  }
  template <class Team, class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count_by(Team const& team, Graph const& graph, std::int64_t row,
                                                                query_type query, hop_options options, random_key key,
                                                                std::uint64_t subject) const noexcept {
    return seen_by_inner(graph, row, of(row), [&](auto const& seen) {
      return inner.count_by(team, seen, row, query, options, key, subject);
    });
  }
  template <class Team, class Graph, class Position, class Emit>
  GLT_HOST_DEVICE constexpr void pick_by(Team const& team, Graph const& graph, std::int64_t row, query_type query,
                                         hop_options options, random_key key, std::uint64_t subject, std::int64_t count,
                                         Position* out, Emit emit) const noexcept {
    auto const left_out = of(row);
    seen_by_inner(graph, row, left_out, [&](auto const& seen) {
      inner.pick_by(team, seen, row, query, options, key, subject, count, out,
                    [&](std::int64_t i, std::int64_t rank) { emit(i, left_out.position(rank)); });
    });
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE constexpr excluded_of_row<Space> of(std::int64_t row) const noexcept {
    if (excluded.filter.empty()) { // without a call
      return {};
    }
    return {excluded.of(row)};
  }

  // Calls f with the graph, or with the row without its excluded edges. A rule without data always gets the row, which
  // is as fast, so that there is one instance of it.
  template <class Graph, class F>
  GLT_HOST_DEVICE static constexpr auto seen_by_inner(Graph const& graph, std::int64_t row,
                                                      excluded_of_row<Space> left_out, F const& f) noexcept {
    if constexpr (!std::is_empty_v<Inner>) {
      if (left_out.positions.empty()) {
        return f(graph);
      }
    }
    return f(shortened_row<Graph, Space>{&graph, left_out, graph.degree(row) - left_out.positions.size()});
  }

  template <class Position>
  GLT_HOST_DEVICE static constexpr void to_positions(excluded_of_row<Space> left_out, std::int64_t count,
                                                     Position* out) noexcept {
    for (std::int64_t i = 0; !left_out.positions.empty() && i < count; ++i) {
      out[i] = static_cast<Position>(left_out.position(out[i]));
    }
  }
};

/// Rule by which neighbours of the ends of seed edges are drawn.
template <memory_space Space, class Rule>
using link_rule = std::conditional_t<allows_exclusion<Rule>, excluding_rule<Space, Rule>, Rule>;

/// Returns the rule that excludes edges before another rule draws; the other rule if it does not allow this.
template <memory_space Space, class Rule>
[[nodiscard]] link_rule<Space, Rule> make_link_rule(Rule const& rule, exclusions_view<Space> excluded = {}) {
  if constexpr (allows_exclusion<Rule>) {
    return {excluded, rule};
  } else {
    return rule;
  }
}

/// @throws precondition_error  if vertices have times, but negatives are not strict or seed edges have no times
template <class Rule>
void check_times_of_vertices(bool any, negative_options const& negatives) {
  if (any && (!std::same_as<typename Rule::query_type, std::int64_t> || !negatives.strict)) {
    throw precondition_error(
        "negatives by the times of vertices take strict negatives, and a rule that compares times, "
        "such as temporal_rule");
  }
}

/// @throws precondition_error  if seed edges are to be excluded from rows of a rule that does not allow it
template <class Rule>
void check_exclusion(seed_exclusion exclude) {
  if (exclude != seed_exclusion::none && !allows_exclusion<Rule>) {
    throw precondition_error(
        "this draw rule does not allow to exclude seed edges; leave `exclude` out, or let the rule "
        "find its data by graph.edges_of(row) and declare allows_exclusion");
  }
}

/// Options and rules of link samplers of graphs without types: one rule, and one vertex type and edge type.
template <memory_space Space, class Rule>
struct plain_link_rules {
  using options_type = link_options;
  using rules_type = Rule;

  template <class Graph>
  static link_types types(Graph const&, options_type const& options) {
    return types_of(options);
  }
  template <class Graph>
  static std::size_t num_node_types(Graph const&) noexcept {
    return 1;
  }
  template <class Graph>
  static rules_type rules_without_data(Graph const&) {
    return {};
  }
  static Rule const& rule_of(rules_type const& rule, int) noexcept { return rule; }
  static link_rule<Space, Rule> neighbor_rules(rules_type const& rule) { return make_link_rule<Space>(rule); }
};

/// Options and rules of link samplers of heterogeneous graphs: a rule per edge type.
template <memory_space Space, class Rule>
struct hetero_link_rules {
  using options_type = hetero_link_options;
  using rules_type = std::vector<Rule>;

  template <class Graph>
  static link_types types(Graph const& graph, options_type const& options) {
    return types_of(options, graph.schema());
  }
  template <class Graph>
  static std::size_t num_node_types(Graph const& graph) noexcept {
    return graph.schema().node_types().size();
  }
  template <class Graph>
  static rules_type rules_without_data(Graph const& graph) {
    return rules_type(graph.schema().edge_types().size());
  }
  static Rule const& rule_of(rules_type const& rules, int edge_type) noexcept {
    return rules[static_cast<std::size_t>(edge_type)];
  }
  static std::vector<link_rule<Space, Rule>> neighbor_rules(rules_type const& rules) {
    std::vector<link_rule<Space, Rule>> made;
    for (auto const& rule : rules) {
      made.push_back(make_link_rule<Space>(rule));
    }
    return made;
  }
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/members.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/pick/pick.hpp>
#include <glt/sample/detail/pick/team_pick.hpp>
#include <glt/sample/options.hpp>

namespace glt {

/// Query of rules that need only the vertex.
struct no_query {
  friend constexpr bool operator==(no_query, no_query) = default;
};

/// Draw rule, which chooses the edges of a row that a hop takes: a trivially copyable functor over views.
///
/// Models: `uniform_rule`. Both members are const, noexcept, callable on the device, and pure functions of their
/// arguments. `key` is the hop's key; `subject`, the original id of the row's vertex, names its random stream.
///
/// - `R::query_type`: data of a request beside its vertex, such as a time; `no_query` if none
/// - `r.count(graph, row, query, options, key, subject)`: how many edges the row gives
/// - `r.pick(graph, row, query, options, key, subject, count, out)`: writes their positions within the row, in
///   [0, graph.degree(row)), in order of draw; `out` has room for exactly `count`
/// - `r.prepare(…)` and `r.finish(…)`, optional, with the arguments of `pick`: its two halves. The first prefetches
///   memory that the second reads some rows later; `out` holds the state in between
/// - `r.prefetch(graph, row)`, optional: prefetches the data that `count` will read for a later row
/// - `r.count_and_pick(…)`, optional, with the arguments of `pick` but no count: both in one pass over the row, for
///   rules that read all its edges; returns the count, and `out` has room for graph.degree(row)
/// - `r.find(graph, row, query)`, optional: a search in a row that hosts make once, before they count and pick;
///   `r.count_found(found, options)` and `r.pick_found(graph, row, found, options, key, subject, count, out)` then
///   replace both
/// - `r.pick_by(team, …, out, emit)`, optional: `pick` by threads of a GPU that share the row (exec/detail/team.hpp),
///   which calls emit(i, position) for pick i, in any order; `out` is scratch, of which emit(i, …) may overwrite out[i]
/// - `r.shares_row(options)`, with `pick_by`: true if 16 threads are to share every row
/// - `r.count_by(team, …)` and `r.work(graph, row)` instead of it: `count` by a team, and how many edges a team reads;
///   more edges get more threads
/// - `R::may_exceed_fanout`, optional: true if a row may give more edges than the fanout
/// - `R::all_in_order`, optional: true if a row gives its first `count` edges in order when the fanout is −1
/// - `R::allows_exclusion`, optional: true if the rule finds its data of edge i of a row at `graph.edges_of(row)(i)`,
///   and calls only `degree`, `edges_of` and `source` of the graph; link samplers can then exclude seed edges from its
///   rows
/// - `R::members(self)`, static, optional: ties the views of the rule's data, and rules inside it (`std::tie`). Then
///   ranks that share the data draw by it from each other's rows; all other members are the same on all ranks
/// - `r.check(graph, options)`, optional: throws `precondition_error` if it cannot draw from this graph with these
///   options
/// - `r.check_rows(graph)`, optional: the same after a look at all rows; a recipe calls it once, samplers do not
template <class R, class Graph>
concept draw_rule =
    std::is_trivially_copyable_v<R> && bytes_copyable<typename R::query_type> &&
    requires(R const& rule, Graph const& graph, std::int64_t row, typename R::query_type query, hop_options options,
             random_key key, std::uint64_t subject, std::int64_t count, typename Graph::vertex_type* out) {
      { rule.count(graph, row, query, options, key, subject) } noexcept -> std::same_as<std::int64_t>;
      { rule.pick(graph, row, query, options, key, subject, count, out) } noexcept;
    };

namespace detail {

/// True if requests of a rule have a query.
template <class Rule>
inline constexpr bool has_query = !std::is_same_v<typename Rule::query_type, no_query>;

/// True if a rule has no data, or shows all of it.
template <class Rule>
inline constexpr bool shows_data = std::is_empty_v<Rule> || has_members<Rule>;

/// Calls use(view) for the views of the data of a rule, until it returns false; returns true if it never does.
template <class X, class Use>
bool for_each_view(X& x, Use& use) {
  if constexpr (is_array_view<std::remove_const_t<X>>) {
    return use(x);
  } else if constexpr (has_members<X>) {
    return std::apply([&](auto&... members) { return (for_each_view(members, use) && ...); }, member_access::of(x));
  } else {
    return true;
  }
}

/// True if rows are divided among threads by their lengths.
template <class Rule, class Graph>
inline constexpr bool counts_by_team =
    requires(Rule const& rule, Graph const& graph, std::int64_t row) { rule.work(graph, row); };

/// True if hosts search a row once, before they count and pick.
template <class Rule, class Graph>
inline constexpr bool finds_in_rows =
    requires(Rule const& rule, Graph const& graph, typename Rule::query_type query) { rule.find(graph, 0, query); };

/// True if the edges that a row gives are known without a pick.
template <class Rule>
[[nodiscard]] GLT_HOST_DEVICE constexpr bool gives_all_in_order(hop_options options) noexcept {
  if constexpr (requires { Rule::all_in_order; }) {
    return Rule::all_in_order && options.fanout < 0;
  } else {
    return false;
  }
}
/// The same for a rule that may know it only at run time.
template <class Rule>
[[nodiscard]] GLT_HOST_DEVICE constexpr bool gives_all_in_order(Rule const& rule, hop_options options) noexcept {
  if constexpr (requires { rule.all_in_order(options); }) {
    return rule.all_in_order(options);
  } else {
    return gives_all_in_order<Rule>(options);
  }
}

/// True if seed edges can be excluded from the rows from which a rule draws.
template <class Rule>
inline constexpr bool allows_exclusion = requires { requires Rule::allows_exclusion; };

/// Returns the most edges that a row gives; −1 if the options do not limit it.
template <class Rule>
[[nodiscard]] constexpr std::int64_t largest_count(hop_options options) noexcept {
  if constexpr (requires { Rule::may_exceed_fanout; }) {
    return Rule::may_exceed_fanout ? -1 : options.fanout;
  } else {
    return options.fanout;
  }
}

/// Throws for options that a rule cannot follow and for rows that are too long; called once before all draws.
///
/// @throws precondition_error  if a rule with queries is used without `disjoint`, as `check_row_lengths`, or as `check`
///                             of the rule
template <class Graph, draw_rule<Graph> Rule>
void check_rule(Graph const& graph, neighbor_options const& options, Rule const& rule) {
  if (has_query<Rule> && !options.disjoint) {
    throw precondition_error("seeds with queries of their own, such as times, in trees that share vertices; set "
                             "disjoint = true");
  }
  check_row_lengths(graph);
  if constexpr (requires { rule.check(graph, hop_options{}); }) {
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
      if (options.fanouts[hop] != 0) {
        rule.check(graph, hop_of(options, hop));
      }
    }
  }
}

/// @throws precondition_error  if there is not one query per seed
inline void check_queries(std::int64_t num_seeds, std::int64_t num_queries) {
  if (num_seeds != num_queries) {
    throw precondition_error(
        detail::message(num_queries, " queries, such as times, for ", num_seeds, " seeds; give one per seed"));
  }
}

} // namespace detail

/// Uniform draws: every edge of a row is equally likely, without or with replacement.
///
/// @cost   as `pick_positions`
struct uniform_rule {
  using query_type = no_query;
  static constexpr bool allows_exclusion = true;
  static constexpr bool all_in_order = true;

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t
  count(Graph const& graph, std::int64_t row, no_query, hop_options options, random_key, std::uint64_t) const noexcept {
    return detail::num_picked(graph.degree(row), options);
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, no_query, hop_options options,
                                      random_key key, std::uint64_t subject, std::int64_t,
                                      Position* out) const noexcept {
    detail::pick_positions(random_stream(key, subject), graph.degree(row), options, out);
  }

  [[nodiscard]] static constexpr bool shares_row(hop_options options) noexcept {
    return !options.replace && options.fanout <= detail::most_at_once;
  }
  template <class Team, class Graph, class Position, class Emit>
  GLT_HOST_DEVICE constexpr void pick_by(Team const& team, Graph const& graph, std::int64_t row, no_query,
                                         hop_options options, random_key key, std::uint64_t subject, std::int64_t,
                                         Position* out, Emit emit) const noexcept {
    detail::pick_positions_by(team, random_stream(key, subject), graph.degree(row), options, out, emit);
  }
};

} // namespace glt

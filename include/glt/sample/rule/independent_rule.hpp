// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

#include <unordered_map>

namespace glt {

namespace detail {

/// Query of `independent_rule`: the number of earlier occurrences of the seed in the batch, and the inner rule's query.
template <class Query = no_query>
struct occurrence_query {
  std::int64_t occurrence = 0;
  Query query{};

  [[nodiscard]] GLT_HOST_DEVICE constexpr Query const& of_rule() const noexcept { return query; }
  friend constexpr bool operator==(occurrence_query const&, occurrence_query const&) = default;
};
// Without a member for nothing: with [[no_unique_address]] it would take no room on hosts, and 8 bytes on GPUs.
template <>
struct occurrence_query<no_query> {
  std::int64_t occurrence = 0;

  [[nodiscard]] GLT_HOST_DEVICE constexpr no_query of_rule() const noexcept { return {}; }
  friend constexpr bool operator==(occurrence_query const&, occurrence_query const&) = default;
};

// See `independent_rule::count_occurrences`.
template <vertex_id Vertex, class Query = no_query>
[[nodiscard]] std::vector<occurrence_query<Query>> count_occurrences(std::span<Vertex const> seeds,
                                                                     std::span<Query const> queries = {}) {
  std::unordered_map<Vertex, std::int64_t> seen;
  std::vector<occurrence_query<Query>> made(seeds.size());
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    made[i].occurrence = seen[seeds[i]]++;
    if constexpr (!std::is_same_v<Query, no_query>) {
      if (i < queries.size()) {
        made[i].query = queries[i];
      }
    }
  }
  return made;
}

} // namespace detail

/// Rule that draws by another rule, but anew for every occurrence of a seed in a disjoint batch.
///
/// Draws are usually named by the vertex, so equal seeds have equal trees; this makes a sample the same on any number
/// of ranks. With this rule the first tree of a seed is the usual one, and the trees of its further occurrences in the
/// batch are independent of it. Use it if a vertex is an end of several pairs and each pair needs different neighbours.
///
///     glt::dist::neighbor_batches recipe(graph, features, {.fanouts = {15, 10}, .disjoint = true},
///                                        glt::independent_rule{});
template <class Rule = uniform_rule>
struct independent_rule {
  using query_type = detail::occurrence_query<typename Rule::query_type>;
  static constexpr bool may_exceed_fanout = detail::largest_count<Rule>({.fanout = 1}) < 0;
  static constexpr bool all_in_order = detail::gives_all_in_order<Rule>({.fanout = -1});
  static constexpr bool allows_exclusion = detail::allows_exclusion<Rule>;

  Rule rule{};

  template <class Self>
  [[nodiscard]] static constexpr auto members(Self& self) noexcept
    requires detail::shows_data<Rule>
  {
    return std::tie(self.rule);
  }

  /// Returns the queries of the seeds of a batch: the number of earlier occurrences of each.
  ///
  /// @shape  seeds [S] · queries [S] of the inner rule, or empty if it has none → [S]
  /// @cost   O(S)
  template <vertex_id Vertex>
  [[nodiscard]] static std::vector<query_type>
  count_occurrences(std::span<Vertex const> seeds, std::span<typename Rule::query_type const> queries = {}) {
    return detail::count_occurrences(seeds, queries);
  }

  /// @throws precondition_error  as the rule
  template <class Graph>
  void check(Graph const& graph, hop_options options) const {
    if constexpr (requires { rule.check(graph, options); }) {
      rule.check(graph, options);
    }
  }
  template <class Graph>
  void check_rows(Graph const& graph) const {
    if constexpr (requires { rule.check_rows(graph); }) {
      rule.check_rows(graph);
    }
  }

  template <class Graph>
  GLT_HOST_DEVICE void prefetch(Graph const& graph, std::int64_t row) const noexcept {
    if constexpr (requires { rule.prefetch(graph, row); }) {
      rule.prefetch(graph, row);
    }
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row,
                                                             query_type const& query, hop_options options,
                                                             random_key key, std::uint64_t subject) const noexcept {
    return rule.count(graph, row, query.of_rule(), options, key_of(key, query), subject);
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, query_type const& query,
                                      hop_options options, random_key key, std::uint64_t subject, std::int64_t count,
                                      Position* out) const noexcept {
    rule.pick(graph, row, query.of_rule(), options, key_of(key, query), subject, count, out);
  }

  [[nodiscard]] static constexpr bool shares_row(hop_options options) noexcept
    requires(requires { Rule::shares_row(options); })
  {
    return Rule::shares_row(options);
  }
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t work(Graph const& graph, std::int64_t row) const noexcept
    requires(detail::counts_by_team<Rule, Graph>)
  {
    return rule.work(graph, row);
  }
  template <class Team, class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count_by(Team const& team, Graph const& graph, std::int64_t row,
                                                                query_type const& query, hop_options options,
                                                                random_key key, std::uint64_t subject) const noexcept {
    return rule.count_by(team, graph, row, query.of_rule(), options, key_of(key, query), subject);
  }
  template <class Team, class Graph, class Position, class Emit>
  GLT_HOST_DEVICE constexpr void
  pick_by(Team const& team, Graph const& graph, std::int64_t row, query_type const& query, hop_options options,
          random_key key, std::uint64_t subject, std::int64_t count, Position* out, Emit emit) const noexcept {
    rule.pick_by(team, graph, row, query.of_rule(), options, key_of(key, query), subject, count, out, emit);
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE static constexpr random_key key_of(random_key key, query_type const& query) noexcept {
    return query.occurrence == 0 ? key : key.fold(static_cast<std::uint64_t>(query.occurrence));
  }
};

} // namespace glt

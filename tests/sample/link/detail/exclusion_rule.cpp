// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/exclusion_rule.hpp>

#include <glt/graph/csr.hpp>
#include <glt/sample/link/detail/edge_exclusions.hpp>
#include <glt/sample/rule/independent_rule.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weight_tables.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/graphs.hpp"
#include "support/naive_hetero_sampler.hpp"
#include "support/naive_sampler.hpp"
#include "support/row_edges.hpp"
#include "support/statistics.hpp"
#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using glt::device::cpu;
using rule = glt::detail::excluding_rule<glt::memory_space::host>;
using graph_view = glt::csr_view<glt::memory_space::host>;
static_assert(glt::draw_rule<rule, graph_view>);

// A row of so many edges, of which some are excluded.
struct row_case {
  std::int64_t degree;
  std::vector<glt::local_id> excluded;
};

std::vector<row_case> cases() {
  return {{0, {}},
          {1, {}},
          {1, {0}},
          {5, {0}},
          {5, {4}},
          {5, {2, 3}},
          {9, {0, 1, 8}},
          {9, {1, 3, 5, 7}},
          {6, {0, 1, 2, 3, 4, 5}},
          {40, {0, 7, 8, 9, 20, 38, 39}}};
}

// Row 1 of a graph of three rows; its edge at position p has source p.
class one_row {
public:
  explicit one_row(row_case const& row) {
    glt_test::edge_list list{"", 64, {}, {}};
    for (std::int64_t i = 0; i < row.degree; ++i) {
      list.add(i, 1);
    }
    list.add(3, 2);
    graph_ = glt::make_csr<cpu>(list.view());
    std::vector<glt::detail::row_edge> excluded;
    for (auto const source : row.excluded) {
      excluded.push_back({.row = 1, .source = source});
    }
    rule_ = {.excluded = exclusions_.look_up(graph_.view(), glt_test::row_edges{excluded}), .inner = {}};
  }

  std::vector<std::int64_t> draw(glt::random_key key, std::int64_t fanout, bool replace, std::int64_t row = 1) const {
    glt::hop_options const options{.fanout = fanout, .replace = replace};
    std::vector<glt::local_id> picked(static_cast<std::size_t>(rule_.count(graph_.view(), row, {}, options, key, 11)));
    rule_.pick(graph_.view(), row, {}, options, key, 11, static_cast<std::int64_t>(picked.size()), picked.data());
    return {picked.begin(), picked.end()};
  }

private:
  glt::csr_graph<cpu> graph_;
  glt::detail::edge_exclusions<cpu> exclusions_;
  rule rule_{};
};

constexpr auto host = glt::memory_space::host;
static_assert(glt::detail::finds_in_rows<glt::detail::excluding_rule<host, glt::temporal_rule<host>>, graph_view>);
static_assert(glt::detail::counts_by_team<glt::detail::excluding_rule<host, glt::labor_rule<host>>, graph_view>);
static_assert(glt::detail::largest_count<glt::detail::excluding_rule<host, glt::labor_rule<host>>>({.fanout = 3}) < 0);
static_assert(!glt::detail::allows_exclusion<glt_test::turning_rule>);

// A graph with parallel edges, some of its edges, and the graph without them; both with times and weights of the edges.
struct shortened_graph {
  shortened_graph() {
    auto const list = glt_test::random_graph(29, 700);
    auto const graph = glt::make_csr<cpu>(list.view());
    auto const weights = glt_test::random_weights(700, 5);
    std::set<std::pair<std::int64_t, std::int64_t>> left_out;
    glt::random_stream draws(glt::random_key(3), 1);
    for (int i = 0; i < 60; ++i) {
      auto const edge = draws.below(700);
      auto const& row = list.destinations[edge];
      if (row % 3 != 0 && left_out.insert({row, list.sources[edge]}).second) { // every third row stays whole
        excluded.push_back({.row = row, .source = list.sources[edge]});
      }
    }
    whole.edges = {"", 29, {}, {}};
    rest.edges = whole.edges;
    for (std::int64_t row = 0; row < 29; ++row) {
      positions.emplace_back();
      for (auto e = graph.view().offset(row); e < graph.view().offset(row + 1); ++e) {
        auto const at = e - graph.view().offset(row);
        auto const weight = weights[static_cast<std::size_t>(e)];
        auto const source = std::int64_t{graph.view().source(e)};
        whole.add(source, row, at / 3, weight);
        if (!left_out.contains({row, source})) {
          rest.add(source, row, at / 3, weight);
          positions.back().push_back(at);
        }
      }
    }
    whole.graph = glt::make_csr<cpu>(whole.edges.view());
    rest.graph = glt::make_csr<cpu>(rest.edges.view());
    views = exclusions.look_up(whole.graph.view(), glt_test::row_edges{excluded});
  }

  struct side {
    glt_test::edge_list edges;
    std::vector<std::int64_t> times;
    std::vector<float> weights;
    glt::csr_graph<cpu> graph;
    void add(std::int64_t source, std::int64_t row, std::int64_t time, float weight) {
      edges.add(source, row);
      times.push_back(time);
      weights.push_back(weight);
    }
  };

  side whole;
  side rest;
  std::vector<std::vector<std::int64_t>> positions; // in the whole graph, of the edges that stay, by row
  std::vector<glt::detail::row_edge> excluded;
  glt::detail::edge_exclusions<cpu> exclusions;
  glt::detail::exclusions_view<host> views;
};

// Draws from every row by a rule in all the ways that it has; they must agree.
template <class Rule>
std::vector<std::int64_t> draw(Rule const& by, graph_view graph, std::int64_t row, typename Rule::query_type query,
                               glt::hop_options options, glt::random_key key) {
  auto const count = by.count(graph, row, query, options, key, 5);
  std::vector<glt::local_id> picked(static_cast<std::size_t>(count));
  by.pick(graph, row, query, options, key, 5, count, picked.data());
  if constexpr (glt::detail::finds_in_rows<Rule, graph_view>) {
    auto const found = by.find(graph, row, query);
    CHECK(by.count_found(found, options) == count);
    std::vector<glt::local_id> again(picked.size());
    by.pick_found(graph, row, found, options, key, 5, count, again.data());
    CHECK(again == picked);
  }
  if constexpr (requires { by.count_and_pick(graph, row, query, options, key, 5, picked.data()); }) {
    std::vector<glt::local_id> again(static_cast<std::size_t>(graph.degree(row)));
    again.resize(static_cast<std::size_t>(by.count_and_pick(graph, row, query, options, key, 5, again.data())));
    CHECK(again == picked);
  }
  if constexpr (requires { by.prepare(graph, row, query, options, key, 5, count, picked.data()); }) {
    std::vector<glt::local_id> again(picked.size());
    by.prepare(graph, row, query, options, key, 5, count, again.data());
    by.finish(graph, row, query, options, key, 5, count, again.data());
    CHECK(again == picked);
  }
  return {picked.begin(), picked.end()};
}

// Checks that `of(side, tables)` draws from rows without the excluded edges as from the graph that never had them.
template <class Of>
void check_excluding(Of const& of, std::vector<glt::hop_options> const& options) {
  shortened_graph const graphs;
  using inner = decltype(of(graphs.whole, glt::detail::weight_tables_view<host>()));
  glt::weight_tables<cpu> const tables(graphs.whole.graph.view(), glt::host_view<float const>(graphs.whole.weights));
  for (bool const with_tables : {false, true}) {
    auto const whole = of(graphs.whole, with_tables ? tables.view() : glt::detail::weight_tables_view<host>());
    auto const rest = of(graphs.rest, glt::detail::weight_tables_view<host>());
    glt::detail::excluding_rule<host, inner> const by{graphs.views, whole};
    int num_shortened = 0;
    for (std::int64_t row = 0; row < 29; ++row) {
      auto const& positions = graphs.positions[static_cast<std::size_t>(row)];
      bool const shortened = std::ssize(positions) < graphs.whole.graph.view().degree(row);
      num_shortened += shortened ? 1 : 0;
      for (auto const& option : options) {
        for (std::int64_t const time : {-1, 0, 3, 6, 100}) {
          typename inner::query_type query{};
          if constexpr (std::is_same_v<typename inner::query_type, std::int64_t>) {
            query = time;
          }
          glt::random_key const key(static_cast<std::uint64_t>(time + 40 * row));
          std::vector<std::int64_t> expected;
          if (shortened) {
            for (auto const at : draw(rest, graphs.rest.graph.view(), row, query, option, key)) {
              expected.push_back(positions[static_cast<std::size_t>(at)]);
            }
          } else {
            expected = draw(whole, graphs.whole.graph.view(), row, query, option, key);
          }
          CAPTURE(row);
          CHECK(draw(by, graphs.whole.graph.view(), row, query, option, key) == expected);
        }
      }
    }
    CHECK(num_shortened > 5);
    CHECK(num_shortened < 25);
  }
}

} // namespace

TEST_CASE("by every rule, rows without excluded edges are drawn as rows that never had them") {
  std::vector<glt::hop_options> const distinct{{.fanout = -1}, {.fanout = 1}, {.fanout = 5}, {.fanout = 40}};
  auto all = distinct;
  all.insert(all.end(), {{.fanout = 1, .replace = true}, {.fanout = 7, .replace = true}});
  check_excluding([](auto const&, auto) { return glt::uniform_rule(); }, all);
  check_excluding([](auto const& side, auto tables) { return glt::weighted_rule<host>{side.weights, tables}; }, all);
  check_excluding([](auto const& side, auto) { return glt::temporal_rule<host>{side.times}; }, all);
  check_excluding(
      [](auto const& side, auto) { return glt::temporal_rule<host>{side.times, glt::temporal_strategy::last, true}; },
      all);
  check_excluding([](auto const&, auto) { return glt::labor_rule<host>{}; }, distinct);
  check_excluding([](auto const&, auto) { return glt::labor_rule<host>{{}, true}; }, distinct);
  check_excluding(
      [](auto const& side, auto) { return glt::independent_rule<glt::weighted_rule<host>>{{side.weights, {}}}; }, all);
}

TEST_CASE("what is drawn is what uniform sampling draws from the row without the excluded edges") {
  for (auto const& row : cases()) {
    one_row const drawn(row);
    std::vector<std::int64_t> stay;
    for (std::int64_t i = 0; i < row.degree; ++i) {
      if (std::ranges::find(row.excluded, i) == row.excluded.end()) {
        stay.push_back(i);
      }
    }
    auto const left = static_cast<std::int64_t>(stay.size());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      glt::random_key const key(seed);
      for (auto const& [fanout, replace] : {std::pair{-1L, false}, {1L, false}, {3L, false}, {6L, false}, {4L, true}}) {
        std::vector<std::int64_t> expected;
        for (auto const place : glt_test::naive_pick(key, 11, left, fanout, replace)) {
          expected.push_back(stay[static_cast<std::size_t>(place)]);
        }
        CHECK(drawn.draw(key, fanout, replace) == expected);
        auto const met = fanout < 0 ? left : replace ? (left > 0 ? fanout : 0) : std::min(fanout, left);
        CHECK(static_cast<std::int64_t>(expected.size()) == met);
      }
      CHECK(drawn.draw(key, 3, false, 2) == std::vector<std::int64_t>{0}); // another row is not touched
      CHECK(drawn.draw(key, 3, false, 0).empty());
    }
  }
}

TEST_CASE("the edges that stay are equally likely") {
  one_row const drawn({12, {0, 4, 5, 11}});
  std::vector<std::int64_t> counts(12, 0);
  for (std::uint64_t seed = 0; seed < 8000; ++seed) {
    for (auto const position : drawn.draw(glt::random_key(seed), 3, false)) {
      ++counts[static_cast<std::size_t>(position)];
    }
  }
  std::erase(counts, 0);
  CHECK(counts.size() == 8);
  CHECK(glt_test::chi_square_deviation(counts) < 4);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/labor_rule.hpp>

#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>

#include "support/errors.hpp"
#include "support/naive_rules.hpp"
#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

using glt::device::cpu;

namespace {

using graph_view = glt::csr_view<glt::memory_space::host>;
using rule = glt::labor_rule<glt::memory_space::host>;
static_assert(glt::draw_rule<rule, graph_view>);
static_assert(glt::draw_rule<rule, glt::csr_view<glt::memory_space::host, std::int64_t>>);

std::vector<std::int64_t> draw(rule const& labor, graph_view graph, std::int64_t row, std::int64_t fanout,
                               glt::random_key key) {
  auto const subject = static_cast<std::uint64_t>(row);
  auto const count = labor.count(graph, row, {}, {.fanout = fanout}, key, subject);
  std::vector<glt::local_id> out(static_cast<std::size_t>(count));
  labor.pick(graph, row, {}, {.fanout = fanout}, key, subject, count, out.data());
  return {out.begin(), out.end()};
}

// Rows that list the given sources.
struct some_rows {
  std::int64_t num_columns = 0;
  std::vector<glt::edge_offset> offsets{0};
  std::vector<glt::local_id> sources;

  some_rows& add(std::vector<glt::local_id> const& row) {
    sources.insert(sources.end(), row.begin(), row.end());
    offsets.push_back(static_cast<glt::edge_offset>(sources.size()));
    return *this;
  }
  [[nodiscard]] graph_view view() const { return {1000, offsets, sources}; }
  [[nodiscard]] std::set<std::int64_t> sources_at(std::int64_t row, std::vector<std::int64_t> const& positions) const {
    std::set<std::int64_t> picked;
    for (auto const at : positions) {
      picked.insert(view().source(view().offset(row) + at));
    }
    return picked;
  }
};

std::vector<glt::local_id> from_to(glt::local_id first, glt::local_id last) {
  std::vector<glt::local_id> row;
  for (auto v = first; v < last; ++v) {
    row.push_back(v);
  }
  return row;
}

glt::random_key round_key(std::uint64_t round) {
  return glt::random_key(6).fold(round);
}

} // namespace

TEST_CASE("draws are those of the definition") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view());
    auto const rows = glt_test::naive_rows(list);
    for (bool const exact : {false, true}) {
      for (std::int64_t const fanout : {-1, 1, 2, 5, 40}) {
        bool equal = true;
        for (std::int64_t row = 0; row < list.num_vertices; ++row) {
          auto const key = round_key(static_cast<std::uint64_t>(fanout + row % 3));
          equal = equal && draw({.sources = {}, .exact = exact}, graph.view(), row, fanout, key) ==
                               glt_test::naive_labor_pick(exact, rows[static_cast<std::size_t>(row)], fanout, key);
        }
        CHECK(equal);
      }
    }
  }
}

TEST_CASE("an edge is taken with probability fanout / degree, on short rows and on a hub") {
  struct shape {
    glt::local_id degree;
    std::int64_t fanout;
    std::uint64_t rounds;
  };
  for (auto const [degree, fanout, rounds] : {shape{60, 3, 20000}, shape{7, 3, 20000}, shape{900, 15, 3000}}) {
    CAPTURE(degree);
    some_rows rows;
    rows.add(from_to(0, degree));
    std::vector<std::int64_t> taken(static_cast<std::size_t>(degree));
    double total = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (auto const at : draw({}, rows.view(), 0, fanout, round_key(round))) {
        ++taken[static_cast<std::size_t>(at)];
        ++total;
      }
    }
    double const share = static_cast<double>(fanout) / degree;
    double const trials = static_cast<double>(rounds) * degree;
    CHECK(std::abs(total - trials * share) < 4 * std::sqrt(trials * share * (1 - share)));
    // A draw takes an edge once at most, which makes the statistic smaller than that of independent outcomes.
    CHECK(glt_test::chi_square_deviation(taken) < 4);
    if (degree > 10 * fanout) {
      CHECK(glt_test::chi_square_deviation(taken) > -4);
    }
  }
}

TEST_CASE("edges are taken independently of each other") {
  some_rows rows;
  rows.add(from_to(0, 8));
  std::vector<std::int64_t> together(4); // edges 0 and 5: neither, one, the other, both
  for (std::uint64_t round = 0; round < 40000; ++round) {
    auto const picked = draw({}, rows.view(), 0, 4, round_key(round));
    ++together[static_cast<std::size_t>(std::ranges::count(picked, 0) + 2 * std::ranges::count(picked, 5))];
  }
  CHECK(glt_test::chi_square_deviation(together) < 4); // with fanout / degree = 1/2 all four are equally likely
  CHECK(glt_test::chi_square_deviation(together) > -4);
}

TEST_CASE("with exact counts every set of sources is equally likely") {
  some_rows rows;
  rows.add(from_to(30, 38));
  std::map<std::vector<std::int64_t>, std::int64_t> sets;
  for (std::uint64_t round = 0; round < 70000; ++round) {
    ++sets[draw({.sources = {}, .exact = true}, rows.view(), 0, 3, round_key(round))];
  }
  CHECK(sets.size() == 56); // 8 choose 3
  std::vector<std::int64_t> observed;
  for (auto const& [set, count] : sets) {
    observed.push_back(count);
  }
  CHECK(glt_test::chi_square_deviation(observed) < 4);
  CHECK(glt_test::chi_square_deviation(observed) > -4);
}

TEST_CASE("rows share their choice: equal neighbours are chosen alike, a longer row chooses a part of it") {
  auto shuffled = from_to(0, 40);
  std::ranges::rotate(shuffled, shuffled.begin() + 13);
  std::ranges::reverse(shuffled);
  some_rows rows;
  rows.add(from_to(0, 40)).add(shuffled).add(from_to(0, 80));
  bool different_hops = false;
  for (std::uint64_t round = 0; round < 50; ++round) {
    for (bool const exact : {false, true}) {
      rule const labor{.sources = {}, .exact = exact};
      auto const key = round_key(round);
      auto const first = rows.sources_at(0, draw(labor, rows.view(), 0, 6, key));
      auto const second = rows.sources_at(1, draw(labor, rows.view(), 1, 6, key));
      CHECK(first == second);
      for (auto const source : rows.sources_at(2, draw(labor, rows.view(), 2, 6, key))) {
        CHECK((source >= 40 || first.contains(source)));
      }
      auto const next_hop = rows.sources_at(0, draw(labor, rows.view(), 0, 6, round_key(round + 1)));
      different_hops = different_hops || first != next_hop;
    }
  }
  CHECK(different_hops);
}

TEST_CASE("a key of the batch makes hops share their choice") {
  some_rows rows;
  rows.add(from_to(0, 80));
  rule const labor{.sources = {}, .across_hops = true, .batch_key = round_key(77)};
  auto const expected = draw({}, rows.view(), 0, 9, round_key(77));
  CHECK(draw(labor, rows.view(), 0, 9, round_key(1)) == expected);
  CHECK(draw(labor, rows.view(), 0, 9, round_key(2)) == expected);
}

TEST_CASE("parallel edges are taken together, and cut off in row order where counts are exact") {
  some_rows rows;
  rows.add({5, 9, 5, 9, 5, 9});
  for (std::uint64_t round = 0; round < 50; ++round) {
    auto const some = draw({}, rows.view(), 0, 3, round_key(round));
    CHECK((some.empty() || some == std::vector<std::int64_t>{0, 2, 4} || some == std::vector<std::int64_t>{1, 3, 5} ||
           some.size() == 6));
    auto const two = draw({.sources = {}, .exact = true}, rows.view(), 0, 2, round_key(round));
    CHECK((two == std::vector<std::int64_t>{0, 2} || two == std::vector<std::int64_t>{1, 3}));
  }
}

TEST_CASE("parallel edges with names are drawn like any others: with exact counts every set is equally likely") {
  some_rows rows;
  rows.add({5, 9, 5, 2, 9, 5, 7}).add({7, 2, 9, 5});
  std::vector<glt::global_id> names(rows.view().sources().begin(), rows.view().sources().end());
  glt::labor_rule<glt::memory_space::host>::name_parallel_edges(rows.view(), names);
  CHECK(std::set(names.begin(), names.begin() + 7).size() == 7);
  for (std::size_t const first : {0, 1, 3, 6, 7, 8, 9, 10}) {
    CHECK(names[first] == rows.view().sources()[static_cast<std::int64_t>(first)]);
  }
  rule const named{.sources = names, .exact = true};
  std::map<std::vector<std::int64_t>, std::int64_t> sets;
  std::vector<std::int64_t> taken(7);
  for (std::uint64_t round = 0; round < 42000; ++round) {
    auto const picked = draw(named, rows.view(), 0, 2, round_key(round));
    ++sets[picked];
    for (auto const at : picked) {
      ++taken[static_cast<std::size_t>(at)];
    }
  }
  CHECK(sets.size() == 21); // 7 choose 2
  std::vector<std::int64_t> observed;
  for (auto const& [set, count] : sets) {
    observed.push_back(count);
  }
  CHECK(glt_test::chi_square_deviation(observed) < 4);
  CHECK(glt_test::chi_square_deviation(observed) > -4);
  for (auto const count : taken) { // 2 / 7 of the rounds: five standard deviations are 463
    CHECK(std::abs(count - 12000) < 463);
  }
  for (std::uint64_t round = 0; round < 50; ++round) { // a row without parallel edges is drawn as before
    rule const plain{.sources = {}, .exact = true};
    CHECK(draw(named, rows.view(), 1, 2, round_key(round)) == draw(plain, rows.view(), 1, 2, round_key(round)));
  }
}

TEST_CASE("rows share the names of parallel edges, and their number is checked") {
  some_rows rows;
  rows.add({5, 5, 9, 5}).add({}).add({9, 5, 9, 5});
  std::vector<glt::global_id> names(rows.view().sources().begin(), rows.view().sources().end());
  glt::labor_rule<glt::memory_space::host>::name_parallel_edges(rows.view(), names);
  CHECK(names[5] == 5);
  CHECK(names[7] == names[1]);
  CHECK(names[6] != names[7]);
  CHECK(names[3] != names[1]);
  names.pop_back();
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { glt::labor_rule<glt::memory_space::host>::name_parallel_edges(rows.view(), names); }),
                        "7 original ids", "8 edges", "one per edge"));
}

TEST_CASE("original ids of the sources keep the choice when vertices are renumbered") {
  auto const list = glt_test::random_graph(257, 4099);
  auto renumbered = list;
  for (std::size_t e = 0; e < list.sources.size(); ++e) {
    renumbered.sources[e] = (list.sources[e] * 101 + 7) % 257;
  }
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const other = glt::make_csr<cpu>(renumbered.view());
  std::vector<glt::global_id> const original(graph.view().sources().begin(), graph.view().sources().end());
  bool differs_without = false;
  for (bool const exact : {false, true}) {
    for (std::int64_t row = 0; row < 257; ++row) {
      auto const expected = draw({.sources = {}, .exact = exact}, graph.view(), row, 4, round_key(3));
      CHECK(draw({.sources = original, .exact = exact}, other.view(), row, 4, round_key(3)) == expected);
      differs_without =
          differs_without || draw({.sources = {}, .exact = exact}, other.view(), row, 4, round_key(3)) != expected;
    }
  }
  CHECK(differs_without);
}

TEST_CASE("what LABOR cannot do is refused") {
  auto const graph = glt::make_csr<cpu>(glt_test::random_graph(101, 370).view());
  std::vector<glt::global_id> const some(17);
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { rule{.sources = some}.check(graph.view(), {.fanout = 3}); }),
      "17 original ids", "370 edges", "one per edge or none"));
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { rule{}.check(graph.view(), {.fanout = 3, .replace = true}); }),
      "LABOR sampling with replacement", "turn replacement off"));
  CHECK_NOTHROW(rule{}.check(graph.view(), {.fanout = -1}));
}

TEST_CASE("a sampler gives the subgraph of the definition, whatever the number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    std::vector<std::int64_t> seeds;
    std::vector<glt::local_id> narrow_seeds;
    for (std::int64_t v = 0; v < list.num_vertices; v += 3) {
      seeds.push_back(v);
      narrow_seeds.push_back(static_cast<glt::local_id>(v));
    }
    for (bool const exact : {false, true}) {
      for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
        glt::neighbor_options const options{.fanouts = {3, 2, -1}, .expand = expand, .edge_ids = true};
        auto const expected = glt_test::naive_labor_sample(list, exact, seeds, options, {.seed = 5, .step = 2});
        for (int const threads : {1, 3}) {
          glt::neighbor_sampler<cpu, glt::local_id, glt::labor_rule<glt::memory_space::host>> sampler(
              graph.view(), options, rule{.sources = {}, .exact = exact}, cpu(threads));
          glt::sampled_subgraph<cpu> out;
          sampler.sample(narrow_seeds, {.seed = 5, .step = 2}, out);
          CHECK(glt_test::plain(out) == expected);
        }
      }
    }
  }
}

TEST_CASE("fewer vertices are visited than by uniform sampling, fewer still with variates shared across hops") {
  auto const list = glt_test::random_graph(3001, 60011);
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::neighbor_options const options{.fanouts = {8, 6}};
  std::vector<glt::local_id> seeds;
  for (glt::local_id v = 0; v < 120; ++v) {
    seeds.push_back(v);
  }
  glt::neighbor_sampler<cpu> uniform(graph.view(), options);
  glt::neighbor_sampler<cpu, glt::local_id, glt::labor_rule<glt::memory_space::host>> poisson(graph.view(), options,
                                                                                              rule{});
  glt::neighbor_sampler<cpu, glt::local_id, glt::labor_rule<glt::memory_space::host>> exact(
      graph.view(), options, rule{.sources = {}, .exact = true});
  glt::neighbor_sampler<cpu, glt::local_id, glt::labor_rule<glt::memory_space::host>> across(graph.view(), options,
                                                                                             rule{});
  glt::sampled_subgraph<cpu> out;
  std::vector<std::int64_t> visited(4);
  for (std::int64_t step = 0; step < 5; ++step) {
    auto const visits = [&](auto& sampler) {
      sampler.sample(seeds, {.step = step}, out);
      return out.nodes().size();
    };
    across.set_rule({.sources = {}, .across_hops = true, .batch_key = round_key(static_cast<std::uint64_t>(step))});
    visited[0] += visits(uniform);
    visited[1] += visits(poisson);
    visited[2] += visits(exact);
    visited[3] += visits(across);
  }
  CHECK(4 * visited[1] < 3 * visited[0]);
  CHECK(4 * visited[2] < 3 * visited[0]);
  CHECK(visited[3] < visited[1]);
}

TEST_CASE("a sampler refuses a rule that does not fit its graph or options") {
  auto const graph = glt::make_csr<cpu>(glt_test::random_graph(101, 370).view());
  std::vector<glt::global_id> const some(17);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          glt::neighbor_sampler<cpu, glt::local_id, glt::labor_rule<glt::memory_space::host>>(
                              graph.view(), {.fanouts = {3}}, rule{.sources = some});
                        }),
                        "17 original ids"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          glt::neighbor_sampler<cpu, glt::local_id, glt::labor_rule<glt::memory_space::host>>(
                              graph.view(), {.fanouts = {3}, .replace = true}, rule{});
                        }),
                        "LABOR sampling with replacement"));
}

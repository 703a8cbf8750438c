// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/temporal_rule.hpp>

#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/rule.hpp>

#include "support/errors.hpp"
#include "support/naive_rules.hpp"
#include "support/statistics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using glt::temporal_strategy;
using glt::device::cpu;

namespace {

using rule = glt::temporal_rule<glt::memory_space::host>;
static_assert(glt::draw_rule<rule, glt::csr_view<glt::memory_space::host>>);
static_assert(glt::draw_rule<rule, glt::csr_view<glt::memory_space::host, std::int64_t>>);

constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

template <class Vertex>
std::vector<std::int64_t> draw(rule const& temporal, glt::csr_view<glt::memory_space::host, Vertex> graph,
                               std::int64_t row, std::int64_t time, glt::hop_options options, glt::random_key key) {
  auto const subject = static_cast<std::uint64_t>(row);
  auto const count = temporal.count(graph, row, time, options, key, subject);
  std::vector<Vertex> out(static_cast<std::size_t>(count));
  temporal.pick(graph, row, time, options, key, subject, count, out.data());
  return {out.begin(), out.end()};
}

// One row of edges from vertices 0, 1, 2, … and their times.
struct one_row {
  std::vector<std::int64_t> times;
  std::array<glt::edge_offset, 2> offsets{0, static_cast<glt::edge_offset>(times.size())};
  std::vector<glt::local_id> sources = std::vector<glt::local_id>(times.size());

  [[nodiscard]] glt::csr_view<glt::memory_space::host> view() const { return {1, offsets, sources}; }
};

} // namespace

TEST_CASE("draws are those of the definition") {
  glt::random_key const key(9);
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view());
    std::vector<std::int64_t> times;
    for (std::int64_t e = 0; e < list.num_edges(); ++e) {
      times.push_back(e * 37 % 11);
    }
    auto const sorted = glt::sort_rows_by_time(graph.view(), times);
    auto const view = sorted.graph.view();
    for (auto const strategy : {temporal_strategy::uniform, temporal_strategy::last}) {
      rule const temporal{sorted.times.view(), strategy};
      rule const earlier{sorted.times.view(), strategy, true};
      for (auto const& options :
           {glt::hop_options{-1}, glt::hop_options{1}, glt::hop_options{4}, glt::hop_options{4, true}}) {
        bool equal = true;
        for (std::int64_t row = 0; row < view.num_rows(); ++row) {
          std::vector<std::int64_t> const of_row(sorted.times.begin() + view.offset(row),
                                                 sorted.times.begin() + view.offset(row + 1));
          for (std::int64_t const time : {-for_ever, std::int64_t{-1}, std::int64_t{0}, std::int64_t{5}, for_ever}) {
            equal = equal && draw(temporal, view, row, time, options, key) ==
                                 glt_test::naive_temporal_pick(of_row, strategy, row, time, options, key);
            if (time > -for_ever) {
              equal = equal && draw(earlier, view, row, time, options, key) ==
                                   glt_test::naive_temporal_pick(of_row, strategy, row, time - 1, options, key);
            }
          }
        }
        CHECK(equal);
      }
    }
  }
}

TEST_CASE("every size of a row is cut at every time") {
  for (std::int64_t degree = 0; degree < 40; ++degree) {
    one_row row{std::vector<std::int64_t>(static_cast<std::size_t>(degree))};
    for (std::int64_t i = 0; i < degree; ++i) {
      row.times[static_cast<std::size_t>(i)] = i / 3 * 2; // three edges at every even time
    }
    rule const temporal{row.times};
    for (std::int64_t time = -1; time <= 28; ++time) {
      auto const eligible = std::ranges::upper_bound(row.times, time) - row.times.begin();
      CHECK(temporal.count(row.view(), 0, time, {.fanout = -1}, glt::random_key(0), 0) == eligible);
      rule const earlier{.times = row.times, .strictly_before = true};
      CHECK(earlier.count(row.view(), 0, time, {.fanout = -1}, glt::random_key(0), 0) ==
            std::ranges::lower_bound(row.times, time) - row.times.begin());
    }
  }
}

TEST_CASE("without a bound on time, draws are those of the uniform rule") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<std::int64_t> const times(4099, 1);
  rule const temporal{times};
  for (std::int64_t row = 0; row < 257; ++row) {
    for (bool const replace : {false, true}) {
      CHECK(draw(temporal, graph.view(), row, 1, {6, replace}, glt::random_key(2)) ==
            glt_test::naive_pick(glt::random_key(2), row, graph.view().degree(row), 6, replace));
    }
  }
}

TEST_CASE("every edge that is old enough is equally likely, the others are never drawn") {
  one_row row{std::vector<std::int64_t>(50)};
  for (std::size_t i = 0; i < 50; ++i) {
    row.times[i] = static_cast<std::int64_t>(i);
  }
  for (bool const replace : {false, true}) {
    std::vector<std::int64_t> of_all(50);
    std::vector<std::int64_t> of_latest(50);
    for (std::uint64_t round = 0; round < 20000; ++round) {
      auto const key = glt::random_key(4).fold(round);
      for (auto const at : draw(rule{row.times}, row.view(), 0, 36, {5, replace}, key)) {
        ++of_all[static_cast<std::size_t>(at)];
      }
      for (auto const at : draw(rule{row.times, temporal_strategy::last}, row.view(), 0, 36, {5, replace}, key)) {
        ++of_latest[static_cast<std::size_t>(at)];
      }
    }
    CHECK(std::ranges::all_of(of_all.begin() + 37, of_all.end(), [](auto count) { return count == 0; }));
    of_all.resize(37);
    CHECK(glt_test::chi_square_deviation(of_all) < 4);
    CHECK(glt_test::chi_square_deviation(of_all) > -4);
    of_latest.resize(37);
    CHECK(std::ranges::all_of(of_latest.begin(), of_latest.begin() + 32, [](auto count) { return count == 0; }));
    std::vector<std::int64_t> const latest(of_latest.begin() + 32, of_latest.end());
    if (replace) {
      CHECK(glt_test::chi_square_deviation(latest) < 4);
    } else {
      CHECK(latest == std::vector<std::int64_t>(5, 20000));
    }
  }
}

TEST_CASE("as many times as edges are asked for") {
  auto const graph = glt::make_csr<cpu>(glt_test::random_graph(101, 370).view());
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { rule{}.check(graph.view(), {}); }),
                        "0 times for 370 edges", "sort_rows_by_time"));
  std::vector<std::int64_t> const times(370);
  CHECK_NOTHROW(rule{times}.check(graph.view(), {}));
}

TEST_CASE("a sampler gives every seed the tree of the definition, whatever the number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    if (list.num_vertices == 0) {
      continue;
    }
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    std::vector<std::int64_t> times;
    for (std::int64_t e = 0; e < list.num_edges(); ++e) {
      times.push_back(e * 37 % 101);
    }
    auto const sorted = glt::sort_rows_by_time(graph.view(), glt::make_edge_values(graph.view(), times).view());
    std::vector<glt::local_id> seeds;
    std::vector<std::int64_t> wide_seeds;
    std::vector<std::int64_t> seed_times;
    for (std::int64_t i = 0; i < 9; ++i) {
      wide_seeds.push_back(i / 2 * 7 % list.num_vertices); // every seed twice, at different times
      seeds.push_back(static_cast<glt::local_id>(wide_seeds.back()));
      seed_times.push_back(i * 13);
    }
    for (auto const strategy : {temporal_strategy::uniform, temporal_strategy::last}) {
      for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
        for (bool const replace : {false, true}) {
          glt::neighbor_options const options{
              .fanouts = {4, 3}, .replace = replace, .expand = expand, .edge_ids = true, .disjoint = true};
          auto const expected = glt_test::naive_temporal_sample(list, times, strategy, wide_seeds, seed_times, options,
                                                                {.seed = 3, .step = 1});
          for (int const threads : {1, 3}) {
            glt::neighbor_sampler<cpu, glt::local_id, glt::temporal_rule<glt::memory_space::host>> sampler(
                sorted.graph.view(), options, rule{sorted.times.view(), strategy}, cpu(threads));
            glt::sampled_subgraph<cpu> out;
            sampler.sample(seeds, seed_times, {.seed = 3, .step = 1}, out);
            CHECK(glt_test::plain(out) == expected);
          }
        }
      }
    }
  }
}

TEST_CASE("nothing that happened later than its seed is in a tree") {
  auto const list = glt_test::random_graph(3001, 20011);
  std::vector<std::int64_t> of_vertex(3001);
  for (std::size_t v = 0; v < of_vertex.size(); ++v) {
    of_vertex[v] = static_cast<std::int64_t>(v * v % 997);
  }
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<std::int64_t> times; // of the sources
  for (auto const source : graph.view().sources()) {
    times.push_back(of_vertex[static_cast<std::size_t>(source)]);
  }
  auto const sorted = glt::sort_rows_by_time(graph.view(), times);
  glt::neighbor_sampler<cpu, glt::local_id, glt::temporal_rule<glt::memory_space::host>> sampler(
      sorted.graph.view(), {.fanouts = {5, 4, 3}, .disjoint = true}, rule{sorted.times.view()});
  std::vector<glt::local_id> seeds;
  std::vector<std::int64_t> seed_times;
  for (int i = 0; i < 50; ++i) {
    seeds.push_back(i * 11);
    seed_times.push_back(i * 20);
  }
  glt::sampled_subgraph<cpu> out;
  sampler.sample(seeds, seed_times, {.seed = 1}, out);
  CHECK(out.nodes().size() > 500);
  for (std::int64_t n = 50; n < out.nodes().size(); ++n) {
    CHECK(of_vertex[static_cast<std::size_t>(out.nodes()[n])] <= seed_times[static_cast<std::size_t>(out.batch()[n])]);
  }
}

TEST_CASE("a sampler refuses times that are missing or do not fit its graph") {
  auto const graph = glt::make_csr<cpu>(glt_test::random_graph(101, 370).view());
  glt::neighbor_options const options{.fanouts = {3}, .disjoint = true};
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          glt::neighbor_sampler<cpu, glt::local_id, glt::temporal_rule<glt::memory_space::host>>(
                              graph.view(), options, rule{});
                        }),
                        "0 times for 370 edges"));
  std::vector<std::int64_t> const times(370);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          glt::neighbor_sampler<cpu, glt::local_id, glt::temporal_rule<glt::memory_space::host>>(
                              graph.view(), {.fanouts = {3}}, rule{times});
                        }),
                        "disjoint"));
  glt::neighbor_sampler<cpu, glt::local_id, glt::temporal_rule<glt::memory_space::host>> sampler(graph.view(), options,
                                                                                                 rule{times});
  glt::sampled_subgraph<cpu> out;
  std::vector<glt::local_id> const seeds{1, 2, 3};
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { sampler.sample(seeds, std::vector<std::int64_t>{5, 5}, {}, out); }),
                        "2", "3"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/weighted_rule.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace {

using glt::device::cpu;
using host_graph = glt::csr_view<glt::memory_space::host>;
using host_rule = glt::weighted_rule<glt::memory_space::host>;
using positions = std::vector<std::int64_t>;

static_assert(glt::draw_rule<host_rule, host_graph>);
static_assert(glt::draw_rule<host_rule, glt::csr_view<glt::memory_space::host, glt::global_id>>);
static_assert(!glt::detail::has_query<host_rule>);

positions draw(host_rule const& rule, host_graph graph, std::int64_t row, glt::hop_options options, glt::random_key key,
               std::uint64_t subject) {
  auto const count = rule.count(graph, row, {}, options, key, subject);
  std::vector<glt::local_id> out(static_cast<std::size_t>(count), -1);
  rule.pick(graph, row, {}, options, key, subject, count, out.data());
  return {out.begin(), out.end()};
}

std::vector<glt::hop_options> options_to_try() {
  return {{.fanout = -1},
          {.fanout = 1},
          {.fanout = 3},
          {.fanout = 15},
          {.fanout = 40},
          {.fanout = 2000},
          {.fanout = 1, .replace = true},
          {.fanout = 4, .replace = true},
          {.fanout = 40, .replace = true}};
}

} // namespace

TEST_CASE("rows give as many edges as the options say, none of weight 0, and none twice without replacement") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view());
    auto const view = graph.view();
    auto weights = glt_test::random_weights(list.num_edges(), 4);
    for (std::int64_t p = 0; list.num_vertices > 8 && p < view.offset(2); ++p) {
      weights[static_cast<std::size_t>(p)] = 0; // rows of zeros
    }
    glt::weight_tables<cpu> const tables(view, weights);
    for (bool const with_tables : {false, true}) {
      CAPTURE(with_tables);
      host_rule const rule{weights, with_tables ? tables.view() : decltype(tables.view()){}};
      for (auto const& options : options_to_try()) {
        CAPTURE(options.fanout);
        CAPTURE(options.replace);
        rule.check(view, options);
        for (std::int64_t row = 0; row < view.num_rows(); row += 1 + view.num_rows() / 300) {
          positions positive;
          for (std::int64_t p = 0; p < view.degree(row); ++p) {
            if (weights[static_cast<std::size_t>(view.offset(row) + p)] > 0) {
              positive.push_back(p);
            }
          }
          auto const all = static_cast<std::int64_t>(positive.size());
          auto const picked = draw(rule, view, row, options, glt::random_key(3), static_cast<std::uint64_t>(row));
          if (all == 0 || options.fanout < 0 || (!options.replace && all <= options.fanout)) {
            CHECK(picked == positive);
            continue;
          }
          REQUIRE(picked.size() == static_cast<std::size_t>(options.fanout));
          auto sorted = picked;
          std::ranges::sort(sorted);
          CHECK(std::ranges::includes(positive, std::set(sorted.begin(), sorted.end())));
          CHECK((options.replace || std::ranges::adjacent_find(sorted) == sorted.end()));
        }
      }
    }
  }
}

TEST_CASE("what a row gives depends on its weights, key and subject alone, not on where it stands") {
  auto const weights = glt_test::random_weights(100, 9);
  std::vector<glt::edge_offset> const alone_at{0, 100};
  std::vector<glt::edge_offset> const behind_at{0, 0, 3, 103};
  std::vector<glt::local_id> const sources(103, 0);
  host_graph const alone(3, alone_at, glt::host_view<glt::local_id const>(sources).subview(0, 100));
  host_graph const behind(3, behind_at, sources);
  std::vector<float> shifted{1, 2, 3};
  shifted.insert(shifted.end(), weights.begin(), weights.end());
  glt::weight_tables<cpu> const alone_tables(alone, weights);
  glt::weight_tables<cpu> const behind_tables(behind, shifted);
  for (auto const& options : options_to_try()) {
    auto const key = glt::random_key(6);
    CHECK(draw({weights}, alone, 0, options, key, 8) == draw({shifted}, behind, 2, options, key, 8));
    CHECK(draw({weights, alone_tables.view()}, alone, 0, options, key, 8) ==
          draw({shifted, behind_tables.view()}, behind, 2, options, key, 8));
    if (options.fanout > 1 && options.fanout < 50) {
      CHECK(draw({weights}, alone, 0, options, key, 8) != draw({weights}, alone, 0, options, key, 9));
      CHECK(draw({weights}, alone, 0, options, key, 8) != draw({weights}, alone, 0, options, key.fold(0), 8));
    }
  }
}

TEST_CASE("with and without tables, rows are drawn with the probabilities of their weights") {
  // In the second row tables reject so many draws that the keys take over.
  for (auto const& weights : {std::vector<float>{1, 2, 0, 3, 0.5F}, std::vector<float>{1, 40, 2, 60, 0.01F}}) {
    std::vector<glt::edge_offset> const offsets{0, 5};
    std::vector<glt::local_id> const sources(5, 0);
    host_graph const graph(1, offsets, sources);
    glt::weight_tables<cpu> const tables(graph, weights);
    for (bool const with_tables : {false, true}) {
      host_rule const rule{weights, with_tables ? tables.view() : decltype(tables.view()){}};
      for (bool const replace : {false, true}) {
        CAPTURE(with_tables);
        CAPTURE(replace);
        auto const probabilities = glt_test::sequence_probabilities(weights, 3, replace);
        bool const sorted = replace && !with_tables;
        auto const expected = sorted ? glt_test::without_order(probabilities) : probabilities;
        std::map<positions, std::int64_t> observed;
        for (std::uint64_t subject = 0; subject < 50000; ++subject) {
          ++observed[draw(rule, graph, 0, {.fanout = 3, .replace = replace}, glt::random_key(1), subject)];
        }
        CHECK(glt_test::chi_square_deviation(observed, expected) < 4);
      }
    }
  }
}

TEST_CASE("weights and tables of another graph are refused") {
  auto const list = glt_test::random_graph(11, 50);
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const other_list = glt_test::random_graph(11, 51);
  auto const other = glt::make_csr<cpu>(other_list.view());
  auto const more_rows_list = glt_test::random_graph(12, 50);
  auto const more_rows = glt::make_csr<cpu>(more_rows_list.view());
  auto const weights = glt_test::random_weights(50);
  auto const more_weights = glt_test::random_weights(51);
  glt::weight_tables<cpu> const tables(graph.view(), weights);
  glt::weight_tables<cpu> const other_tables(other.view(), more_weights);
  auto const complaint = [](host_rule rule, host_graph of) {
    return glt_test::thrown<glt::precondition_error>([&] { rule.check(of, {.fanout = 3}); });
  };
  CHECK(glt_test::names(complaint({more_weights}, graph.view()), "51 weights for 50 edges", "make_edge_values"));
  CHECK(glt_test::names(complaint({weights, other_tables.view()}, graph.view()), "tables of 11 rows and 51 edges",
                        "graph of 11 and 50", "weight_tables of this graph"));
  CHECK(glt_test::names(complaint({weights, tables.view()}, more_rows.view()), "tables of 11 rows",
                        "graph of 12 and 50"));
}

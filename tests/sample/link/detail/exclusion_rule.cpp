// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/exclusion_rule.hpp>

#include <glt/graph/csr.hpp>
#include <glt/sample/link/detail/edge_exclusions.hpp>

#include "support/graphs.hpp"
#include "support/naive_sampler.hpp"
#include "support/row_edges.hpp"
#include "support/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

} // namespace

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

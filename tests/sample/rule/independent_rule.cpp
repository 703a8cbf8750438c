// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/naive_rules.hpp"
#include "support/naive_sampler.hpp"

#include <glt/graph/csr.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/independent_rule.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

using namespace glt;
using device::cpu;

namespace {

using graph_type = csr_view<memory_space::host>;
using timed = independent_rule<temporal_rule<memory_space::host>>;
static_assert(draw_rule<independent_rule<>, graph_type>);
static_assert(draw_rule<timed, graph_type>);
static_assert(sizeof(independent_rule<>::query_type) == sizeof(std::int64_t));
static_assert(!independent_rule<>::may_exceed_fanout);
static_assert(independent_rule<>::all_in_order);
static_assert(independent_rule<labor_rule<memory_space::host>>::may_exceed_fanout);
static_assert(detail::counts_by_team<independent_rule<labor_rule<memory_space::host>>, graph_type>);
static_assert(!detail::counts_by_team<independent_rule<>, graph_type>);
static_assert(independent_rule<>::shares_row({.fanout = 4}) && !independent_rule<>::shares_row({.fanout = 17}));

} // namespace

TEST_CASE("occurrences are counted in order") {
  std::vector<local_id> const seeds{5, 7, 5, 5, 7, 1};
  std::vector<std::int64_t> counts;
  for (auto const& query : independent_rule<>::count_occurrences<local_id>(seeds)) {
    counts.push_back(query.occurrence);
  }
  CHECK(counts == std::vector<std::int64_t>{0, 0, 1, 2, 1, 0});
  CHECK(independent_rule<>::count_occurrences<local_id>({}).empty());
}

TEST_CASE("the first tree of a seed is the usual one, further ones are drawn anew") {
  auto const list = glt_test::random_graph(101, 3001);
  auto const graph = make_csr<cpu>(list.view());
  for (auto const& options : {neighbor_options{.fanouts = {4, 3}, .disjoint = true},
                              neighbor_options{.fanouts = {5}, .replace = true, .disjoint = true}}) {
    neighbor_sampler<cpu, local_id, independent_rule<>> sampler(graph.view(), options);
    sampled_subgraph<cpu> out;
    std::vector<local_id> const seeds{3, 8, 3, 3, 0, 8};
    auto const queries = independent_rule<>::count_occurrences<local_id>(seeds);
    sampler.sample(seeds, queries, {.seed = 4}, out);
    CHECK(glt_test::plain(out) ==
          glt_test::naive_independent_sample(list, {seeds.begin(), seeds.end()}, options, {.seed = 4}));
    std::vector<local_id> const different{3, 8, 0};
    sampler.sample(different, independent_rule<>::count_occurrences<local_id>(different), {.seed = 4}, out);
    CHECK(glt_test::plain(out) == glt_test::naive_sample(list, {3, 8, 0}, options, {.seed = 4}));
  }
  neighbor_options const shared{.fanouts = {4}};
  CHECK(glt_test::names(glt_test::thrown<precondition_error>([&] {
                          neighbor_sampler<cpu, local_id, independent_rule<>> const refused(graph.view(), shared);
                        }),
                        "set disjoint = true"));
}

TEST_CASE("another rule inside gets its own queries") {
  auto const list = glt_test::random_graph(50, 900);
  auto const graph = make_csr<cpu>(list.view());
  std::vector<std::int64_t> times;
  for (std::int64_t e = 0; e < list.num_edges(); ++e) {
    times.push_back(e % 31);
  }
  auto const sorted = sort_rows_by_time(graph.view(), times);
  std::vector<std::int64_t> const of_seeds{10, 20, 20};
  std::vector<local_id> const seeds{4, 4, 6};
  timed const rule{{sorted.times.view()}};
  neighbor_sampler<cpu, local_id, timed> sampler(sorted.graph.view(), {.fanouts = {3}, .disjoint = true}, rule);
  sampled_subgraph<cpu> out;
  sampler.sample(seeds, timed::count_occurrences<local_id>(seeds, of_seeds), {}, out);
  auto const all = glt_test::naive_timed_rows(list, times);
  for (std::size_t tree = 0; tree < seeds.size(); ++tree) {
    std::int64_t const old = std::ranges::count_if(all[static_cast<std::size_t>(seeds[tree])], [&](auto const& edge) {
      return times[static_cast<std::size_t>(edge.second)] <= of_seeds[tree];
    });
    CHECK(std::ranges::count(out.col(), static_cast<local_id>(tree)) == std::min<std::int64_t>(old, 3));
  }
}

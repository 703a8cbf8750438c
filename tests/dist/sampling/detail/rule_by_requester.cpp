// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/rule_by_requester.hpp>

#include <glt/graph/copy_graph.hpp>
#include <glt/sample/neighbors.hpp>

#include "support/graphs.hpp"
#include "support/policies.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace {

// Takes the first edges of a row, at most a limit of its own.
struct first_edges {
  using query_type = glt::no_query;
  std::int64_t limit;
  template <class Graph>
  GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, glt::no_query, glt::hop_options,
                                               glt::random_key, std::uint64_t) const noexcept {
    return graph.degree(row) < limit ? graph.degree(row) : limit;
  }
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const&, std::int64_t, glt::no_query, glt::hop_options, glt::random_key,
                                      std::uint64_t, std::int64_t count, Position* out) const noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(i);
    }
  }
};

} // namespace

TEST_CASE_TEMPLATE("every requester has its own rule", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::random_graph(40, 300);
  auto const whole = glt::make_csr<glt::device::cpu>(list.view());
  auto const graph = glt::copy_graph<Policy>(whole.view(), policy);
  std::vector<std::int64_t> const offsets{0, 10, 10, 35}; // rank 1 asks for nothing
  std::vector<glt::local_id> rows;
  for (glt::local_id i = 0; i < 35; ++i) {
    rows.push_back((i * 7) % 40);
  }
  glt::detail::requester_rules<Policy, first_edges> rules(policy);
  rules.set([](int rank) { return first_edges{3 * rank + 2}; }, std::span(offsets));
  auto const there = glt::make_buffer<Policy>(rows, policy);
  using rule = decltype(rules.rule());
  glt::hop_request<Policy::space, glt::local_id, rule> const request{.rows = there.view(),
                                                                     .original = {},
                                                                     .options = {.fanout = 100},
                                                                     .key = glt::random_key(1),
                                                                     .rule = rules.rule(),
                                                                     .queries = rules.queries()};
  glt::buffer<Policy, glt::edge_offset> counts(35, policy);
  glt::buffer<Policy, glt::edge_offset> ends(36, policy);
  glt::count_neighbors(policy.executor(), graph.view(), request, counts.view(), ends.view());
  auto const counted = glt::to_vector(policy, counts.view());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(counted[i] == std::min<std::int64_t>(whole.view().degree(rows[i]), i < 10 ? 2 : 8));
  }
}

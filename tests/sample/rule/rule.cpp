// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/rule.hpp>

#include <glt/graph/csr.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <cstdint>
#include <vector>

namespace {

using glt::device::cpu;
using graph_type = glt::csr_view<glt::memory_space::host>;

// Takes the first edges of a row whose position is not above the query, and needs an even fanout.
struct first_edges {
  using query_type = std::int64_t;
  static constexpr bool may_exceed_fanout = true;

  template <class Graph>
  std::int64_t count(Graph const& graph, std::int64_t row, std::int64_t query, glt::hop_options, glt::random_key,
                     std::uint64_t) const noexcept {
    return graph.degree(row) < query ? graph.degree(row) : query;
  }
  template <class Graph, class Position>
  void pick(Graph const&, std::int64_t, std::int64_t, glt::hop_options, glt::random_key, std::uint64_t,
            std::int64_t count, Position* out) const noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(i);
    }
  }
  void check(graph_type const&, glt::hop_options options) const {
    if (options.fanout % 2 != 0) {
      throw glt::precondition_error("odd fanout");
    }
  }
};

} // namespace

static_assert(glt::draw_rule<glt::uniform_rule, graph_type> && !glt::detail::has_query<glt::uniform_rule>);
static_assert(glt::draw_rule<first_edges, graph_type> && glt::detail::has_query<first_edges>);
static_assert(!glt::draw_rule<int, graph_type>);
static_assert(glt::detail::largest_count<glt::uniform_rule>({.fanout = 7}) == 7);
static_assert(glt::detail::largest_count<first_edges>({.fanout = 7}) == -1);

TEST_CASE("a rule of one's own draws, with the query of the seed in all of its tree") {
  auto const list = glt_test::random_graph(101, 900);
  auto const rows = glt_test::naive_rows(list);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  glt::neighbor_sampler<cpu, glt::local_id, first_edges> sampler(graph.view(), {.fanouts = {2, 2}, .disjoint = true},
                                                                 first_edges{});
  glt::sampled_subgraph<cpu> out;
  std::vector<glt::local_id> const seeds{4, 9, 4};
  std::vector<std::int64_t> const queries{3, 1, 0};
  sampler.sample(seeds, queries, {}, out);
  std::vector<std::int64_t> edges_of(static_cast<std::size_t>(out.nodes().size()), 0);
  for (auto const destination : out.col()) {
    ++edges_of[static_cast<std::size_t>(destination)];
  }
  auto const expanded = out.num_sampled_nodes()[0] + out.num_sampled_nodes()[1];
  REQUIRE(expanded > 5);
  for (std::int64_t i = 0; i < expanded; ++i) {
    auto const degree = static_cast<std::int64_t>(rows[static_cast<std::size_t>(out.nodes()[i])].size());
    auto const query = queries[static_cast<std::size_t>(out.batch()[i])];
    CHECK(edges_of[static_cast<std::size_t>(i)] == (degree < query ? degree : query));
  }
}

TEST_CASE("what a rule cannot do is refused before anything is drawn") {
  auto const list = glt_test::random_graph(101, 900);
  auto const graph = glt::make_csr<cpu>(list.view());
  using sampler_type = glt::neighbor_sampler<cpu, glt::local_id, first_edges>;
  auto const refused = [&](glt::neighbor_options const& options) {
    return glt_test::thrown<glt::precondition_error>([&] { sampler_type(graph.view(), options, first_edges{}); });
  };
  CHECK(glt_test::names(refused({.fanouts = {2}}), "disjoint = true"));
  CHECK(glt_test::names(refused({.fanouts = {2, 3}, .disjoint = true}), "odd fanout"));
  sampler_type sampler(graph.view(), {.fanouts = {2}, .disjoint = true}, first_edges{});
  glt::sampled_subgraph<cpu> out;
  std::vector<glt::local_id> const seeds{1, 2};
  std::vector<std::int64_t> const times{7};
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { sampler.sample(seeds, times, {}, out); }),
                        "1 queries", "2", "seeds"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"
#include "support/policy_subgraphs.hpp"

#include <glt/graph/csr.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_worker.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using glt_test::copy_subgraph;

namespace {

template <class Policy, class Source>
detail::hop_sample<Policy, Source> hop_of(std::vector<edge_offset> const& offsets, std::vector<Source> const& sources,
                                          std::vector<edge_id> const& ids = {}) {
  Policy const policy;
  return {make_buffer(offsets, policy), make_buffer(sources, policy), make_buffer(ids, policy)};
}

struct timed : uniform_rule {
  using query_type = std::int64_t;
};

} // namespace

TEST_CASE_TEMPLATE("draws become the subgraph of the serial builder", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  detail::subgraph_builder<Policy, std::int64_t> builder(policy);
  sampled_subgraph<Policy, std::int64_t> out;
  std::vector<std::int64_t> const seeds{70, 30, 70};
  auto const seeds_there = make_buffer(seeds, policy);
  for (auto const expand : {frontier::fresh, frontier::all}) {
    detail::subgraph_builder<device::cpu, std::int64_t> serial;
    sampled_subgraph<device::cpu, std::int64_t> expected;
    serial.begin(seeds, expand, expected);
    builder.begin(seeds_there.view(), expand, out);
    bool const fresh = expand == frontier::fresh;
    for (int hop = 0; hop < 12; ++hop) { // more hops than the sizes have room for at first
      std::vector<edge_offset> offsets{0};
      std::vector<std::int64_t> sources;
      std::vector<edge_id> ids;
      auto const frontier = serial.next_frontier();
      CHECK(to_vector(policy, builder.next_frontier()) == to_vector(device::cpu(), frontier));
      for (std::int64_t i = 0; i < frontier.size(); ++i) {
        for (int j = 0; j < (fresh ? 2 : i % 2); ++j) {
          sources.push_back((frontier[i] * 3 + j * 50 + hop) % 91);
          ids.push_back(hop * 100 + i);
        }
        offsets.push_back(static_cast<edge_offset>(sources.size()));
      }
      serial.add_hop(hop_of<device::cpu>(offsets, sources, ids));
      builder.add_hop(hop_of<Policy>(offsets, sources, ids));
    }
    builder.finish();
    CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu(), expected));
    CHECK(builder.typed().current_trees(0).empty());
  }
}

TEST_CASE_TEMPLATE("trees keep the same vertex apart", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  detail::subgraph_builder<Policy, std::int64_t> builder(policy);
  sampled_subgraph<Policy, std::int64_t> out;
  auto const seeds = make_buffer(std::vector<std::int64_t>{7, 7}, policy);
  builder.begin_disjoint(seeds.view(), frontier::fresh, out);
  CHECK(to_vector(policy, builder.typed().current_trees(0)) == std::vector<local_id>{0, 1});
  builder.add_hop(hop_of<Policy, std::int64_t>({0, 2, 4}, {3, 7, 3, 3}));
  CHECK(to_vector(policy, builder.typed().current_trees(0)) == std::vector<local_id>{0, 1});
  builder.add_hop(hop_of<Policy, std::int64_t>({0, 0, 0}, {}));
  CHECK(builder.next_frontier().empty());
  builder.finish();
  CHECK(to_vector(policy, out.nodes()) == std::vector<std::int64_t>{7, 7, 3, 3});
  CHECK(to_vector(policy, out.batch()) == std::vector<local_id>{0, 1, 0, 1});
  CHECK(to_vector(policy, out.row()) == std::vector<local_id>{2, 0, 3, 3});
  CHECK(to_vector(policy, out.col()) == std::vector<local_id>{0, 0, 1, 1});
  CHECK(out.num_hops() == 2);
}

TEST_CASE_TEMPLATE("edges between known vertices replace those of all rows, or follow those that were drawn", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  detail::subgraph_builder<Policy, std::int64_t> builder(policy);
  sampled_subgraph<Policy, std::int64_t> out;
  auto const seeds = make_buffer(std::vector<std::int64_t>{70, 30}, policy);
  for (bool const whole : {false, true}) {
    builder.begin(seeds.view(), frontier::fresh, out);
    builder.add_hop(hop_of<Policy, std::int64_t>({0, 1, 1}, {90}, {5}));
    builder.finish();
    builder.close(whole ? 0 : 2,
                  whole ? hop_of<Policy, local_id>({0, 2, 2, 3}, {1, 2, 0}, {7, 8, 9})
                        : hop_of<Policy, local_id>({0, 1}, {0}, {9}),
                  out);
    CHECK(to_vector(policy, out.nodes()) == std::vector<std::int64_t>{70, 30, 90});
    CHECK(to_vector(policy, out.row()) == (whole ? std::vector<local_id>{1, 2, 0} : std::vector<local_id>{2, 0}));
    CHECK(to_vector(policy, out.col()) == (whole ? std::vector<local_id>{0, 0, 2} : std::vector<local_id>{0, 2}));
    CHECK(to_vector(policy, out.edge_ids()) == (whole ? std::vector<edge_id>{7, 8, 9} : std::vector<edge_id>{5, 9}));
    CHECK(to_vector(policy, out.block(0).offsets) ==
          (whole ? std::vector<edge_offset>{0, 2, 2, 3} : std::vector<edge_offset>{0, 1, 1, 2}));
    CHECK(out.num_sampled_nodes()[2] == 0);
    CHECK(out.num_sampled_edges()[0] == (whole ? 2 : 1));
    CHECK(out.num_sampled_edges()[1] == 1);
  }
}

TEST_CASE_TEMPLATE("a hop for another frontier and seeds beyond the graph are refused", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  detail::subgraph_builder<Policy, std::int64_t> builder(policy);
  sampled_subgraph<Policy, std::int64_t> out;
  auto const seeds = make_buffer(std::vector<std::int64_t>{1, 2}, policy);
  builder.begin(seeds.view(), frontier::fresh, out, 2);
  CHECK_THROWS_WITH_AS(builder.add_hop(hop_of<Policy, std::int64_t>({0, 1}, {5})),
                       "hop of 2 offsets for a frontier of 2 vertices; give one offset more than vertices",
                       precondition_error);
  CHECK_THROWS_WITH_AS(builder.finish(), "seed 1 is 2, but vertices are in [0, 2); pass ids of this graph",
                       precondition_error);
  CHECK(out.nodes().empty());
}

TEST_CASE_TEMPLATE("rows are drawn as on the CPU, edge ids or not", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  auto const list = glt_test::random_graph(257, 4099);
  auto const host_graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  auto const graph = copy(host_graph.view(), policy);
  detail::hop_drawer<device::cpu> serial;
  detail::hop_drawer<Policy> drawer(policy);
  detail::hop_sample<device::cpu, local_id> expected;
  detail::hop_sample<Policy, local_id> out;
  for (std::vector<local_id> const& rows : {std::vector<local_id>{7, 0, 255, 7}, {}, {3}}) {
    auto const rows_there = make_buffer(rows, policy);
    for (std::int64_t const fanout : {4, 40, -1}) {
      for (bool const ids : {true, false}) {
        detail::hop_request<memory_space::host, local_id> const request{
            .rows = rows, .original = {}, .options = {.fanout = fanout}, .key = random_key(8)};
        detail::hop_request<space, local_id> const request_there{
            .rows = rows_there.view(), .original = {}, .options = {.fanout = fanout}, .key = random_key(8)};
        serial.draw(host_graph.view(), request, ids, expected);
        drawer.draw(graph.view(), request_there, ids, out);
        CHECK(to_vector(policy, out.offsets.view()) == to_vector(device::cpu(), expected.offsets.view()));
        CHECK(to_vector(policy, out.sources.view()) == to_vector(device::cpu(), expected.sources.view()));
        CHECK(to_vector(policy, out.edge_ids.view()) == to_vector(device::cpu(), expected.edge_ids.view()));
      }
    }
  }
}

TEST_CASE_TEMPLATE("vertices inherit the query of the seed of their tree", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  detail::inherited_queries<Policy, timed> queries(policy);
  auto const of_seeds = make_buffer(std::vector<std::int64_t>{50, 60, 70}, policy);
  auto const trees = make_buffer(std::vector<local_id>{2, 0, 0, 2, 1}, policy);
  CHECK(to_vector(policy, queries.of(of_seeds.view(), trees.view())) == std::vector<std::int64_t>{70, 50, 50, 70, 60});
  CHECK(queries.of(of_seeds.view(), {}).empty());
}

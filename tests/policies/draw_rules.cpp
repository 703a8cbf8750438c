// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/graphs.hpp"
#include "support/policies.hpp"
#include "support/policy_subgraphs.hpp"

#include <glt/graph/csr.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/independent_rule.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weight_tables.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace glt;
using glt_test::copy_subgraph;

namespace {

template <class Policy>
struct both_graphs {
  csr_graph<device::cpu> host;
  csr_graph<Policy> there;
  explicit both_graphs(glt_test::edge_list const& list)
      : host(make_csr<device::cpu>(list.view(), {.edge_ids = true})), there(copy(host.view(), Policy())) {}
};

std::vector<local_id> seeds_of(std::int64_t num_vertices) {
  std::vector<local_id> seeds;
  for (std::int64_t v = 0; v < num_vertices; v += 2) {
    seeds.push_back(static_cast<local_id>(v * 11 % num_vertices));
  }
  return seeds;
}

std::vector<float> random_weights(std::int64_t num_edges) {
  std::mt19937 random(3);
  std::vector<float> weights(static_cast<std::size_t>(num_edges));
  for (auto& weight : weights) {
    auto const draw = random();
    weight = draw % 5 == 0 ? 0.0F : static_cast<float>(draw % 1000) / (draw % 7 == 0 ? 0.001F : 10.0F);
  }
  return weights;
}

// Two hops of the CPU and of the policy.
template <class Policy, class Serial, class Sampler>
void compare(Serial& serial, Sampler& sampler, std::vector<local_id> const& seeds) {
  Policy const policy;
  sampled_subgraph<device::cpu> expected;
  sampled_subgraph<Policy> out;
  for (std::int64_t step = 0; step < 2; ++step) {
    serial.sample(seeds, {.seed = 2, .step = step}, expected);
    sampler.sample(make_buffer(seeds, policy).view(), {.seed = 2, .step = step}, out);
    CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu(), expected));
  }
}

// With a row that a warp shares and one that a block shares.
glt_test::edge_list const& graph_list() {
  static auto const list = [] {
    auto made = glt_test::random_graph(400, 6001);
    for (std::int64_t i = 0; i < 5000; ++i) {
      made.sources.push_back(static_cast<local_id>(i * 7 % 400));
      made.destinations.push_back(i < 150 ? 8 : 300);
    }
    return made;
  }();
  return list;
}

} // namespace

TEST_CASE_TEMPLATE("weighted samples are those of the CPU, with and without tables", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  both_graphs<Policy> const graph(graph_list());
  auto const weights = random_weights(graph.host.view().num_edges());
  auto const weights_there = make_buffer(weights, policy);
  weight_tables<device::cpu> const tables(graph.host.view(), weights);
  weight_tables<Policy> const tables_there(graph.there.view(), weights_there.view(), policy);
  auto const plain_slots = [](auto const& slots) {
    std::vector<std::uint32_t> words;
    for (auto const& slot : slots) {
      words.push_back(slot.threshold);
      words.push_back(slot.alias);
    }
    return words;
  };
  CHECK(plain_slots(to_vector(policy, tables_there.view().slots)) == plain_slots(tables.view().slots));
  CHECK(to_vector(policy, tables_there.view().num_positive) == to_vector(device::cpu(), tables.view().num_positive));
  for (bool const with_tables : {false, true}) {
    for (bool const replace : {false, true}) {
      for (bool const disjoint : {false, true}) {
        neighbor_options const options{.fanouts = {5, 40}, .replace = replace, .edge_ids = true, .disjoint = disjoint};
        weighted_rule<memory_space::host> rule{.weights = weights};
        weighted_rule<space> rule_there{.weights = weights_there.view()};
        if (with_tables) {
          rule.tables = tables.view();
          rule_there.tables = tables_there.view();
        }
        neighbor_sampler<device::cpu, local_id, weighted_rule<memory_space::host>> serial(graph.host.view(), options,
                                                                                          rule);
        neighbor_sampler<Policy, local_id, weighted_rule<Policy::space>> sampler(graph.there.view(), options,
                                                                                 rule_there, policy);
        compare<Policy>(serial, sampler, seeds_of(400));
      }
    }
  }
}

TEST_CASE_TEMPLATE("weights that are none are named", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  both_graphs<Policy> const graph(graph_list());
  auto weights = random_weights(graph.host.view().num_edges());
  auto const row = std::int64_t{17};
  auto const bad = graph.host.view().offset(row) + 1;
  REQUIRE(graph.host.view().degree(row) > 1);
  weights[static_cast<std::size_t>(bad)] = -2.5F;
  weights.back() = std::numeric_limits<float>::infinity();
  auto const there = make_buffer(weights, policy);
  auto const text =
      "weight of edge 1 of row 17 (position " + std::to_string(bad) + ") is -2.5; a weight is finite and 0 or more";
  CHECK_THROWS_WITH_AS(validate(graph.there.view(), there.view(), policy), text.c_str(), precondition_error);
  CHECK_THROWS_AS(weight_tables<Policy>(graph.there.view(), there.view(), policy), precondition_error);
}

TEST_CASE_TEMPLATE("temporal samples are those of the CPU", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  both_graphs<Policy> const graph(graph_list());
  auto const view = graph.host.view();
  std::vector<std::int64_t> times(static_cast<std::size_t>(view.num_edges()));
  for (std::int64_t r = 0; r < view.num_rows(); ++r) {
    for (auto e = view.offset(r); e < view.offset(r + 1); ++e) {
      times[static_cast<std::size_t>(e)] = (e - view.offset(r)) * 3 + r % 5;
    }
  }
  auto const times_there = make_buffer(times, policy);
  validate(graph.there.view(), times_there.view(), policy);
  auto const seeds = seeds_of(400);
  auto const seeds_there = make_buffer(seeds, policy);
  std::vector<std::int64_t> queries;
  for (auto const seed : seeds) {
    queries.push_back(seed % 60);
  }
  auto const queries_there = make_buffer(queries, policy);
  for (auto const strategy : {temporal_strategy::uniform, temporal_strategy::last}) {
    for (std::int64_t const fanout : {-1, 3}) {
      neighbor_options const options{.fanouts = {4, fanout}, .edge_ids = true, .disjoint = true};
      neighbor_sampler<device::cpu, local_id, temporal_rule<memory_space::host>> serial(view, options,
                                                                                        {times, strategy});
      neighbor_sampler<Policy, local_id, temporal_rule<Policy::space>> sampler(
          graph.there.view(), options, temporal_rule<space>{times_there.view(), strategy}, policy);
      sampled_subgraph<device::cpu> expected;
      sampled_subgraph<Policy> out;
      serial.sample(seeds, queries, {.seed = 2}, expected);
      sampler.sample(seeds_there.view(), queries_there.view(), {.seed = 2}, out);
      CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu(), expected));
    }
  }
  std::int64_t const row = 17;
  REQUIRE(view.degree(row) > 2);
  times[static_cast<std::size_t>(view.offset(row) + 2)] = -9;
  auto const untimely = make_buffer(times, policy);
  auto const text = "time 2 of row 17 is -9, earlier than the one before it, " + std::to_string(3 + row % 5) +
                    "; make the parts again if an earlier version made them, or sort the rows with sort_rows_by_time";
  CHECK_THROWS_WITH_AS(validate(graph.there.view(), untimely.view(), policy), text.c_str(), precondition_error);
}

TEST_CASE_TEMPLATE("LABOR samples are those of the CPU", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  both_graphs<Policy> const graph(graph_list());
  std::vector<global_id> names(graph.host.view().sources().begin(), graph.host.view().sources().end());
  glt::labor_rule<glt::memory_space::host>::name_parallel_edges(graph.host.view(), names);
  auto const names_there = make_buffer(names, policy);
  for (bool const exact : {false, true}) {
    for (bool const across : {false, true}) { // with names of parallel edges as well
      neighbor_options const options{.fanouts = {5, 3, -1}, .expand = frontier::all, .edge_ids = true};
      labor_rule<memory_space::host> rule{
          .sources = {}, .exact = exact, .across_hops = across, .batch_key = random_key(8)};
      labor_rule<space> rule_there{.sources = {}, .exact = exact, .across_hops = across, .batch_key = random_key(8)};
      if (across) {
        rule.sources = names;
        rule_there.sources = names_there.view();
      }
      neighbor_sampler<device::cpu, local_id, labor_rule<memory_space::host>> serial(graph.host.view(), options, rule);
      neighbor_sampler<Policy, local_id, labor_rule<Policy::space>> sampler(graph.there.view(), options, rule_there,
                                                                            policy);
      compare<Policy>(serial, sampler, seeds_of(300));
    }
  }
}

// Rows are shared by teams as the rule inside wants it.
TEST_CASE_TEMPLATE("samples of a seed's further occurrences are those of the CPU", Policy, GLT_TEST_GLUE_POLICIES) {
  Policy const policy;
  both_graphs<Policy> const graph(graph_list());
  std::vector<local_id> const seeds{8, 300, 8, 17, 300, 300};
  auto const queries = independent_rule<>::count_occurrences<local_id>(seeds);
  neighbor_options const options{.fanouts = {5, 3}, .disjoint = true};
  auto const check = [&]<class HostRule, class Rule>(HostRule const& host_rule, Rule const& rule) {
    neighbor_sampler<device::cpu, local_id, HostRule> serial(graph.host.view(), options, host_rule);
    neighbor_sampler<Policy, local_id, Rule> sampler(graph.there.view(), options, rule, policy);
    sampled_subgraph<device::cpu> expected;
    sampled_subgraph<Policy> out;
    serial.sample(seeds, queries, {.seed = 2}, expected);
    sampler.sample(make_buffer(seeds, policy).view(), make_buffer(queries, policy).view(), {.seed = 2}, out);
    CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu(), expected));
  };
  check(independent_rule<>{}, independent_rule<>{});
  check(independent_rule<labor_rule<memory_space::host>>{}, independent_rule<labor_rule<Policy::space>>{});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/hetero_graphs.hpp"
#include "support/pinned_policy.hpp"
#include "support/policies.hpp"
#include "support/policy_hetero_subgraphs.hpp"

#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/hetero_builder.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/rule/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using glt_test::copy_subgraph;
using glt_test::hetero_seed_lists_of;

namespace {

// Draws as many edges as the query of the seed says, the last ones of the row.
struct last_edges_rule {
  using query_type = std::int64_t;

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count(Graph const& graph, std::int64_t row, std::int64_t query,
                                                   hop_options, random_key, std::uint64_t) const noexcept {
    return graph.degree(row) < query ? graph.degree(row) : query;
  }
  template <class Graph, class Position>
  GLT_HOST_DEVICE void pick(Graph const& graph, std::int64_t row, std::int64_t, hop_options, random_key, std::uint64_t,
                            std::int64_t count, Position* out) const noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(graph.degree(row) - 1 - i);
    }
  }
};

} // namespace

TEST_CASE_TEMPLATE("batches that outgrow their bounds, wide ids and a graph in pinned memory", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::academic_graph(2003);
  auto const graph = list.graph<global_id>();
  glt_test::pinned_policy const pinned;
  auto const there = copy<glt_test::pinned_policy>(graph.view(), pinned);
  hetero_options const options{.fanouts = same_fanouts(list.schema, {20, 20, 7}), .edge_ids = true};
  hetero_neighbor_sampler<device::cpu, global_id> on_host(graph.view(), options);
  hetero_neighbor_sampler<Policy, global_id, uniform_rule, memory_space::pinned> sampler(there.view(), options, policy);
  std::vector<global_id> seeds;
  for (global_id v = 0; v < 100; ++v) {
    seeds.push_back(v * 19 % 500);
  }
  hetero_subgraph<device::cpu, global_id> expected;
  hetero_subgraph<Policy, global_id> out;
  on_host.sample(0, host_view<global_id const>(seeds), {.seed = 4}, expected);
  auto const seeds_buffer = make_buffer<Policy>(seeds, policy);
  sampler.sample(0, seeds_buffer.view(), {.seed = 4}, out);
  CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu{}, expected));
}

TEST_CASE_TEMPLATE("original ids and queries are followed", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::academic_graph(301);
  auto const graph = list.graph();
  auto const there = copy<Policy>(graph.view(), policy);
  std::vector<std::vector<global_id>> original;
  std::vector<buffer<Policy, global_id>> buffers;
  std::vector<detail::original_ids<memory_space::host>> ids;
  std::vector<detail::original_ids<Policy::space>> ids_there;
  for (int t = 0; t < list.schema.num_node_types(); ++t) {
    auto& of_type = original.emplace_back();
    for (std::int64_t v = 0; t != 1 && v < list.schema.num_vertices(t); ++v) {
      of_type.push_back(1000 - 3 * v);
    }
    buffers.push_back(make_buffer<Policy>(of_type, policy));
  }
  for (std::size_t t = 0; t < original.size(); ++t) {
    ids.emplace_back(original[t]);
    ids_there.push_back(std::as_const(buffers[t]).view());
  }
  hetero_subgraph<device::cpu> expected;
  hetero_subgraph<Policy> out;
  auto const host_seeds = hetero_seed_lists_of(device::cpu{}, list, 2);
  auto const seeds = hetero_seed_lists_of(policy, list, 2);

  hetero_options const options{.fanouts = same_fanouts(list.schema, {4, 3})};
  hetero_neighbor_sampler<device::cpu> renamed_on_host(graph.view(), options, device::cpu{}, ids);
  renamed_on_host.sample(host_seeds.lists, {.seed = 8}, expected);
  hetero_neighbor_sampler<Policy> renamed(there.view(), options, policy, ids_there);
  renamed.sample(seeds.lists, {.seed = 8}, out);
  CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu{}, expected));

  std::vector<std::int64_t> queries;
  for (auto const& of_type : host_seeds.lists) {
    for (std::int64_t i = 0; i < of_type.size(); ++i) {
      queries.push_back(static_cast<std::int64_t>(queries.size()) % 4);
    }
  }
  auto const queries_there = make_buffer<Policy>(queries, policy);
  hetero_options const trees{.fanouts = same_fanouts(list.schema, {3, 3}), .edge_ids = true, .disjoint = true};
  hetero_neighbor_sampler<device::cpu, local_id, last_edges_rule> asked_on_host(graph.view(), trees);
  asked_on_host.sample(host_seeds.lists, host_view<std::int64_t const>(queries), {}, expected);
  hetero_neighbor_sampler<Policy, local_id, last_edges_rule> asked(there.view(), trees, policy);
  asked.sample(seeds.lists, queries_there.view(), {}, out);
  CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu{}, expected));
}

TEST_CASE_TEMPLATE("batches are the same whether sizes of hops are read or bounded", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::academic_graph(301);
  auto const graph = list.graph();
  auto const there = copy<Policy>(graph.view(), policy);
  auto const host_seeds = hetero_seed_lists_of(device::cpu{}, list, 2);
  auto const seeds = hetero_seed_lists_of(policy, list, 2);
  auto const num_relations = static_cast<std::size_t>(list.schema.num_edge_types());
  auto const num_types = static_cast<std::size_t>(list.schema.num_node_types());
  std::vector<uniform_rule> const rules(num_relations);
  std::vector<detail::original_ids<Policy::space>> const no_ids(num_types);
  for (auto const expand : {frontier::fresh, frontier::all}) {
    for (bool const disjoint : {false, true}) {
      hetero_options options{.fanouts = same_fanouts(list.schema, {4, 3, 2}),
                             .expand = expand,
                             .edge_ids = disjoint,
                             .disjoint = disjoint};
      options.fanouts[1][0] = 0; // nothing of one type in a hop
      hetero_neighbor_sampler<device::cpu> on_host(graph.view(), options);
      hetero_subgraph<device::cpu> expected;
      on_host.sample(host_seeds.lists, {.seed = 3}, expected);
      auto const wanted = copy_subgraph(device::cpu{}, expected);
      for (std::int64_t const most_unread : {0, 3, 60, 500, 1 << 18}) { // all hops read, some, none
        CAPTURE(most_unread);
        detail::hetero_hop_worker<Policy, local_id, uniform_rule> worker(policy, most_unread);
        for (int batch = 0; batch < 2; ++batch) { // the second one with the memory of the first
          hetero_subgraph<Policy> out;
          worker.sample(there.view(), options, rules, no_ids, seeds.lists, {}, {.seed = 3}, out);
          CHECK(copy_subgraph(policy, out) == wanted);
        }
      }
    }
  }
}

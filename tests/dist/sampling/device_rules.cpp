// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/neighbor_sampler.hpp>

#include <glt/graph/edge_values.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/device_parts.hpp"
#include "support/naive_rules.hpp"
#include "support/pinned_policy.hpp"
#include "support/ranks.hpp"
#include "support/weighted.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

TEST_CASE_TEMPLATE("weighted sampling across parts on any policy equals serial sampling, bit for bit", Policy,
                   GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    using rule = glt::weighted_rule<Policy::space>;
    Policy const policy;
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    auto const by_id = glt_test::random_weights(list.num_edges(), 6);
    auto const whole = glt::make_edge_values(divided.whole.view(), by_id);
    glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
    auto const part = divided.part(comm.rank());
    auto const weights = glt::make_buffer<Policy>(glt::make_edge_values(part.graph.view(), by_id), policy);
    for (auto const& options : {glt::neighbor_options{.fanouts = {3, 2}, .edge_ids = true},
                                glt::neighbor_options{.fanouts = {4, -1}, .expand = glt::frontier::all},
                                glt::neighbor_options{.fanouts = {3, 2}, .replace = true, .edge_ids = true}}) {
      glt::neighbor_sampler<cpu, glt::local_id, glt::weighted_rule<glt::memory_space::host>> serial(
          divided.whole.view(), options, {whole.view()});
      glt::dist::neighbor_sampler sampler(comm, graph, options, rule{weights.view()}, policy);
      glt::sampled_subgraph<cpu> expected;
      glt::sampled_subgraph<Policy, glt::global_id> out;
      for (std::int64_t step = 0; step < 2; ++step) {
        glt::sample_key const key{.seed = 5, .step = step};
        auto const seeds = glt_test::seeds_of(comm.rank(), step, list.num_vertices);
        auto const there = glt::make_buffer<Policy>(divided.renumbered(seeds), policy);
        serial.sample(std::vector<glt::local_id>(seeds.begin(), seeds.end()), key, expected);
        sampler.sample(there.view(), key, out);
        CHECK(glt_test::plain_copy(policy, out, divided.names.original) == glt_test::plain(expected));
      }
    }
  });
}

TEST_CASE_TEMPLATE("temporal sampling across parts on any policy equals serial sampling, bit for bit", Policy,
                   GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    using rule = glt::temporal_rule<Policy::space>;
    Policy const policy;
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    std::vector<std::int64_t> times;
    for (std::int64_t e = 0; e < list.num_edges(); ++e) {
      times.push_back(e * 37 % 101);
    }
    auto part = divided.part(comm.rank());
    auto const sorted =
        glt::sort_rows_by_time(part.graph.view(), glt::make_edge_values(part.graph.view(), times).view());
    glt::dist::graph const graph(comm, glt::graph_part<Policy, glt::global_id>{
                                           part.book, part.part, glt::copy<Policy>(sorted.graph.view(), policy),
                                           glt::make_buffer<Policy>(part.original.view(), policy)});
    auto const edge_times = glt::make_buffer<Policy>(sorted.times, policy);
    glt::neighbor_options const options{.fanouts = {4, 3, 2}, .edge_ids = true, .disjoint = true};
    auto const strategy = glt::temporal_strategy::uniform;
    glt::dist::neighbor_sampler sampler(comm, graph, options, rule{edge_times.view(), strategy}, policy);
    glt::sampled_subgraph<Policy, glt::global_id> out;
    for (std::int64_t step = 0; step < 3; ++step) {
      glt::sample_key const key{.seed = 4, .step = step};
      auto const seeds = glt_test::seeds_of(comm.rank(), step, list.num_vertices);
      std::vector<std::int64_t> seed_times;
      for (std::size_t i = 0; i < seeds.size(); ++i) {
        seed_times.push_back(static_cast<std::int64_t>(i) * 23 % 140 + comm.rank() - 10);
      }
      auto const there = glt::make_buffer<Policy>(divided.renumbered(seeds), policy);
      auto const queries = glt::make_buffer<Policy>(seed_times, policy);
      sampler.sample(there.view(), queries.view(), key, out);
      CHECK(glt_test::plain_copy(policy, out, divided.names.original) ==
            glt_test::naive_temporal_sample(list, times, strategy, seeds, seed_times, options, key));
    }
  });
}

#if defined(GLT_TEST_THRUST) || defined(GLT_TEST_CUDA)
TEST_CASE("a graph in pinned memory is sampled into device memory") {
#if defined(GLT_TEST_CUDA)
  using policy_type = glt::device::cuda;
#else
  using policy_type = glt_test::emulated_cpp;
#endif
  on_ranks([](auto comm) {
    policy_type const policy;
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt_test::pinned_policy const pinned;
    glt::dist::graph const graph(
        comm, glt_test::device_part<glt_test::pinned_policy, glt::global_id>(divided, comm.rank(), pinned));
    glt::neighbor_options const options{.fanouts = {4, 3}, .edge_ids = true};
    glt::dist::neighbor_sampler sampler(comm, graph, options, policy);
    glt::sampled_subgraph<policy_type, glt::global_id> out;
    auto const seeds = glt_test::seeds_of(comm.rank(), 1, list.num_vertices);
    auto const there = glt::make_buffer<policy_type>(divided.renumbered(seeds), policy);
    sampler.sample(there.view(), {.seed = 3}, out);
    CHECK(glt_test::plain_copy(policy, out, divided.names.original) ==
          glt_test::naive_sample(list, seeds, options, {.seed = 3}));
  });
}
#endif

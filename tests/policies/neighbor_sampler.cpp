// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/allocations.hpp"
#include "support/graphs.hpp"
#include "support/policies.hpp"
#include "support/policy_subgraphs.hpp"

#include <glt/graph/csr.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using glt_test::copy_subgraph;

namespace {

// What stands for memory that GPUs read in place.
#if defined(GLT_TEST_CUDA)
using pinned_policy = device::zero_copy;
#elif defined(GLT_TEST_THRUST)
using pinned_policy = glt_test::emulated_zero_copy;
#else
using pinned_policy = device::cpu;
#endif

std::vector<local_id> seeds_of(std::int64_t num_vertices, std::int64_t step) {
  std::vector<local_id> seeds;
  for (auto v = step; v < num_vertices; v += 3) {
    seeds.push_back(static_cast<local_id>(v * 7 % num_vertices));
  }
  if (step == 1 && !seeds.empty()) {
    seeds.push_back(seeds.front()); // a seed twice
  }
  return seeds;
}

std::vector<neighbor_options> all_options() {
  std::vector<neighbor_options> options;
  for (auto const expand : {frontier::fresh, frontier::all}) {
    for (bool const disjoint : {false, true}) {
      options.push_back({.fanouts = {3, 2, 4}, .expand = expand, .edge_ids = true, .disjoint = disjoint});
      options.push_back({.fanouts = {3, 2}, .replace = true, .expand = expand, .disjoint = disjoint});
      options.push_back({.fanouts = {2, -1}, .expand = expand, .edge_ids = true, .disjoint = disjoint});
    }
    options.push_back({.fanouts = {-1, std::int64_t{1} << 60, 1}, .expand = expand});
  }
  options.push_back({.fanouts = {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}}); // more hops than there is room for at first
  return options;
}

std::string print(neighbor_options const& options) {
  std::string text = options.replace ? "replace" : "";
  text += options.expand == frontier::all ? " all" : "";
  text += options.disjoint ? " disjoint" : "";
  for (auto const fanout : options.fanouts) {
    text += ' ' + std::to_string(fanout);
  }
  return text;
}

} // namespace

TEST_CASE_TEMPLATE("samples are those of the CPU: every graph and option", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  sampled_subgraph<device::cpu> expected;
  sampled_subgraph<Policy> out; // reused: nothing of the last batch may shine through
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const host_graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
    auto const graph = copy(host_graph.view(), policy);
    for (auto const& options : all_options()) {
      CAPTURE(print(options));
      neighbor_sampler<device::cpu> serial(host_graph.view(), options);
      neighbor_sampler<Policy> sampler(graph.view(), options, policy);
      for (std::int64_t step = 0; step < 3; ++step) {
        sample_key const key{.seed = 9, .epoch = 2, .step = step};
        auto const seeds = seeds_of(list.num_vertices, step);
        serial.sample(seeds, key, expected);
        sampler.sample(make_buffer(seeds, policy).view(), key, out);
        CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu(), expected));
      }
    }
  }
}

TEST_CASE_TEMPLATE("64-bit ids, original ids, and a graph in pinned memory", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  pinned_policy const pinned;
  auto const list = glt_test::random_graph(257, 4099);
  auto const narrow = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  std::vector<global_id> sources(narrow.view().sources().begin(), narrow.view().sources().end());
  csr_view<memory_space::host, global_id> const host_graph(257, narrow.view().offsets(), sources,
                                                           narrow.view().edge_ids());
  std::vector<global_id> original;
  for (global_id v = 0; v < 257; ++v) {
    original.push_back((v * 31 % 257) << 33);
  }
  auto const graph = copy(host_graph, pinned);
  auto const originals = make_buffer(original, pinned);
  std::vector<global_id> const seeds{200, 3, 77, 3, 0, 256};
  auto const seeds_there = make_buffer(seeds, policy);
  for (bool const disjoint : {false, true}) {
    neighbor_options const options{.fanouts = {5, 4}, .edge_ids = true, .disjoint = disjoint};
    neighbor_sampler<device::cpu, global_id> serial(host_graph, options, {}, original);
    neighbor_sampler<Policy, global_id, uniform_rule, pinned_policy::space> sampler(graph.view(), options, policy,
                                                                                    originals.view());
    sampled_subgraph<device::cpu, global_id> expected;
    sampled_subgraph<Policy, global_id> out;
    serial.sample(seeds, {.seed = 4}, expected);
    sampler.sample(seeds_there.view(), {.seed = 4}, out);
    CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu(), expected));
  }
}

TEST_CASE_TEMPLATE("hops that may be large are those of the CPU", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::random_graph(5000, 40'000);
  auto const host_graph = make_csr<device::cpu>(list.view());
  auto const graph = copy(host_graph.view(), policy);
  neighbor_options const options{.fanouts = {10, 15, 1000, 2}, .expand = frontier::all};
  auto const seeds = seeds_of(5000, 1);
  neighbor_sampler<device::cpu> serial(host_graph.view(), options);
  neighbor_sampler<Policy> sampler(graph.view(), options, policy);
  sampled_subgraph<device::cpu> expected;
  sampled_subgraph<Policy> out;
  serial.sample(seeds, {.seed = 4}, expected);
  sampler.sample(make_buffer(seeds, policy).view(), {.seed = 4}, out);
  CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu(), expected));
}

TEST_CASE_TEMPLATE("batches in bulk are those of their steps", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  Policy const policy;
  auto const list = glt_test::random_graph(257, 4099);
  auto const host_graph = make_csr<device::cpu>(list.view());
  auto const graph = copy(host_graph.view(), policy);
  neighbor_sampler<device::cpu> serial(host_graph.view(), {.fanouts = {4, 3}});
  neighbor_sampler<Policy> sampler(graph.view(), {.fanouts = {4, 3}}, policy);
  std::vector<buffer<Policy, local_id>> seeds;
  std::vector<array_view<space, local_id const>> views;
  for (std::int64_t i = 0; i < 4; ++i) {
    seeds.push_back(make_buffer(seeds_of(i == 2 ? 0 : 257, i), policy));
    views.push_back(std::as_const(seeds.back()).view());
  }
  std::vector<sampled_subgraph<Policy>> out(views.size());
  sampler.sample_bulk(views, {.seed = 5, .step = 11}, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto const step = static_cast<std::int64_t>(i);
    sampled_subgraph<device::cpu> expected;
    serial.sample(seeds_of(i == 2 ? 0 : 257, step), {.seed = 5, .step = 11 + step}, expected);
    CHECK(copy_subgraph(policy, out[i]) == copy_subgraph(device::cpu(), expected));
  }
  auto const wrong = make_buffer(std::vector<local_id>{3, 300}, policy);
  views[1] = wrong.view();
  CHECK_THROWS_WITH_AS(sampler.sample_bulk(views, {}, out),
                       "seed 1 is 300, but vertices are in [0, 257); pass ids of this graph", precondition_error);
}

TEST_CASE_TEMPLATE("the first seed that is no vertex is named, and the next batch is right", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::random_graph(257, 4099);
  auto const host_graph = make_csr<device::cpu>(list.view());
  auto const graph = copy(host_graph.view(), policy);
  for (bool const disjoint : {false, true}) {
    neighbor_options const options{.fanouts = {4, -1}, .expand = frontier::all, .disjoint = disjoint};
    neighbor_sampler<device::cpu> serial(host_graph.view(), options);
    neighbor_sampler<Policy> sampler(graph.view(), options, policy);
    sampled_subgraph<Policy> out;
    auto const wrong = make_buffer(std::vector<local_id>{1, 5, 257, -1, 2'000'000'000}, policy);
    CHECK_THROWS_WITH_AS(sampler.sample(wrong.view(), {}, out),
                         "seed 2 is 257, but vertices are in [0, 257); pass ids of this graph", precondition_error);
    CHECK(out.nodes().empty());
    CHECK(out.num_hops() == 0);
    sampled_subgraph<device::cpu> expected;
    std::vector<local_id> const seeds{1, 5};
    serial.sample(seeds, {}, expected);
    sampler.sample(make_buffer(seeds, policy).view(), {}, out);
    CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu(), expected));
  }
}

TEST_CASE_TEMPLATE("a batch like the one before allocates nothing", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = copy(make_csr<device::cpu>(list.view(), {.edge_ids = true}).view(), policy);
  for (bool const disjoint : {false, true}) {
    neighbor_options const options{.fanouts = {4, -1}, .edge_ids = true, .disjoint = disjoint};
    neighbor_sampler<Policy> sampler(graph.view(), options, policy);
    sampled_subgraph<Policy> out;
    auto const seeds = make_buffer(seeds_of(257, 0), policy);
    sampler.sample(seeds.view(), {}, out);
    auto const* const nodes = out.nodes().data();
    auto const* const row = out.row().data();
    auto const before = glt_test::num_allocations();
    sampler.sample(seeds.view(), {}, out);
    CHECK(glt_test::num_allocations() == before);
    CHECK(out.nodes().data() == nodes);
    CHECK(out.row().data() == row);
  }
}

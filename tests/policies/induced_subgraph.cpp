// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/pinned_policy.hpp"
#include "support/policies.hpp"
#include "support/policy_subgraphs.hpp"

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/induced_subgraph.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using glt_test::copy_subgraph;

namespace {

std::vector<local_id> some_seeds(std::int64_t vertices, std::int64_t step) {
  std::vector<local_id> seeds;
  for (auto v = step; v < vertices; v += step + 2) {
    seeds.push_back(static_cast<local_id>(v * 7 % vertices));
  }
  if (seeds.size() > 2) {
    seeds.push_back(seeds[1]);
  }
  return seeds;
}

} // namespace

TEST_CASE_TEMPLATE("induced subgraphs are those of the host", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
    auto const there = copy<Policy>(graph.view(), policy);
    for (auto const& vertices :
         std::vector<induced_options>{{}, {.num_hops = 1}, {.num_hops = 3}, {.fanouts = {3, 2}}}) {
      for (bool const ids : {false, true}) {
        auto options = vertices;
        options.edge_ids = ids;
        induced_sampler<device::cpu> on_host(graph.view(), options);
        induced_sampler<Policy> sampler(there.view(), options, policy);
        sampled_subgraph<device::cpu> expected;
        sampled_subgraph<Policy> out; // reused: nothing of the last batch may shine through
        for (std::int64_t step = 0; step < 3; ++step) {
          auto const seeds = some_seeds(list.num_vertices, 17 * step);
          auto const seeds_there = make_buffer<Policy>(seeds, policy);
          sample_key const key{.seed = 5, .step = step};
          on_host.sample(host_view<local_id const>(seeds), key, expected);
          sampler.sample(seeds_there.view(), key, out);
          CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu{}, expected));
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("wide ids, and a graph in pinned memory", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::random_graph(257, 4099);
  std::vector<std::int64_t> const sources(list.sources.begin(), list.sources.end());
  std::vector<std::int64_t> const destinations(list.destinations.begin(), list.destinations.end());
  auto const graph = make_csr<device::cpu>(
      coo_view<memory_space::host, std::int64_t>(list.num_vertices, sources, destinations), {.edge_ids = true});
  glt_test::pinned_policy const pinned;
  auto const there = copy<glt_test::pinned_policy>(graph.view(), pinned);
  induced_options const options{.num_hops = 1, .edge_ids = true};
  induced_sampler<device::cpu, std::int64_t> on_host(graph.view(), options);
  induced_sampler<Policy, std::int64_t, uniform_rule, memory_space::pinned> sampler(there.view(), options, policy);
  sampled_subgraph<device::cpu, std::int64_t> expected;
  sampled_subgraph<Policy, std::int64_t> out;
  std::vector<std::int64_t> const seeds{5, 9, 5, 250};
  on_host.sample(host_view<std::int64_t const>(seeds), expected);
  auto const seeds_there = make_buffer<Policy>(seeds, policy);
  sampler.sample(seeds_there.view(), out);
  CHECK(copy_subgraph(policy, out) == copy_subgraph(device::cpu{}, expected));
}

TEST_CASE_TEMPLATE("a seed that is no vertex leaves the last subgraph as it was", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = make_csr<device::cpu>(list.view());
  auto const there = copy<Policy>(graph.view(), policy);
  induced_sampler<Policy> sampler(there.view(), {.num_hops = 1}, policy);
  sampled_subgraph<Policy> out;
  auto const good = make_buffer<Policy>(std::vector<local_id>{1, 2}, policy);
  auto const bad = make_buffer<Policy>(std::vector<local_id>{1, 101}, policy);
  sampler.sample(good.view(), out);
  auto const before = copy_subgraph(policy, out);
  CHECK(glt_test::names(glt_test::thrown<precondition_error>([&] { sampler.sample(bad.view(), out); }), "seed 1 is 101",
                        "[0, 101)"));
  CHECK(copy_subgraph(policy, out) == before);
}

TEST_CASE_TEMPLATE("whole rows are copied in their order", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const rows = glt_test::naive_rows(list);
    auto const there = copy<Policy>(make_csr<device::cpu>(list.view(), {.edge_ids = true}).view(), policy);
    for (bool const ids : {true, false}) {
      for (std::int64_t const step : {1, 3}) {
        std::vector<local_id> vertices;
        std::vector<edge_offset> offsets{0};
        std::vector<local_id> sources;
        std::vector<edge_id> edge_ids;
        for (auto v = list.num_vertices - step; v >= 0; v -= step) {
          vertices.push_back(static_cast<local_id>(v));
          for (auto const& [source, id] : rows[static_cast<std::size_t>(v)]) {
            sources.push_back(static_cast<local_id>(source));
            if (ids) {
              edge_ids.push_back(id);
            }
          }
          offsets.push_back(static_cast<edge_offset>(sources.size()));
        }
        auto const list_there = make_buffer<Policy>(vertices, policy);
        detail::hop_sample<Policy, local_id> out;
        detail::hop_request<Policy::space, local_id> const all{
            .rows = list_there.view(), .original = {}, .options = {.fanout = -1}, .key = random_key(0)};
        detail::hop_drawer<Policy>(policy).draw(there.view(), all, ids, out);
        CHECK(to_vector(policy, std::as_const(out.offsets).view()) == offsets);
        CHECK(to_vector(policy, std::as_const(out.sources).view()) == sources);
        CHECK(to_vector(policy, std::as_const(out.edge_ids).view()) == edge_ids);
      }
    }
  }
}

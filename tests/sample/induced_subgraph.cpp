// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/induced_subgraph.hpp>

#include <glt/graph/edge_values.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/naive_induced.hpp"
#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

using glt::device::cpu;
using glt_test::naive_induced;
using glt_test::plain;

namespace {

std::vector<std::int64_t> some_seeds(std::int64_t vertices, std::int64_t step) {
  std::vector<std::int64_t> seeds;
  for (auto v = step; v < vertices; v += step + 2) {
    seeds.push_back(v * 7 % vertices);
  }
  if (seeds.size() > 2) {
    seeds.push_back(seeds[1]);
  }
  return seeds;
}

std::vector<glt::local_id> local(std::vector<std::int64_t> const& seeds) {
  return {seeds.begin(), seeds.end()};
}

} // namespace

TEST_CASE("induced subgraphs equal the definition: every graph, hops or fanouts, and number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    for (auto const& vertices : std::vector<glt::induced_options>{
             {}, {.num_hops = 1}, {.num_hops = 2}, {.num_hops = 5}, {.fanouts = {3, 2}}, {.fanouts = {-1, 0, 1}}}) {
      for (bool const ids : {false, true}) {
        auto options = vertices;
        options.edge_ids = ids;
        glt::induced_sampler<cpu> alone(graph.view(), options);
        glt::induced_sampler<cpu> threads(graph.view(), options, cpu(3));
        glt::sampled_subgraph<cpu> out; // reused: nothing of the last batch may shine through
        for (std::int64_t step = 0; step < 3; ++step) {
          auto const seeds = some_seeds(list.num_vertices, 17 * step);
          glt::sample_key const key{.seed = 5, .step = step};
          auto const expected = naive_induced(list, seeds, options, key);
          alone.sample(local(seeds), key, out);
          CHECK(plain(out) == expected);
          threads.sample(local(seeds), key, out);
          CHECK(plain(out) == expected);
        }
      }
    }
  }
}

TEST_CASE("the whole subgraph is one block, and no seeds give an empty one") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::induced_sampler<cpu> sampler(graph.view(), {.num_hops = 1});
  glt::sampled_subgraph<cpu> out;
  sampler.sample(local({5, 9, 5}), out);
  CHECK(glt_test::to_vector(out.seed_index()) == std::vector<glt::local_id>{0, 1, 0});
  auto const block = out.block(0);
  CHECK(block.num_destinations == out.nodes().size());
  CHECK(block.num_sources == out.nodes().size());
  CHECK(block.num_edges() == out.row().size());
  CHECK(std::ranges::is_sorted(block.col));
  sampler.sample({}, out);
  CHECK(out.nodes().empty());
  CHECK(out.num_hops() == 2);
  CHECK(out.block(0).num_edges() == 0);
}

TEST_CASE("the nodes that another sampler reached induce a subgraph with at least its edges") {
  auto const list = glt_test::random_graph(3001, 20011);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  glt::neighbor_sampler<cpu> neighbors(graph.view(), {.fanouts = {5, 3}, .edge_ids = true});
  glt::induced_sampler<cpu> induced(graph.view(), {.edge_ids = true});
  glt::sampled_subgraph<cpu> reached;
  glt::sampled_subgraph<cpu> out;
  neighbors.sample(local({1, 20, 300, 1}), {.seed = 3}, reached);
  induced.sample(reached.nodes(), out);
  CHECK(glt_test::to_vector(out.nodes()) == glt_test::to_vector(reached.nodes()));
  auto all = glt_test::to_vector(out.edge_ids());
  auto some = glt_test::to_vector(reached.edge_ids());
  std::ranges::sort(all);
  std::ranges::sort(some);
  CHECK(std::ranges::includes(all, some));
  CHECK(all.size() > some.size());
  auto const nodes = reached.nodes();
  CHECK(plain(out) == naive_induced(list, {nodes.begin(), nodes.end()}, {.edge_ids = true}));
}

TEST_CASE("many seeds around a hub take memory for the result, not for pairs or degrees") {
  glt_test::edge_list star{"star", 20001, {}, {}};
  for (int v = 1; v <= 20000; ++v) {
    star.add(v, 0);
    star.add(v, 0);
    star.add(0, v);
  }
  using glt_test::minimal_policy;
  constexpr auto space = minimal_policy::space;
  auto const graph = glt::make_csr<minimal_policy>(
      glt::coo_view<space>(star.num_vertices, {star.sources.data(), std::ssize(star.sources)},
                           {star.destinations.data(), std::ssize(star.destinations)}));
  std::vector<glt::local_id> seeds;
  for (int v = 0; v < 500; ++v) {
    seeds.push_back(40 * v);
  }
  auto& counts = glt_test::counting_resource::counts();
  glt::induced_sampler<minimal_policy> sampler(graph.view());
  glt::sampled_subgraph<minimal_policy> out;
  auto const before = counts.live_bytes;
  counts.peak_bytes = before;
  auto const seeds_view = glt::array_view<space, glt::local_id const>(seeds.data(), std::ssize(seeds));
  sampler.sample(seeds_view, out);
  CHECK(out.row().size() == 3 * 499);
  constexpr auto block = glt::detail::induced_edges<minimal_policy, glt::local_id>::block_size;
  CHECK(counts.peak_bytes - before < 500 * 100 + 20 * block); // far below 500² or 40,000 edges a copy
  auto const edges = glt_test::to_vector(out.row());
  counts.allocations_left = 0;
  CHECK_NOTHROW(sampler.sample(seeds_view, out)); // a second time needs no memory
  counts.allocations_left = -1;
  CHECK(glt_test::to_vector(out.row()) == edges);
}

TEST_CASE("wide and narrow vertex numbers give the same subgraph") {
  auto const list = glt_test::random_graph(257, 4099);
  std::vector<std::int64_t> const sources(list.sources.begin(), list.sources.end());
  std::vector<std::int64_t> const destinations(list.destinations.begin(), list.destinations.end());
  auto const wide = glt::make_csr<cpu>(
      glt::coo_view<glt::memory_space::host, std::int64_t>(list.num_vertices, sources, destinations));
  glt::induced_sampler<cpu, std::int64_t> sampler(wide.view(), {.num_hops = 1});
  glt::sampled_subgraph<cpu, std::int64_t> out;
  sampler.sample(some_seeds(257, 40), out);
  CHECK(plain(out) == naive_induced(list, some_seeds(257, 40), {.num_hops = 1}));
}

TEST_CASE("fanouts by a rule with data reach the vertices that its sampler reaches") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const weights = glt::make_edge_values(graph.view(), glt_test::random_weights(list.num_edges(), 12));
  glt::weighted_rule<glt::memory_space::host> const rule{weights.view()};
  std::vector<glt::global_id> names;
  for (std::int64_t v = 0; v < 257; ++v) {
    names.push_back(1000 - v);
  }
  glt::host_view<glt::global_id const> const original(names);
  glt::neighbor_sampler<cpu, glt::local_id, glt::weighted_rule<glt::memory_space::host>> neighbors(
      graph.view(), {.fanouts = {4, 3}}, rule, cpu(), original);
  glt::induced_sampler<cpu, glt::local_id, glt::weighted_rule<glt::memory_space::host>> induced(
      graph.view(), {.fanouts = {4, 3}}, rule, cpu(), original);
  glt::sampled_subgraph<cpu> reached;
  glt::sampled_subgraph<cpu> out;
  for (std::int64_t step = 0; step < 3; ++step) {
    neighbors.sample(local({9, 20, 9}), {.seed = 3, .step = step}, reached);
    induced.sample(local({9, 20, 9}), {.seed = 3, .step = step}, out);
    CHECK(glt_test::to_vector(out.nodes()) == glt_test::to_vector(reached.nodes()));
    CHECK(glt_test::to_vector(out.seed_index()) == glt_test::to_vector(reached.seed_index()));
    CHECK(out.row().size() > reached.row().size());
  }
}

TEST_CASE("bad input is refused and leaves the last subgraph as it was") {
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const refusal = [](auto f) { return glt_test::thrown<glt::precondition_error>(f); };
  CHECK(glt_test::names(refusal([&] { glt::induced_sampler<cpu>(graph.view(), {.num_hops = -1}); }), "-1 hops", "0"));
  CHECK(glt_test::names(refusal([&] { glt::induced_sampler<cpu>(graph.view(), {.num_hops = 1, .fanouts = {2}}); }),
                        "1 hops", "1 fanouts", "one of them"));
  CHECK(glt_test::names(refusal([&] { glt::induced_sampler<cpu>(graph.view(), {.fanouts = {2, -3}}); }), "fanout -3"));
  glt::csr_view<glt::memory_space::host> const part(500, graph.view().offsets(), graph.view().sources());
  CHECK(glt_test::names(refusal([&] { glt::induced_sampler<cpu>{part}; }), "101 rows", "500 columns",
                        "dist::induced_sampler"));
  glt::induced_sampler<cpu> sampler(graph.view());
  glt::sampled_subgraph<cpu> out;
  sampler.sample(local({1, 2}), out);
  auto const before = plain(out);
  CHECK(glt_test::names(refusal([&] { sampler.sample(local({1, 101}), out); }), "seed 1 is 101", "[0, 101)"));
  CHECK(plain(out) == before);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/neighbor_sampler.hpp>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/naive_sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace {

using glt::device::cpu;

std::vector<std::int64_t> every_third(std::int64_t vertices, std::int64_t offset) {
  std::vector<std::int64_t> seeds;
  for (std::int64_t v = offset; v < vertices; v += 3) {
    seeds.push_back((v * 7) % vertices);
  }
  return seeds;
}

template <class Vertex>
std::vector<Vertex> as(std::vector<std::int64_t> const& seeds) {
  return {seeds.begin(), seeds.end()};
}

} // namespace

TEST_CASE("samples equal the naive sampler: every graph, option and number of threads") {
  std::vector<glt::neighbor_options> options;
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    for (bool const ids : {false, true}) {
      options.push_back({.fanouts = {4}, .expand = expand, .edge_ids = ids});
      options.push_back({.fanouts = {3, 0, 4}, .expand = expand, .edge_ids = ids});
      options.push_back({.fanouts = {0, 2}, .replace = true, .expand = expand, .edge_ids = ids});
      options.push_back({.fanouts = {3, 2, 5}, .expand = expand, .edge_ids = ids});
      options.push_back({.fanouts = {3, 2}, .replace = true, .expand = expand, .edge_ids = ids});
      options.push_back({.fanouts = {-1, 2}, .expand = expand, .edge_ids = ids});
      options.push_back({.fanouts = {2, -1}, .expand = expand, .edge_ids = ids});
      options.push_back({.fanouts = {3, 2}, .expand = expand, .edge_ids = ids, .disjoint = true});
    }
  }
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    for (auto const& option : options) {
      glt::neighbor_sampler<cpu> alone(graph.view(), option);
      glt::neighbor_sampler<cpu> threads(graph.view(), option, cpu(3));
      glt::sampled_subgraph<cpu> out; // reused: nothing of the last batch may shine through
      for (std::int64_t step = 0; step < 3; ++step) {
        glt::sample_key const key{.seed = 9, .epoch = 2, .step = step};
        auto const seeds = every_third(list.num_vertices, step);
        auto const expected = glt_test::naive_sample(list, seeds, option, key);
        alone.sample(as<glt::local_id>(seeds), key, out);
        CHECK(glt_test::plain(out) == expected);
        threads.sample(as<glt::local_id>(seeds), key, out);
        CHECK(glt_test::plain(out) == expected);
      }
    }
  }
}

TEST_CASE("a seed given twice is one vertex, and no seeds give an empty subgraph with every hop") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::neighbor_sampler<cpu> sampler(graph.view(), {.fanouts = {3, 2}});
  glt::sampled_subgraph<cpu> out;
  std::vector<glt::local_id> const twice{5, 9, 5};
  sampler.sample(twice, {}, out);
  CHECK(glt_test::to_vector(out.seed_index()) == std::vector<glt::local_id>{0, 1, 0});
  CHECK(out.num_sampled_nodes()[0] == 2);
  sampler.sample({}, {}, out);
  CHECK(out.nodes().empty());
  CHECK(out.num_hops() == 2);
  CHECK(out.block(0).num_destinations == 0);
  CHECK(out.block(1).num_edges() == 0);
}

TEST_CASE("a disjoint batch is, tree by tree, what its seeds alone give") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    glt::neighbor_sampler<cpu> alone(graph.view(), {.fanouts = {4, 3}, .expand = expand, .edge_ids = true});
    glt::neighbor_sampler<cpu> trees(graph.view(),
                                     {.fanouts = {4, 3}, .expand = expand, .edge_ids = true, .disjoint = true});
    std::vector<glt::local_id> const seeds{5, 9, 5, 200};
    glt::sampled_subgraph<cpu> out;
    trees.sample(seeds, {.seed = 3}, out);
    CHECK(glt_test::to_vector(out.seed_index()) == std::vector<glt::local_id>{0, 1, 2, 3});
    for (std::size_t tree = 0; tree < seeds.size(); ++tree) {
      glt::sampled_subgraph<cpu> expected;
      alone.sample(std::vector{seeds[tree]}, {.seed = 3}, expected);
      std::vector<glt::local_id> nodes;
      std::vector<glt::edge_id> edges;
      for (std::int64_t i = 0; i < out.nodes().size(); ++i) {
        if (out.batch()[i] == static_cast<glt::local_id>(tree)) {
          nodes.push_back(out.nodes()[i]);
        }
      }
      for (std::int64_t e = 0; e < out.row().size(); ++e) {
        CHECK(out.batch()[out.row()[e]] == out.batch()[out.col()[e]]);
        if (out.batch()[out.col()[e]] == static_cast<glt::local_id>(tree)) {
          edges.push_back(out.edge_ids()[e]);
        }
      }
      CHECK(nodes == glt_test::to_vector(expected.nodes()));
      CHECK(edges == glt_test::to_vector(expected.edge_ids()));
    }
  }
}

TEST_CASE("batches in bulk are those of their steps, for any number of threads") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  glt::neighbor_options const options{.fanouts = {4, 3}, .edge_ids = true};
  for (int const threads : {1, 2, 3}) {
    glt::neighbor_sampler<cpu> sampler(graph.view(), options, cpu(threads));
    for (std::int64_t const num_batches : {0, 1, 7}) {
      std::vector<std::vector<glt::local_id>> seeds;
      for (std::int64_t i = 0; i < num_batches; ++i) {
        seeds.push_back(as<glt::local_id>(every_third(i == 3 ? 0 : 257, i)));
      }
      std::vector<glt::host_view<glt::local_id const>> const views(seeds.begin(), seeds.end());
      std::vector<glt::sampled_subgraph<cpu>> out(views.size());
      sampler.sample_bulk(views, {.seed = 5, .step = 11}, out);
      for (std::size_t i = 0; i < out.size(); ++i) {
        auto const step = static_cast<std::int64_t>(i);
        std::vector<std::int64_t> const wide(seeds[i].begin(), seeds[i].end());
        CHECK(glt_test::plain(out[i]) == glt_test::naive_sample(list, wide, options, {.seed = 5, .step = 11 + step}));
      }
    }
  }
  glt::neighbor_sampler<cpu> sampler(graph.view(), options);
  std::vector<glt::sampled_subgraph<cpu>> none;
  std::vector<glt::local_id> const bad{300};
  std::vector<glt::host_view<glt::local_id const>> const views{bad};
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { sampler.sample_bulk(views, {}, none); }),
                        "1 batches", "0 subgraphs"));
  none.resize(1);
  CHECK(
      glt_test::names(glt_test::thrown<glt::precondition_error>([&] { sampler.sample_bulk(views, {}, none); }), "300"));
}

TEST_CASE("the steady state allocates nothing") {
  auto const list = glt_test::random_graph(3001, 20011);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  for (bool const disjoint : {false, true}) {
    glt::neighbor_sampler<cpu> sampler(graph.view(), {.fanouts = {4, 3, -1}, .edge_ids = true, .disjoint = disjoint});
    glt::sampled_subgraph<cpu> out;
    auto const seeds = as<glt::local_id>(every_third(300, 1));
    for (int warm_up = 0; warm_up < 2; ++warm_up) {
      sampler.sample(seeds, {.seed = 1}, out);
    }
    auto const before = glt_test::num_allocations();
    for (int i = 0; i < 5; ++i) {
      sampler.sample(seeds, {.seed = 1}, out);
    }
    CHECK(glt_test::num_allocations() == before);
  }
}

TEST_CASE("the joined batch samples, hop by hop, the union of its pieces when every hop expands all vertices") {
  auto const list = glt_test::random_graph(3001, 20011);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  glt::neighbor_options const options{.fanouts = {4, 3, 2}, .expand = glt::frontier::all, .edge_ids = true};
  glt::neighbor_sampler<cpu> sampler(graph.view(), options);
  auto const edges_of_hops = [&](std::vector<glt::local_id> const& seeds, std::vector<std::set<std::int64_t>>& hops) {
    glt::sampled_subgraph<cpu> out;
    sampler.sample(seeds, {.seed = 4, .step = 17}, out);
    for (int hop = 0; hop < 3; ++hop) {
      auto const ids = out.block(2 - hop).edge_ids;
      hops[static_cast<std::size_t>(hop)].insert(ids.begin(), ids.end());
    }
  };
  std::vector<std::set<std::int64_t>> joined(3);
  std::vector<std::set<std::int64_t>> pieces(3);
  edges_of_hops({1, 2, 3, 500, 501, 777, 2000}, joined);
  edges_of_hops({1, 2, 3}, pieces);
  edges_of_hops({500, 501, 777}, pieces);
  edges_of_hops({2000}, pieces);
  CHECK(joined == pieces);
}

TEST_CASE("wide and narrow vertex numbers give the same sample") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const narrow = glt::make_csr<cpu>(list.view());
  std::vector<std::int64_t> const sources(list.sources.begin(), list.sources.end());
  std::vector<std::int64_t> const destinations(list.destinations.begin(), list.destinations.end());
  auto const wide = glt::make_csr<cpu>(
      glt::coo_view<glt::memory_space::host, std::int64_t>(list.num_vertices, sources, destinations));
  glt::neighbor_options const options{.fanouts = {5, 5}};
  glt::sampled_subgraph<cpu> narrow_out;
  glt::sampled_subgraph<cpu, std::int64_t> wide_out;
  glt::neighbor_sampler<cpu>(narrow.view(), options).sample(as<glt::local_id>(every_third(257, 0)), {}, narrow_out);
  glt::neighbor_sampler<cpu, std::int64_t>(wide.view(), options).sample(every_third(257, 0), {}, wide_out);
  CHECK(glt_test::plain(narrow_out) == glt_test::plain(wide_out));
}

TEST_CASE("bad input is refused and leaves the last subgraph as it was") {
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = glt::make_csr<cpu>(list.view());
  CHECK_THROWS_AS(glt::neighbor_sampler<cpu>(graph.view(), {}), glt::precondition_error);
  std::vector<glt::global_id> const original(5);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { glt::neighbor_sampler<cpu>(graph.view(), {.fanouts = {2}}, {}, original); }),
                        "5 original ids", "101"));
  glt::csr_view<glt::memory_space::host> const part(500, graph.view().offsets(), graph.view().sources());
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { glt::neighbor_sampler<cpu>(part, {.fanouts = {2}}); }),
      "101 rows", "500 columns", "dist::neighbor_sampler"));
  glt::neighbor_sampler<cpu> sampler(graph.view(), {.fanouts = {2}});
  glt::sampled_subgraph<cpu> out;
  sampler.sample(as<glt::local_id>({1, 2}), {}, out);
  auto const before = glt_test::plain(out);
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { sampler.sample(as<glt::local_id>({1, 101}), {}, out); }),
      "seed 1 is 101", "[0, 101)"));
  CHECK(glt_test::plain(out) == before);
}

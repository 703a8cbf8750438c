// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/hetero_sampler.hpp>

#include <glt/sample/neighbor_sampler.hpp>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/naive_hetero_sampler.hpp"
#include "support/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using glt::device::cpu;
using glt_test::hetero_list;
using ids = std::vector<glt::local_id>;

// Fanouts that differ between edge types, with zeros, for any number of edge types.
std::vector<glt::hetero_options> options_to_try(glt::hetero_schema const& schema) {
  std::vector<glt::hetero_options> options;
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    for (bool const with_ids : {false, true}) {
      options.push_back({.fanouts = glt::same_fanouts(schema, {3, 2, 4}), .expand = expand, .edge_ids = with_ids});
      options.push_back(
          {.fanouts = glt::same_fanouts(schema, {2, 3}), .replace = true, .expand = expand, .edge_ids = with_ids});
      glt::hetero_options mixed{
          .fanouts = glt::same_fanouts(schema, {-1, 2, 1}), .expand = expand, .edge_ids = with_ids};
      for (std::size_t e = 0; e < mixed.fanouts.size(); ++e) {
        if (e % 3 == 1) {
          mixed.fanouts[e] = {0, 5, -1};
        } else if (e % 3 == 2) {
          mixed.fanouts[e] = {2, 0, 0};
        }
      }
      options.push_back(mixed);
      mixed.disjoint = true;
      options.push_back(std::move(mixed));
    }
  }
  return options;
}

template <class Vertex>
struct seed_lists {
  std::vector<std::vector<Vertex>> ids;
  std::vector<glt::host_view<Vertex const>> views;

  explicit seed_lists(std::vector<std::vector<std::int64_t>> const& seeds) {
    for (auto const& list : seeds) {
      ids.emplace_back(list.begin(), list.end());
    }
    views.assign(ids.begin(), ids.end());
  }
};

} // namespace

TEST_CASE("samples equal the naive sampler: every graph, option and number of threads") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const graph = list.graph();
    for (auto const& option : options_to_try(list.schema)) {
      glt::hetero_neighbor_sampler<cpu> alone(graph.view(), option);
      glt::hetero_neighbor_sampler<cpu> threads(graph.view(), option, cpu(3));
      glt::hetero_subgraph<cpu> out; // reused: nothing of the last batch may shine through
      for (std::int64_t step = 0; step < 4; ++step) {
        glt::sample_key const key{.seed = 9, .epoch = 2, .step = step};
        auto const seeds = glt_test::hetero_seeds_of(list, 1, step);
        auto const expected = glt_test::naive_hetero_sample(list, seeds, option, key);
        seed_lists<glt::local_id> const lists(seeds);
        alone.sample(lists.views, key, out);
        CHECK(glt_test::plain_hetero(out) == expected);
        threads.sample(lists.views, key, out);
        CHECK(glt_test::plain_hetero(out) == expected);
      }
    }
  }
}

TEST_CASE("a graph of one node type and one edge type is sampled as a homogeneous graph") {
  auto const list = glt_test::random_hetero_graph({{"a", 257}}, {{"a", "x", "a"}}, 4001);
  auto const graph = list.graph();
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    glt::hetero_neighbor_sampler<cpu> hetero(graph.view(), {.fanouts = {{4, 3}}, .expand = expand, .edge_ids = true});
    glt::neighbor_sampler<cpu> plain(graph.view().relation(0), {.fanouts = {4, 3}, .expand = expand, .edge_ids = true});
    glt::hetero_subgraph<cpu> out;
    glt::sampled_subgraph<cpu> expected;
    ids const seeds{4, 0, 256, 4, 99};
    hetero.sample(0, seeds, {.seed = 3}, out);
    plain.sample(seeds, {.seed = 3}, expected);
    CHECK(glt_test::to_vector(out.nodes(0)) == glt_test::to_vector(expected.nodes()));
    CHECK(glt_test::to_vector(out.seed_index(0)) == glt_test::to_vector(expected.seed_index()));
    CHECK(glt_test::to_vector(out.row(0)) == glt_test::to_vector(expected.row()));
    CHECK(glt_test::to_vector(out.edge_ids(0)) == glt_test::to_vector(expected.edge_ids()));
    for (int layer = 0; layer < 2; ++layer) {
      auto const block = out.block(0, layer);
      auto const same = expected.block(layer);
      CHECK(block.num_sources == same.num_sources);
      CHECK(block.num_destinations == same.num_destinations);
      CHECK(glt_test::to_vector(block.offsets) == glt_test::to_vector(same.offsets));
      CHECK(glt_test::to_vector(block.col) == glt_test::to_vector(same.col));
    }
  }
}

TEST_CASE("a disjoint batch has, for every seed, what that seed alone gives") {
  auto const list = glt_test::academic_graph(101);
  auto const graph = list.graph();
  glt::hetero_options options{.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true, .disjoint = true};
  glt::hetero_neighbor_sampler<cpu> together(graph.view(), options);
  options.disjoint = false;
  glt::hetero_neighbor_sampler<cpu> alone(graph.view(), options);
  glt::hetero_subgraph<cpu> trees;
  glt::hetero_subgraph<cpu> tree;
  std::vector<ids> const seeds{{4, 9, 4}, {}, {2}, {1, 1}};
  std::vector<glt::host_view<glt::local_id const>> const views(seeds.begin(), seeds.end());
  glt::sample_key const key{.seed = 12};
  together.sample(views, key, trees);
  int number = 0;
  for (int t = 0; t < 4; ++t) {
    for (auto const seed : seeds[static_cast<std::size_t>(t)]) {
      alone.sample(t, ids{seed}, key, tree);
      for (int type = 0; type < 4; ++type) {
        ids nodes;
        for (std::int64_t i = 0; i < trees.nodes(type).size(); ++i) {
          if (trees.batch(type)[i] == number) {
            nodes.push_back(trees.nodes(type)[i]);
          }
        }
        CHECK(nodes == glt_test::to_vector(tree.nodes(type)));
      }
      for (int e = 0; e < list.schema.num_edge_types(); ++e) {
        std::vector<glt::edge_id> edges;
        auto const ends = trees.batch(list.schema.destination_type(e));
        auto const starts = trees.batch(list.schema.source_type(e));
        for (std::int64_t i = 0; i < trees.row(e).size(); ++i) {
          CHECK(starts[trees.row(e)[i]] == ends[trees.col(e)[i]]);
          if (ends[trees.col(e)[i]] == number) {
            edges.push_back(trees.edge_ids(e)[i]);
          }
        }
        CHECK(edges == glt_test::to_vector(tree.edge_ids(e)));
      }
      ++number;
    }
  }
  CHECK(number == 6);
}

TEST_CASE("every edge type draws by its own rule") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const graph = list.graph();
    std::vector<glt_test::turning_rule> rules;
    for (int e = 0; e < list.schema.num_edge_types(); ++e) {
      rules.push_back({.begin = e});
    }
    glt::hetero_options const options{.fanouts = glt::same_fanouts(list.schema, {3, -1}), .edge_ids = true};
    glt::hetero_neighbor_sampler<cpu, glt::local_id, glt_test::turning_rule> sampler(graph.view(), options, rules);
    glt::hetero_subgraph<cpu> out;
    auto const seeds = glt_test::hetero_seeds_of(list, 1, 2);
    sampler.sample(seed_lists<glt::local_id>(seeds).views, {}, out);
    CHECK(glt_test::plain_hetero(out) ==
          glt_test::naive_hetero_sample(list, seeds, options, {}, glt_test::naive_turns{}));
  }
}

TEST_CASE("what is sampled for a seed inherits its query, across types") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    CAPTURE(list.name);
    auto const graph = list.graph();
    glt::hetero_options const options{
        .fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true, .disjoint = true};
    glt::hetero_neighbor_sampler<cpu, glt::local_id, glt_test::limit_rule> sampler(graph.view(), options);
    glt::hetero_subgraph<cpu> out;
    auto const seeds = glt_test::hetero_seeds_of(list, 1, 2);
    auto const limits = glt_test::limits_for(seeds, 900);
    sampler.sample(seed_lists<glt::local_id>(seeds).views, limits, {}, out);
    CHECK(glt_test::plain_hetero(out) ==
          glt_test::naive_hetero_sample(list, seeds, options, {}, glt_test::naive_limits{limits}));
  }
}

TEST_CASE("wide and narrow vertex numbers give the same sample") {
  auto const list = glt_test::academic_graph(301);
  auto const narrow = list.graph();
  auto const wide = list.graph<std::int64_t>();
  glt::hetero_options const options{.fanouts = glt::same_fanouts(list.schema, {3, 2})};
  glt::hetero_subgraph<cpu> narrow_out;
  glt::hetero_subgraph<cpu, std::int64_t> wide_out;
  auto const seeds = glt_test::hetero_seeds_of(list, 1, 1);
  glt::hetero_neighbor_sampler<cpu>(narrow.view(), options)
      .sample(seed_lists<glt::local_id>(seeds).views, {}, narrow_out);
  glt::hetero_neighbor_sampler<cpu, std::int64_t>(wide.view(), options)
      .sample(seed_lists<std::int64_t>(seeds).views, {}, wide_out);
  CHECK(glt_test::plain_hetero(narrow_out) == glt_test::plain_hetero(wide_out));
}

TEST_CASE("original ids of every type name the random numbers") {
  // The vertices of each type are turned around: with their original ids, the same sample.
  auto const list = glt_test::academic_graph(101);
  auto turned = list;
  auto const last = [&](int type) { return list.schema.num_vertices(type) - 1; };
  for (int e = 0; e < list.schema.num_edge_types(); ++e) {
    for (auto& source : turned.relations[static_cast<std::size_t>(e)].sources) {
      source = last(list.schema.source_type(e)) - source;
    }
    for (auto& destination : turned.relations[static_cast<std::size_t>(e)].destinations) {
      destination = last(list.schema.destination_type(e)) - destination;
    }
  }
  std::vector<std::vector<glt::global_id>> original;
  auto seeds = glt_test::hetero_seeds_of(list, 2, 2);
  auto const expected_seeds = seeds;
  for (int t = 0; t < list.schema.num_node_types(); ++t) {
    auto& names = original.emplace_back();
    for (auto v = last(t); v >= 0; --v) {
      names.push_back(v);
    }
    for (auto& seed : seeds[static_cast<std::size_t>(t)]) {
      seed = last(t) - seed;
    }
  }
  glt::hetero_options const options{.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true};
  auto const graph = turned.graph();
  glt::hetero_neighbor_sampler<cpu> sampler(graph.view(), options, cpu(), {original.begin(), original.end()});
  glt::hetero_subgraph<cpu> out;
  sampler.sample(seed_lists<glt::local_id>(seeds).views, {.seed = 6}, out);
  CHECK(glt_test::plain_hetero(out, original) ==
        glt_test::naive_hetero_sample(list, expected_seeds, options, {.seed = 6}));
}

TEST_CASE("every neighbour of every edge type is drawn equally often") {
  glt_test::hetero_list list{
      "stars", {{{"hub", 1}, {"x", 20}, {"y", 30}}, {{"x", "to", "hub"}, {"y", "to", "hub"}}}, {{}, {}}};
  for (int v = 0; v < 20; ++v) {
    list.relations[0].add(v, 0);
  }
  for (int v = 0; v < 30; ++v) {
    list.relations[1].add(v, 0);
  }
  auto const graph = list.graph();
  for (bool const replace : {false, true}) {
    glt::hetero_neighbor_sampler<cpu> sampler(graph.view(),
                                              {.fanouts = {{3}, {7}}, .replace = replace, .edge_ids = true});
    glt::hetero_subgraph<cpu> out;
    std::vector<std::vector<std::int64_t>> drawn{std::vector<std::int64_t>(20), std::vector<std::int64_t>(30)};
    std::vector<std::int64_t> together(600); // the first draws of both types are independent
    ids const hub{0};
    for (std::int64_t step = 0; step < 20'000; ++step) {
      sampler.sample(0, hub, {.seed = 5, .step = step}, out);
      for (int e = 0; e < 2; ++e) {
        for (auto const id : out.edge_ids(e)) {
          ++drawn[static_cast<std::size_t>(e)][static_cast<std::size_t>(id)];
        }
      }
      if (replace) {
        ++together[static_cast<std::size_t>(out.edge_ids(0)[0] * 30 + out.edge_ids(1)[0])];
      }
    }
    CHECK(glt_test::chi_square_deviation(drawn[0]) < 4);
    CHECK(glt_test::chi_square_deviation(drawn[1]) < 4);
    CHECK((!replace || glt_test::chi_square_deviation(together) < 4));
  }
}

TEST_CASE("a batch that is no larger than one before takes no memory") {
  auto const list = glt_test::academic_graph(301);
  auto const graph = list.graph();
  for (bool const disjoint : {false, true}) {
    glt::hetero_neighbor_sampler<cpu> sampler(
        graph.view(), {.fanouts = glt::same_fanouts(list.schema, {4, 3}), .edge_ids = true, .disjoint = disjoint});
    glt::hetero_subgraph<cpu> out;
    seed_lists<glt::local_id> const seeds(glt_test::hetero_seeds_of(list, 2, 2));
    ids const papers{1, 5, 9};
    sampler.sample(seeds.views, {}, out);
    auto const before = glt_test::num_allocations();
    sampler.sample(seeds.views, {}, out);
    sampler.sample(0, papers, {}, out);
    auto const after = glt_test::num_allocations();
    CHECK(before == after);
    CHECK(out.num_sampled_edges(0)[0] == 12);
  }
}

TEST_CASE("bad input is refused and leaves the last subgraph as it was") {
  auto const list = glt_test::academic_graph(101);
  auto const graph = list.graph();
  glt::hetero_options const options{.fanouts = glt::same_fanouts(list.schema, {2})};
  auto const refused = [&](auto&& make) { return glt_test::thrown<glt::precondition_error>(make); };
  CHECK(glt_test::names(refused([&] { glt::hetero_neighbor_sampler<cpu>(graph.view(), {}); }), "0 lists of fanouts",
                        "7"));
  std::vector<glt::global_id> const short_list(5);
  CHECK(glt_test::names(refused([&] { glt::hetero_neighbor_sampler<cpu>(graph.view(), options, cpu(), {short_list}); }),
                        "original ids of 1 node types", "4"));
  CHECK(glt_test::names(
      refused([&] { glt::hetero_neighbor_sampler<cpu>(graph.view(), options, cpu(), {{}, short_list, {}, {}}); }),
      "5 original ids", "51 vertices", "'author'"));

  glt::hetero_neighbor_sampler<cpu> sampler(graph.view(), options);
  glt::hetero_subgraph<cpu> out;
  ids const authors{1, 50};
  sampler.sample(list.schema.find_node_type("author"), authors, {}, out);
  auto const before = glt_test::plain_hetero(out);
  ids const too_far{1, 51};
  CHECK(glt_test::names(refused([&] { sampler.sample(1, too_far, {}, out); }), "author seed 1 is 51", "[0, 51)"));
  CHECK(glt_test::names(refused([&] { sampler.sample(4, authors, {}, out); }), "node type 4 of 4"));
  CHECK(glt_test::names(refused([&] { sampler.sample(-1, authors, {}, out); }), "node type -1"));
  std::vector<glt::host_view<glt::local_id const>> const three(3);
  CHECK(glt_test::names(refused([&] { sampler.sample(three, {}, out); }), "seeds of 3 node types", "4"));

  using turning_sampler = glt::hetero_neighbor_sampler<cpu, glt::local_id, glt_test::turning_rule>;
  std::vector<glt_test::turning_rule> const three_rules(3);
  CHECK(glt_test::names(refused([&] { turning_sampler(graph.view(), options, three_rules); }), "3 draw rules",
                        "7 edge types"));
  using limit_sampler = glt::hetero_neighbor_sampler<cpu, glt::local_id, glt_test::limit_rule>;
  limit_sampler limited(graph.view(), {.fanouts = options.fanouts, .disjoint = true});
  std::vector<glt::host_view<glt::local_id const>> lists(4);
  lists[1] = authors;
  CHECK(glt_test::names(refused([&] { limited.sample(lists, std::vector<std::int64_t>(3), {}, out); }), "3 queries",
                        "2 seeds"));
  CHECK(glt_test::plain_hetero(out) == before);
}

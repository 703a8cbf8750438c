// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/link_batches.hpp>

#include <glt/dist/loader.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/loader_kinds.hpp"
#include "support/naive_links.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

using glt::negative_mode;
using glt::seed_exclusion;
using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

using edge_seeds = glt::dist::edge_seeds<>;

// Seed edges of a rank: rank 0 has none, the others more and more.
edge_seeds seeds_of_rank(glt_test::edge_list const& list, divided_graph const& divided, int rank, bool labels,
                         bool ragged = false) {
  auto const pairs = glt_test::some_positives(list, 9 * rank, static_cast<std::uint64_t>(rank));
  auto const positives = ragged ? glt_test::ragged(pairs) : glt_test::naive_positives(pairs);
  edge_seeds seeds{.sources = divided.renumbered(positives.sources),
                   .destinations = divided.renumbered(positives.destinations),
                   .offsets = positives.offsets};
  for (std::int64_t i = 1; i <= std::ssize(seeds.destinations) && labels; ++i) {
    seeds.labels.push_back(i % 4);
  }
  return seeds;
}

glt_test::naive_positives positives_of(edge_seeds const& seeds, auto const& original) {
  glt_test::naive_positives made;
  for (auto const source : seeds.sources) {
    made.sources.push_back(original[source]);
  }
  for (auto const destination : seeds.destinations) {
    made.destinations.push_back(original[destination]);
  }
  made.offsets = seeds.offsets;
  return made;
}

std::vector<double> weights_of(glt::host_view<glt::global_id const> originals) {
  std::vector<double> weights;
  for (auto const original : originals) {
    weights.push_back(static_cast<double>(original % 3 + 1));
  }
  return weights;
}

std::vector<std::int64_t> shares_of(std::int64_t num_vertices) {
  std::vector<std::int64_t> shares;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    shares.push_back(glt::detail::weight_scale(3, num_vertices)(static_cast<double>(v % 3 + 1)));
  }
  return shares;
}

void check_options(auto& comm, glt::link_options const& options, bool labels, bool weighted, bool ragged) {
  auto const list = glt_test::random_graph(257, 999);
  divided_graph const divided(list, glt_test::all_partitioners()[2], comm.size());
  auto const& original = divided.names.original;
  glt::dist::graph const graph(comm, divided.part(comm.rank()));
  glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
  auto const weights = weights_of(graph.original());
  glt::dist::link_batches recipe(graph, features, options);
  if (weighted) {
    recipe.with_weights(weights);
  }
  auto const seeds = seeds_of_rank(list, divided, comm.rank(), labels, ragged);
  glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
  glt_test::for_each_batch(loader, seeds, [&](auto const& batch, edge_seeds const& of_batch, auto key) {
    auto const positives = positives_of(of_batch, original);
    auto const& subgraph = batch.sample.subgraph();
    CHECK(glt_test::plain_links(batch.sample, original) ==
          glt_test::sample_links_naively(list, positives, of_batch.labels, options, key,
                                         weighted ? shares_of(257) : std::vector<std::int64_t>()));
    CHECK(glt_test::wrong_rows(divided, batch, subgraph.nodes(), subgraph.num_sampled_nodes()[0]) == 0);
  });
  glt_test::check_deployments(comm, recipe, seeds);
  // Batches that are made together take as many rounds as the one that takes the most.
  auto const one_by_one = glt_test::sweeps_of_epoch(comm, recipe, seeds, 1);
  CHECK(2 * glt_test::sweeps_of_epoch(comm, recipe, seeds, loader.num_steps() + 1) <= one_by_one);
}

} // namespace

TEST_CASE("batches of links with binary negatives and labels, also by weights, are those of the definition") {
  on_ranks([](auto comm) {
    for (bool const ragged : {false, true}) {
      check_options(comm,
                    {.neighbors = {.fanouts = {3, 2}, .edge_ids = true},
                     .negatives = {.amount = 1.5, .attempts = 3},
                     .exclude = seed_exclusion::edges_and_reverses},
                    true, true, ragged);
    }
  });
}

TEST_CASE("batches of links with triplets, or without negatives") {
  on_ranks([](auto comm) {
    for (bool const ragged : {false, true}) {
      check_options(comm,
                    {.neighbors = {.fanouts = {3}},
                     .negatives = {.mode = negative_mode::triplet, .amount = 2, .attempts = 2},
                     .exclude = seed_exclusion::edges},
                    false, false, ragged);
    }
    check_options(comm, {.neighbors = {.fanouts = {3}}, .negatives = {.amount = 0}}, true, false, false);
  });
}

TEST_CASE("seeds of several destinations are gathered with their labels and times, in any order") {
  edge_seeds const seeds{.sources = {1, 2, 3, 4},
                         .destinations = {10, 11, 20, 30, 31, 32},
                         .labels = {0, 1, 2, 3, 4, 5},
                         .times = {7, 8, 9, 6},
                         .offsets = {0, 2, 3, 3, 6}};
  seeds.check();
  edge_seeds some{.sources = {5}, .destinations = {5}, .labels = {5}, .times = {5}, .offsets = {5}};
  auto const gathered = [&](std::vector<std::int64_t> const& places) -> auto& {
    seeds.gather(places, some);
    some.check();
    return some;
  };
  CHECK(gathered({3, 2, 0}).sources == std::vector<glt::global_id>{4, 3, 1});
  CHECK(some.destinations == std::vector<glt::global_id>{30, 31, 32, 10, 11});
  CHECK(some.labels == std::vector<std::int64_t>{3, 4, 5, 0, 1});
  CHECK(some.times == std::vector<std::int64_t>{6, 9, 7});
  CHECK(some.offsets == std::vector<std::int64_t>{0, 3, 3, 5});
  CHECK(gathered({2}).destinations.empty());
  CHECK(some.offsets == std::vector<std::int64_t>{0, 0});
  CHECK(gathered({}).offsets == std::vector<std::int64_t>{0});
  auto wrong = seeds;
  wrong.labels.pop_back();
  CHECK(
      glt_test::names(glt_test::thrown<glt::precondition_error>([&] { wrong.check(); }), "5 labels", "6 destinations"));
  wrong = seeds;
  wrong.times.push_back(1);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { wrong.check(); }), "5 times", "4 sources"));
}

TEST_CASE("the guide finds the positives and negatives of every source of a batch") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::link_batches const recipe(
        graph, {.neighbors = {.fanouts = {2}}, .negatives = {.mode = negative_mode::triplet, .amount = 3}});
    std::vector<std::vector<std::int64_t>> found;
    auto const add_loss = [&](auto const& sample, auto source, auto positives, auto negatives) {
      auto const nodes = sample.subgraph().nodes();
      auto& ids = found.emplace_back(std::vector<std::int64_t>{nodes[source]});
      for (auto const at : positives) {
        ids.push_back(nodes[at]);
      }
      CHECK(negatives.size() == 3);
    };
    glt::dist::edge_seeds<> const seeds{.sources = {4, 9, 2}, .destinations = {7, 1, 3}, .offsets = {0, 2, 2, 3}};
    glt::dist::loader loader(comm, recipe, seeds, {.batch_size = 2});
    for (auto const& batch : loader.epoch(0)) {
      auto const& sample = batch.sample;
      auto const offsets = sample.pos_offsets();
      for (std::int64_t i = 0; i < sample.src_index().size(); ++i) {
        auto const positives = sample.dst_pos_index().subview(offsets[i], offsets[i + 1] - offsets[i]);
        add_loss(sample, sample.src_index()[i], positives, sample.dst_neg_index().row(i));
      }
    }
    CHECK(found == std::vector<std::vector<std::int64_t>>{{4, 7, 1}, {9}, {2, 3}});
  });
}

TEST_CASE("equal seed edges draw different negatives at the places of a batch and in every step") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    edge_seeds seeds;
    seeds.sources.assign(12, 3); // three batches
    seeds.destinations.assign(12, 9);
    for (auto const mode : {negative_mode::binary, negative_mode::triplet}) {
      glt::dist::link_batches const recipe(
          graph, {.neighbors = {.fanouts = {2}}, .negatives = {.mode = mode, .amount = 2, .strict = false}});
      glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
      std::set<std::vector<std::int64_t>> drawn; // destinations for every seed edge
      for (auto const& batch : loader.epoch(0)) {
        auto const sample = glt_test::plain_links(batch.sample);
        for (std::size_t i = 0; i < 4; ++i) {
          drawn.insert(mode == negative_mode::triplet
                           ? sample.rows.at(i)
                           : std::vector{sample.labelled.at(4 + i).second, sample.labelled.at(8 + i).second});
        }
      }
      CHECK(drawn.size() >= 11);
    }
  });
}

TEST_CASE("batches of links with times have no edge that is later than its seed edge") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    std::vector<std::int64_t> times;
    for (std::int64_t e = 0; e < list.num_edges(); ++e) {
      times.push_back(e * 37 % 101);
    }
    divided_graph const divided(list, glt_test::all_partitioners()[2], comm.size());
    auto const& original = divided.names.original;
    auto part = divided.part(comm.rank());
    auto sorted = glt::sort_rows_by_time(part.graph.view(), glt::make_edge_values(part.graph.view(), times).view());
    part.graph = std::move(sorted.graph);
    glt::dist::graph const graph(comm, std::move(part));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
    glt::link_options const options{.neighbors = {.fanouts = {4, 3}, .edge_ids = true, .disjoint = true},
                                    .negatives = {.strict = false}};
    glt::dist::link_batches const recipe(graph, features, options,
                                         glt::temporal_rule<glt::memory_space::host>{sorted.times.view()});
    auto seeds = seeds_of_rank(list, divided, comm.rank(), true);
    for (std::int64_t i = 0; i < seeds.size(); ++i) {
      seeds.times.push_back(i * 23 % 120 - 5);
    }
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    std::int64_t edges = 0;
    glt_test::for_each_batch(loader, seeds, [&](auto const& batch, edge_seeds const& of_batch, auto key) {
      auto const positives = positives_of(of_batch, original);
      auto expected = glt_test::sample_timed_links_naively(list, times, positives, of_batch.times, options, key);
      for (std::size_t i = 0; i < of_batch.labels.size(); ++i) {
        expected.labels[i] = of_batch.labels[i] + 1;
      }
      CHECK(glt_test::plain_links(batch.sample, original) == expected);
      auto const& subgraph = batch.sample.subgraph();
      CHECK(glt_test::wrong_rows(divided, batch, subgraph.nodes(), subgraph.num_sampled_nodes()[0]) == 0);
      std::int64_t later = 0; // trees are of sources and destinations, of the edges and of one negative each
      for (std::int64_t e = 0; e < subgraph.col().size(); ++e, ++edges) {
        auto const tree = static_cast<std::size_t>(subgraph.batch()[subgraph.col()[e]]);
        auto const time = times[static_cast<std::size_t>(subgraph.edge_ids()[e])];
        later += time > of_batch.times[tree % of_batch.times.size()] ? 1 : 0;
      }
      CHECK(later == 0);
    });
    CHECK((edges > 0) == (comm.rank() > 0));
    auto const counts = loader.report().sampled;
    CHECK((counts.own + counts.remote > 0) == (comm.rank() > 0));
    glt_test::check_deployments(comm, recipe, seeds);
    auto timeless = seeds;
    timeless.times.clear();
    timeless.sources.resize(1, 1);
    timeless.destinations.resize(1, 1);
    timeless.labels.clear();
    bool const is_last = comm.rank() == comm.size() - 1;
    CHECK(glt_test::names(glt_test::refused(comm, recipe, is_last ? timeless : seeds),
                          "rank " + std::to_string(comm.size() - 1), "seeds without times"));
    timeless.times = {1};
    glt::dist::link_batches const uniform(graph, options);
    CHECK(glt_test::names(glt_test::refused(comm, uniform, timeless), "seeds with times"));
  });
}

TEST_CASE_TEMPLATE("batches of links are the same on any policy and delivered to it", Policy, GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    auto const list = glt_test::random_graph(257, 999);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    auto const seeds = seeds_of_rank(list, divided, comm.rank(), true);
    glt::link_options const options{.neighbors = {.fanouts = {3, 2}}, .exclude = seed_exclusion::edges};
    glt::dist::graph const host_graph(comm, divided.part(comm.rank()));
    glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
    glt::dist::loader host_loader(comm, glt::dist::link_batches(host_graph, options), seeds, glt_test::kind_options);
    auto const copy = [](auto const& at, auto const& batch) {
      auto made = glt::to_vector(at, batch.sample.edge_label());
      for (auto const& part : {glt::to_vector(at, batch.sample.edge_label_index().flat()),
                               glt::to_vector(at, batch.sample.subgraph().col())}) {
        made.insert(made.end(), part.begin(), part.end());
      }
      for (auto const node : glt::to_vector(at, batch.sample.subgraph().nodes())) {
        made.push_back(node);
      }
      return made;
    };
    glt::dist::loader loader(comm, glt::dist::link_batches(graph, options), seeds, glt_test::kind_options, policy);
    glt_test::check_on_policy(policy, host_loader, loader, copy);
  });
}

TEST_CASE("seed edges, options and weights that cannot be are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::link_batches const recipe(graph, {.neighbors = {.fanouts = {2}}});
    auto const refused = [&](edge_seeds const& seeds) {
      return glt_test::refused(comm, recipe, odd ? seeds : edge_seeds{{1}, {2}, {}});
    };
    CHECK(glt_test::names(refused({{1, 2}, {3}, {}}), name, "2 sources, 1 destinations"));
    CHECK(glt_test::names(refused({{1, 2}, {3}, {}, {}, {0, 1}}), name, "2 sources, 1 destinations and 2 offsets"));
    CHECK(glt_test::names(refused({{1, 2}, {3}, {}, {}, {0, 2, 1}}), name, "offset 1 of seed edges is 2"));
    CHECK(glt_test::names(refused({{1, 2}, {3, 101}, {}}), name, "destination of seed edge 1 is 101"));
    CHECK(glt_test::names(refused({{1}, {3}, {-1}}), name, "label of seed edge 0 is -1"));
    CHECK(glt_test::names(
        glt_test::refused(comm, glt::dist::link_batches(graph, {.negatives = {.amount = odd ? -1.0 : 1.0}}), {}), name,
        "-1 negatives"));
    auto const weights = weights_of(graph.original());
    auto weighted = recipe;
    weighted.with_weights(glt::host_view<double const>(weights).subview(0, odd ? 0 : std::ssize(weights)));
    CHECK(glt_test::names(glt_test::refused(comm, weighted, {}), name, "0 weights for"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(glt_test::refused(comm, odd ? recipe : weighted, {}), name));
    }
  });
}

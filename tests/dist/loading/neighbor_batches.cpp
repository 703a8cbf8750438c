// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/neighbor_batches.hpp>

#include <glt/dist/halo_values.hpp>
#include <glt/dist/loader.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/independent_rule.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/errors.hpp"
#include "support/loader_kinds.hpp"
#include "support/naive_rules.hpp"
#include "support/naive_sampler.hpp"
#include "support/named_tables.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

constexpr auto host = glt::memory_space::host;

std::vector<std::int64_t> originals_of(divided_graph const& divided, std::vector<glt::global_id> const& ids) {
  std::vector<std::int64_t> original;
  for (auto const id : ids) {
    original.push_back(divided.names.original[id]);
  }
  return original;
}

// Batches are what `expected(seeds, times, key)` says, all in original ids.
template <class Recipe, class Expected>
void check_recipe(auto& comm, divided_graph const& divided, Recipe const& recipe,
                  glt::dist::vertex_seeds<> const& seeds, Expected expected) {
  glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
  glt_test::for_each_batch(loader, seeds, [&](auto const& batch, auto const& of_batch, auto key) {
    CHECK(glt_test::plain(batch.subgraph, divided.names.original) ==
          expected(originals_of(divided, of_batch.vertices), of_batch.times, key));
  });
  glt_test::check_deployments(comm, recipe, seeds);
}

} // namespace

TEST_CASE("batches by a temporal rule take the times of their seeds along") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    std::vector<std::int64_t> edge_times;
    for (std::int64_t e = 0; e < list.num_edges(); ++e) {
      edge_times.push_back(e * 37 % 101);
    }
    auto part = divided.part(comm.rank());
    auto sorted =
        glt::sort_rows_by_time(part.graph.view(), glt::make_edge_values(part.graph.view(), edge_times).view());
    part.graph = std::move(sorted.graph);
    glt::dist::graph const graph(comm, std::move(part));
    auto const original = glt_test::kind_seeds(comm.rank(), 257);
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < original.size(); ++i) {
      times.push_back(static_cast<std::int64_t>(i) * 23 % 140 + comm.rank() - 10);
    }
    glt::neighbor_options const options{.fanouts = {4, 3}, .edge_ids = true, .disjoint = true};
    auto const strategy = glt::temporal_strategy::last;
    glt::dist::neighbor_batches const recipe(graph, options, glt::temporal_rule<host>{sorted.times.view(), strategy});
    check_recipe(comm, divided, recipe, {divided.renumbered(original), times},
                 [&](auto const& seeds, auto const& seed_times, auto key) {
                   return glt_test::naive_temporal_sample(list, edge_times, strategy, seeds, seed_times, options, key);
                 });

    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    using ids = std::vector<glt::global_id>;
    using seeds = glt::dist::vertex_seeds<>;
    CHECK(glt_test::names(glt_test::refused(comm, recipe, odd ? seeds(ids{3}) : seeds(ids{3}, {1})), name,
                          "seeds without times"));
    CHECK(glt_test::names(glt_test::refused(comm, recipe, odd ? seeds(ids{3}, {1, 2}) : seeds()), name,
                          "2 times for 1 seeds"));
    auto late_first = glt::to_vector(glt::device::cpu(), sorted.times.view());
    std::ranges::reverse(late_first);
    glt::temporal_rule<host> const unordered{glt::host_view<std::int64_t const>(late_first), strategy};
    auto const text =
        glt_test::thrown<glt::precondition_error>([&] { glt::dist::neighbor_batches(graph, options, unordered); });
    CHECK(glt_test::names(text, "sort the rows with sort_rows_by_time"));
    CHECK(glt_test::thrown<glt::precondition_error>([&] {
            glt::dist::neighbor_batches(graph, options, glt::independent_rule<glt::temporal_rule<host>>{unordered});
          }) == text);
    glt::dist::neighbor_batches const timeless(graph, options);
    CHECK(glt_test::names(glt_test::refused(comm, timeless, odd ? seeds(ids{3}, {1}) : seeds(ids{3})), name,
                          "seeds with times"));
  });
}

TEST_CASE("batches in which equal seeds have trees of their own") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto original = glt_test::kind_seeds(comm.rank(), 257);
    for (std::size_t i = 0; i < original.size(); ++i) {
      original[i] %= 3;
    }
    glt::neighbor_options const options{.fanouts = {4, 3}, .edge_ids = true, .disjoint = true};
    check_recipe(comm, divided, glt::dist::neighbor_batches(graph, options, glt::independent_rule<>()),
                 divided.renumbered(original), [&](auto const& seeds, auto const&, auto key) {
                   return glt_test::naive_independent_sample(list, seeds, options, key);
                 });
  });
}

TEST_CASE("batches by weights") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[2], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const weights = glt_test::random_weights(list.num_edges(), 6);
    auto const of_whole = glt::make_edge_values(divided.whole.view(), weights);
    auto const local = glt::make_edge_values(graph.local(), weights);
    glt::neighbor_options const options{.fanouts = {3, 2}, .edge_ids = true};
    using rule = glt::weighted_rule<host>;
    glt::neighbor_sampler<cpu, glt::local_id, rule> whole(divided.whole.view(), options, rule{of_whole.view(), {}});
    check_recipe(comm, divided, glt::dist::neighbor_batches(graph, options, rule{local.view(), {}}),
                 divided.renumbered(glt_test::kind_seeds(comm.rank(), 257)),
                 [&](auto const& seeds, auto const&, auto key) {
                   glt::sampled_subgraph<cpu, glt::local_id> out;
                   std::vector<glt::local_id> const narrow(seeds.begin(), seeds.end());
                   whole.sample(narrow, key, out);
                   return glt_test::plain(out);
                 });
  });
}

TEST_CASE("batches by LABOR") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[3], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const originals = glt::dist::make_source_values(comm, graph);
    glt::neighbor_options const options{.fanouts = {4, 3}, .edge_ids = true};
    check_recipe(
        comm, divided, glt::dist::neighbor_batches(graph, options, glt::labor_rule<host>{.sources = originals.view()}),
        divided.renumbered(glt_test::kind_seeds(comm.rank(), 257)), [&](auto const& seeds, auto const&, auto key) {
          return glt_test::naive_labor_sample(list, false, seeds, options, key);
        });
  });
}

TEST_CASE("batches with labels, edge features and some named tensors") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const book = graph.book();
    glt::dist::feature_store const features(comm, book, divided.features(comm.rank(), 3));
    std::vector<glt::edge_id> edges;
    for (std::int64_t e = 0; e < graph.local().num_edges(); ++e) {
      edges.push_back(graph.local().id_of_edge(e));
    }
    auto const own = glt::to_vector(cpu(), graph.original());
    glt::dist::named_features const named(comm, book, glt_test::named_table({own.begin(), own.end()}));
    std::vector<std::int64_t> times_of_edges;
    for (auto const edge : edges) {
      times_of_edges.push_back(edge * 37 - 5);
    }
    glt::feature_table<cpu> timed(std::ssize(edges));
    timed.add("time",
              glt::feature_store<cpu, std::int64_t>(std::ssize(edges), 1, glt::make_buffer<cpu>(times_of_edges)));
    timed.add("more", glt_test::named_store<float>(edges, 8, 3));
    timed.add("x", glt_test::named_store<float>(edges, 9, 2));
    glt::dist::named_features const edge_tensors(
        comm, book, glt::feature_table<cpu>(glt::make_buffer<cpu>(edges), std::move(timed)));
    glt::dist::neighbor_batches recipe(graph, features, {.fanouts = {4, 3}});
    recipe.with({.fanouts = {3, 2}, .edge_ids = true})
        .with(edge_tensors, {{.name = "time"}, {.name = "x"}})
        .with(named, {{.name = "year"}, {.name = "label", .seeds_only = true}});
    glt::dist::vertex_seeds<> const seeds(divided.renumbered(glt_test::kind_seeds(comm.rank(), 257)));
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    std::int64_t num_nodes = 0;
    glt_test::for_each_batch(loader, seeds, [&](auto const& batch, auto const& of_batch, auto key) {
      auto const& sample = batch.subgraph;
      num_nodes += sample.nodes().size();
      CHECK(glt_test::plain(sample, divided.names.original) ==
            glt_test::naive_sample(list, originals_of(divided, of_batch.vertices), recipe.options(), key));
      auto const num_seeds = sample.num_sampled_nodes()[0];
      CHECK(glt_test::wrong_rows(divided, batch, sample.nodes(), num_seeds) == 0);
      std::vector<float> expected_edges;
      for (auto const id : sample.edge_ids()) {
        expected_edges.insert(expected_edges.end(), {glt_test::named_value(id, 9, 0), glt_test::named_value(id, 9, 1)});
      }
      CHECK(glt_test::elements_of<float>(batch.edge_tensors["x"]) == expected_edges);
      std::vector<std::int64_t> times;
      for (auto const id : sample.edge_ids()) {
        times.push_back(id * 37 - 5);
      }
      CHECK(batch.edge_tensors.tensors.size() == 2);
      CHECK(glt_test::elements_of<std::int64_t>(batch.edge_tensors["time"]) == times);
      std::vector<std::int64_t> years;
      std::vector<std::int64_t> labels;
      for (auto const node : sample.nodes()) {
        auto const original = divided.names.original[node];
        years.push_back(static_cast<std::int64_t>(glt_test::named_value(original, 1, 0)));
        if (std::ssize(labels) < num_seeds) {
          labels.push_back(static_cast<std::int64_t>(glt_test::named_value(original, 5, 0)));
        }
      }
      CHECK(batch.tensors.tensors.size() == 2);
      CHECK(glt_test::elements_of<std::int64_t>(batch.tensors["year"]) == years);
      CHECK(glt_test::elements_of<std::int64_t>(batch.tensors["label"]) == labels);
    });
    auto const counts = loader.report().rows; // of the matrix and of the tensors
    CHECK((num_nodes > 0) == (seeds.size() > 0));
    CHECK(counts.own + counts.remote == 2 * num_nodes);
    glt_test::check_deployments(comm, recipe, seeds);

    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    auto without_ids = recipe;
    without_ids.with({.fanouts = {3, 2}, .edge_ids = comm.rank() != last});
    CHECK(glt_test::names(glt_test::refused(comm, without_ids, seeds), name, "set edge_ids"));
    if (comm.size() > 1) {
      glt::dist::neighbor_batches others(graph, features, recipe.options());
      others.with(edge_tensors);
      CHECK(
          glt_test::names(glt_test::refused(comm, comm.rank() == last ? others : recipe, seeds), name, "other things"));
    }
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/walk_batches.hpp>

#include <glt/dist/loader.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/hetero_graphs.hpp"
#include "support/hetero_parts.hpp"
#include "support/loader_kinds.hpp"
#include "support/naive_walks.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

// Batches are what `expected(list, starts, options, key)` says, in original ids.
template <class Options, class Expected>
void check_walks(auto& comm, Options const& options, Expected expected) {
  auto const list = glt_test::random_graph(257, 999);
  divided_graph const divided(list, glt_test::all_partitioners()[2], comm.size());
  auto const& original = divided.names.original;
  glt::dist::graph const graph(comm, divided.part(comm.rank()));
  glt::dist::walk_batches const recipe(graph, options);
  CHECK(recipe.options().length == options.length);
  glt::dist::vertex_seeds<> const seeds(divided.renumbered(glt_test::kind_seeds(comm.rank(), 257)));
  glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
  glt_test::for_each_batch(loader, seeds, [&](auto const& batch, auto const& of_batch, auto key) {
    std::vector<std::int64_t> starts;
    for (auto const seed : of_batch.vertices) {
      starts.push_back(original[seed]);
    }
    CHECK(glt_test::plain(batch.walks, [&](auto, auto vertex) { return original[vertex]; }) ==
          expected(list, starts, options, key));
  });
  glt_test::check_deployments(comm, recipe, seeds);
  CHECK((loader.report().seconds.sampling > 0) == (loader.num_steps() > 0));
  // Batches that are made together take as many rounds as the one that takes the most.
  auto const one_by_one = glt_test::sweeps_of_epoch(comm, recipe, seeds, 1);
  CHECK(2 * glt_test::sweeps_of_epoch(comm, recipe, seeds, loader.num_steps() + 1) <= one_by_one);
}

} // namespace

TEST_CASE("batches of random walks, with returns or without, are those of the definition") {
  on_ranks([](auto comm) {
    auto const naive = [](auto const&... what) { return glt_test::naive_walks(what...); };
    check_walks(comm, glt::walk_options{.length = 5, .walks_per_start = 2, .edge_ids = true}, naive);
    check_walks(comm, glt::walk_options{.length = 7, .restart = 0.25}, naive);
  });
}

TEST_CASE("batches of node2vec walks are those of the definition") {
  on_ranks([](auto comm) {
    check_walks(comm, glt::node2vec_options{.length = 6, .walks_per_start = 2, .p = 0.25, .q = 4, .edge_ids = true},
                [](auto const&... what) { return glt_test::naive_node2vec_walks(what...); });
  });
}

TEST_CASE("batches of walks along edge types are those of the definition") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    glt_test::divided_hetero_graph const divided(list, comm.size(), 1);
    glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
    std::vector<int> const types{2, 0, 1}; // papers cite papers, which authors write
    glt::metapath_options const options{.length = 5, .walks_per_start = 2, .edge_ids = true};
    glt::dist::walk_batches const recipe(graph, types, options);
    auto const start_type = list.schema.destination_type(types[0]);
    std::vector<std::vector<std::int64_t>> by_type(divided.names.size());
    by_type[static_cast<std::size_t>(start_type)] =
        glt_test::kind_seeds(comm.rank(), list.schema.num_vertices(start_type));
    glt::dist::vertex_seeds<> const seeds(divided.renumbered(by_type)[static_cast<std::size_t>(start_type)]);
    std::vector<glt_test::naive_relation> path;
    for (auto const type : types) {
      path.push_back(glt_test::naive_rows(list, type));
    }
    auto const name = [&](std::int64_t column, std::int64_t vertex) {
      auto const taken = static_cast<std::size_t>(column - 1) % types.size();
      auto const type = column == 0 ? start_type : list.schema.source_type(types[taken]);
      return divided.names[static_cast<std::size_t>(type)].original[vertex];
    };
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    glt_test::for_each_batch(loader, seeds, [&](auto const& batch, auto const& of_batch, auto key) {
      std::vector<std::int64_t> starts;
      for (auto const seed : of_batch.vertices) {
        starts.push_back(divided.names[static_cast<std::size_t>(start_type)].original[seed]);
      }
      CHECK(glt_test::plain(batch.walks, name) ==
            glt_test::naive_metapath_walks(path, starts, {.length = 5, .walks_per_start = 2, .edge_ids = true}, key));
    });
    glt_test::check_deployments(comm, recipe, seeds);
    CHECK(glt_test::names(glt_test::refused(comm, glt::dist::walk_batches(graph, {9}, options), {}), "edge type 0"));
  });
}

TEST_CASE_TEMPLATE("batches of walks are the same on any policy and delivered to it", Policy, GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    auto const seeds = divided.renumbered(glt_test::kind_seeds(comm.rank(), 257));
    glt::dist::graph const host_graph(comm, divided.part(comm.rank()));
    glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
    glt::dist::loader host_loader(comm, glt::dist::walk_batches(host_graph, {.length = 5}), seeds,
                                  glt_test::kind_options);
    glt::dist::loader loader(comm, glt::dist::walk_batches(graph, {.length = 5}), seeds, glt_test::kind_options,
                             policy);
    glt_test::check_on_policy(policy, host_loader, loader, [](auto const& at, auto const& batch) {
      return glt::to_vector(at, batch.walks.vertices().flat());
    });
  });
}

TEST_CASE("starts and options of walks that cannot be are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::walk_batches const recipe(graph, {.length = 3});
    using ids = std::vector<glt::global_id>;
    using seeds = glt::dist::vertex_seeds<>;
    CHECK(glt_test::names(glt_test::refused(comm, recipe, ids{0, odd ? -1 : 1}), name, "seed 1 is -1"));
    CHECK(glt_test::names(glt_test::refused(comm, recipe, odd ? seeds(ids{0}, {7}) : seeds(ids{0})), name, "times"));
    CHECK(glt_test::names(glt_test::refused(comm, glt::dist::walk_batches(graph, {.length = odd ? 0 : 3}), ids{0}),
                          name, "0 steps"));
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/induced_batches.hpp>

#include <glt/dist/loader.hpp>
#include <glt/dist/shared/shared_graph.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/loader_kinds.hpp"
#include "support/naive_induced.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <string>
#include <utility>
#include <vector>

using glt_test::divided_graph;
using glt_test::on_ranks;

TEST_CASE("batches of induced subgraphs are those of the sampler, with features and labels") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 999);
    divided_graph const divided(list, glt_test::all_partitioners()[2], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
    glt::induced_options const options{.num_hops = 1, .edge_ids = true};
    glt::dist::induced_batches const recipe(graph, features, options);
    CHECK(recipe.options().num_hops == 1);
    glt::dist::vertex_seeds<> const seeds(divided.renumbered(glt_test::kind_seeds(comm.rank(), 257)));
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    glt_test::for_each_batch(loader, seeds, [&](auto const& batch, auto const& of_batch, auto) {
      std::vector<std::int64_t> original;
      for (auto const seed : of_batch.vertices) {
        original.push_back(divided.names.original[seed]);
      }
      CHECK(glt_test::plain(batch.subgraph, divided.names.original) ==
            glt_test::naive_induced(list, original, options));
      CHECK(glt_test::wrong_rows(divided, batch, batch.subgraph.nodes(), batch.subgraph.num_sampled_nodes()[0]) == 0);
    });
    glt_test::check_deployments(comm, recipe, seeds);
    auto const steps = loader.num_steps();
    CHECK(glt_test::sweeps_of_epoch(comm, recipe, seeds, 1) * ((steps + 2) / 3) ==
          glt_test::sweeps_of_epoch(comm, recipe, seeds, 3) * steps);
    glt::dist::loader bare(comm, glt::dist::induced_batches(graph), seeds, glt_test::kind_options);
    for (auto const& batch : bare.epoch(0)) {
      CHECK(batch.features().rows() == 0);
    }
  });
}

TEST_CASE("batches of induced subgraphs are the same where rows of other ranks are expanded in place") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[2], comm.size());
    auto node = glt_test::node_of(comm);
    auto shared = glt::dist::share(node, divided.part(comm.rank()));
    glt::dist::graph const graph(comm, std::move(shared.own));
    glt::dist::induced_batches const recipe(graph, {.num_hops = 2});
    glt::dist::vertex_seeds<> const seeds(divided.renumbered(glt_test::kind_seeds(comm.rank(), 257)));
    glt::dist::loader plain(comm, recipe, seeds, glt_test::kind_options);
    glt::dist::loader loader(comm, recipe, seeds, glt_test::kind_options);
    loader.read_in_place(shared.neighborhood);
    CHECK(glt_test::prints_of(loader, 0) == glt_test::prints_of(plain, 0));
    CHECK((loader.report().sampled.in_place > 0) == (comm.rank() > 0));
    CHECK(loader.report().sampled.remote == 0);
  });
}

TEST_CASE_TEMPLATE("batches of induced subgraphs are the same on any policy", Policy, GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    auto const ids = divided.renumbered(glt_test::kind_seeds(comm.rank(), 257));
    glt::dist::graph const host_graph(comm, divided.part(comm.rank()));
    glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
    glt::dist::loader host_loader(comm, glt::dist::induced_batches(host_graph), ids, glt_test::kind_options);
    glt::dist::loader loader(comm, glt::dist::induced_batches(graph), ids, glt_test::kind_options, policy);
    auto const expected_epoch = host_loader.epoch(1);
    auto expected = expected_epoch.begin();
    for (auto const& batch : loader.epoch(1)) {
      CHECK(glt_test::plain_copy(policy, batch.subgraph, divided.names.original) ==
            glt_test::plain((*expected).subgraph, divided.names.original));
      ++expected;
    }
  });
}

TEST_CASE("seeds and options of induced subgraphs that cannot be are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
    glt::dist::induced_batches const recipe(graph, features);
    using ids = std::vector<glt::global_id>;
    using seeds = glt::dist::vertex_seeds<>;
    CHECK(glt_test::names(glt_test::refused(comm, recipe, seeds(ids{0, odd ? 101 : 1})), name, "seed 1 is 101"));
    CHECK(glt_test::names(glt_test::refused(comm, recipe, odd ? seeds(ids{0}, {7}) : seeds(ids{0})), name, "times"));
    CHECK(glt_test::names(
        glt_test::refused(comm, glt::dist::induced_batches(graph, {.num_hops = odd ? -1 : 1}), seeds(ids{0})), name));
    if (comm.size() > 1) {
      CHECK(glt_test::names(
          glt_test::refused(comm, odd ? recipe : glt::dist::induced_batches<glt::device::cpu, glt::global_id>(graph),
                            seeds(ids{0})),
          name, "other things"));
    }
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/shared/shared_graph.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/shared/shared_rule.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/naive_sampler.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/weighted.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::naive_sample;
using glt_test::plain;
using glt_test::seeds_of;

namespace {

enum class topology { one_machine, mixed, refused };

std::vector<glt::neighbor_options> options_to_try() {
  return {{.fanouts = {4, 3, 2}, .edge_ids = true},
          {.fanouts = {3, 2}, .replace = true, .expand = glt::frontier::all},
          {.fanouts = {-1, 300}, .edge_ids = true},
          {.fanouts = {3, 2}, .edge_ids = true, .disjoint = true}};
}

template <class Vertex>
void check_equal_to_serial(auto comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                           topology machines) {
  auto node = glt_test::node_of(comm, machines == topology::refused && comm.rank() == 0);
  glt::node_views<typename glt::graph_part<cpu, Vertex>::view_type> neighborhood;
  glt_test::compared_graph<Vertex> const compared(comm, list, partitioner, [&](divided_graph const& divided) {
    auto shared = glt::dist::share(node, divided.template part<Vertex>(comm.rank()));
    neighborhood = std::move(shared.neighborhood);
    return std::move(shared.own);
  });
  if (machines == topology::mixed) {
    glt_test::hide_every_other(neighborhood, comm.rank());
  }
  for (auto const& options : options_to_try()) {
    glt::counting_comm counted(comm);
    glt::dist::neighbor_sampler sampler(counted, compared.graph(), options);
    sampler.read_in_place(neighborhood);
    counted.reset();
    glt::sampled_subgraph<cpu, Vertex> out;
    compared.check(
        comm,
        [&](auto const& ids, auto const&, auto key) {
          sampler.sample(ids, key, out);
          return plain(out, compared.original());
        },
        [&](auto const& seeds, auto key) { return naive_sample(list, seeds, options, key); });
    CHECK(sampler.why_not_in_place().empty() == (machines == topology::one_machine || comm.size() == 1));
    if (machines == topology::one_machine) {
      CHECK(counted.counts().payload.collectives == 0);
      CHECK(counted.counts().replies.collectives == 0);
      CHECK(sampler.counts().remote == 0);
    }
    if (machines == topology::refused) {
      CHECK(sampler.counts().in_place == 0);
    }
  }
}

} // namespace

TEST_CASE("sampling in place equals serial sampling, on one machine, on several, and where nothing is shared") {
  glt_test::on_ranks([](auto comm) {
    for (auto const machines : {topology::one_machine, topology::mixed, topology::refused}) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_equal_to_serial<glt::global_id>(comm, list, glt_test::all_partitioners()[1], machines);
      }
      for (auto const& partitioner : glt_test::all_partitioners()) {
        check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner, machines);
      }
    }
  });
}

TEST_CASE("rows are counted by where they were read") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    auto node = glt_test::node_of(comm);
    auto shared = glt::dist::share(node, divided.part(comm.rank()));
    glt_test::hide_every_other(shared.neighborhood, comm.rank());
    glt::dist::graph const graph(comm, std::move(shared.own));
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {2}});
    sampler.read_in_place(shared.neighborhood);
    std::vector<glt::global_id> seeds;
    std::int64_t own = 0;
    std::int64_t in_place = 0;
    for (glt::global_id v = comm.rank(); v < 257; v += 2) {
      seeds.push_back(v);
      auto const owner = graph.book().owner(v);
      own += owner == comm.rank() ? 1 : 0;
      in_place += owner != comm.rank() && (owner - comm.rank()) % 2 == 0 ? 1 : 0;
    }
    glt::sampled_subgraph<cpu, glt::global_id> out;
    sampler.sample(seeds, {.seed = 3}, out);
    CHECK(sampler.counts().own == own);
    CHECK(sampler.counts().in_place == in_place);
    CHECK(sampler.counts().remote == std::ssize(seeds) - own - in_place);
  });
}

TEST_CASE("a rule draws in place by weights that the ranks share; by others it uses messages, and says so") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    auto node = glt_test::node_of(comm);
    auto shared = glt::dist::share(node, divided.part(comm.rank()));
    glt::dist::graph const graph(comm, std::move(shared.own));
    auto const weights = glt::make_edge_values(graph.local(), glt_test::random_weights(list.num_edges(), 6));
    glt::weighted_rule<glt::memory_space::host> const rule{weights.view(), {}};
    glt::dist::neighbor_sampler plain_sampler(comm, graph, {.fanouts = {3, 2}}, rule);
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3, 2}}, rule);
    sampler.read_in_place(shared.neighborhood);
    auto const seeds = divided.renumbered(seeds_of(comm.rank(), 1, 257));
    glt::sampled_subgraph<cpu, glt::global_id> expected;
    glt::sampled_subgraph<cpu, glt::global_id> out;
    plain_sampler.sample(seeds, {.seed = 3}, expected);
    sampler.sample(seeds, {.seed = 3}, out);
    CHECK(plain(out, divided.names.original) == plain(expected, divided.names.original));
    CHECK(sampler.counts().in_place == 0);
    CHECK(glt_test::names(sampler.why_not_in_place(), "do not share", "share_rule"));
    auto const shared_rule = glt::dist::share_rule(node, shared.neighborhood, rule);
    CHECK(shared_rule.weights.data() != rule.weights.data());
    CHECK(std::ranges::equal(shared_rule.weights, rule.weights));
    glt::dist::neighbor_sampler in_place(comm, graph, {.fanouts = {3, 2}}, shared_rule);
    in_place.read_in_place(shared.neighborhood);
    in_place.sample(seeds, {.seed = 3}, out);
    CHECK(plain(out, divided.names.original) == plain(expected, divided.names.original));
    CHECK(in_place.counts().remote == 0);
    CHECK((in_place.counts().in_place > 0) == (comm.size() > 1 && !seeds.empty()));
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                              [&] { static_cast<void>(glt::dist::share_rule(node, shared.neighborhood, rule, 1)); }),
                          "data of edge type 1", "1 edge types"));
  });
}

TEST_CASE("the own part lies in the shared block, and views that are not of the graph's parts are refused") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
        divided_graph const other(glt_test::random_graph(100, 370), glt_test::all_partitioners()[1], comm.size());
        auto node = glt_test::node_of(comm);
        auto const self = static_cast<std::size_t>(comm.rank());
        auto shared = glt::dist::share(node, divided.part(comm.rank()));
        auto const foreign = glt::dist::share(node, other.part(comm.rank()));
        CHECK(shared.own.graph.view().sources().data() ==
              shared.neighborhood.of_rank[self]->graphs[0].sources().data());
        glt::dist::graph const graph(comm, std::move(shared.own));
        glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3, 2}});
        auto const refused = [&](auto views) {
          return glt_test::thrown<glt::precondition_error>([&] { sampler.read_in_place(views); });
        };
        CHECK(glt_test::names(refused(foreign.neighborhood), "100 columns", "101 vertices"));
        glt::graph_part<cpu, glt::global_id> odd = divided.part(comm.rank());
        if (comm.rank() == 1) {
          auto const view = odd.graph.view();
          odd.graph = {200, glt::make_buffer<cpu>(view.offsets()), glt::make_buffer<cpu>(view.sources()),
                       glt::make_buffer<cpu>(view.edge_ids())};
        }
        auto const wide = glt::dist::share(node, odd);
        CHECK(glt_test::names(refused(wide.neighborhood), "200 columns", "of part 1", "101 vertices"));
        auto fewer = shared.neighborhood;
        fewer.of_rank.pop_back();
        CHECK(glt_test::names(refused(fewer), "one entry per rank"));
        auto unnamed = shared.neighborhood;
        unnamed.of_rank[self]->original[0] = {};
        CHECK(glt_test::names(refused(unnamed), "0 original ids"));
        comm.barrier();
      },
      {2, 3});
}

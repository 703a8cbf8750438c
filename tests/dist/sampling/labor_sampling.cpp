// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/halo_values.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/sample/rule/labor_rule.hpp>

#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/naive_rules.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

using rule = glt::labor_rule<glt::memory_space::host>;

template <class Vertex>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list,
                           glt_test::named_partitioner const& partitioner) {
  glt_test::compared_graph<Vertex> const compared(comm, list, partitioner);
  auto const originals = glt::dist::make_source_values(comm, compared.graph());
  auto names = glt::make_buffer<cpu>(originals.view());
  glt::labor_rule<glt::memory_space::host>::name_parallel_edges(compared.graph().local(), names.view());
  for (bool const exact : {false, true}) {
    for (bool const named : {false, true}) {
      auto const expand = named ? glt::frontier::all : glt::frontier::fresh;
      glt::neighbor_options const options{.fanouts = {4, 3, 2}, .expand = expand, .edge_ids = true};
      rule const labor{.sources = named ? std::as_const(names).view() : originals.view(), .exact = exact};
      glt::dist::neighbor_sampler sampler(comm, compared.graph(), options, labor);
      glt::sampled_subgraph<cpu, Vertex> out;
      compared.check(
          comm,
          [&](auto const& ids, auto const&, auto key) {
            sampler.sample(ids, key, out);
            return glt_test::plain(out, compared.original());
          },
          [&](auto const& seeds, auto key) {
            return glt_test::naive_labor_sample(list, exact, seeds, options, key, named);
          },
          2);
    }
  }
}

} // namespace

TEST_CASE("distributed LABOR sampling equals serial sampling, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        if (list.num_vertices <= 257) {
          check_equal_to_serial<glt::global_id>(comm, list, partitioner);
        }
      }
    }
    check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1]);
  });
}

TEST_CASE("ranks share the variates: together they visit what one rank with the joined batch visits") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099, 8);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const originals = glt::dist::make_source_values(comm, graph);
    glt::neighbor_options const options{.fanouts = {4, 3}, .expand = glt::frontier::all};
    glt::dist::neighbor_sampler sampler(comm, graph, options, rule{.sources = originals.view()});
    glt::sampled_subgraph<cpu, glt::global_id> out;
    sampler.sample(divided.renumbered(glt_test::seeds_of(comm.rank(), 4, 257)), {.seed = 2}, out);
    std::vector<std::int64_t> joined;
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const seeds = glt_test::seeds_of(rank, 4, 257);
      joined.insert(joined.end(), seeds.begin(), seeds.end());
    }
    std::vector<std::int64_t> expected(257);
    for (auto const node : glt_test::naive_labor_sample(list, false, joined, options, {.seed = 2}).nodes) {
      expected[static_cast<std::size_t>(node)] = 1;
    }
    std::vector<std::int64_t> visited(257);
    for (auto const node : out.nodes()) {
      visited[static_cast<std::size_t>(divided.names.original[node])] = 1;
    }
    comm.all_reduce(std::span(visited), glt::reduction::max);
    CHECK(visited == expected);
  });
}

TEST_CASE("a rule of one rank that does not fit its part is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    std::vector<glt::global_id> const some(1000);
    auto const error = glt_test::thrown<glt::collective_error>([&] {
      glt::dist::neighbor_sampler(comm, graph, {.fanouts = {3}}, comm.rank() == last ? rule{.sources = some} : rule{});
    });
    CHECK(glt_test::names(error, "rank " + std::to_string(last), "1000 original ids"));
  });
}

TEST_CASE("rows that give more edges than the fanout cross ranks whole") {
  on_ranks([](auto comm) {
    // A hub of 600 edges at fanout 250: every other draw takes more edges than one byte counts.
    glt_test::edge_list list{"hub", 601, {}, {}};
    for (int v = 1; v <= 600; ++v) {
      list.add(v, 0);
    }
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const originals = glt::dist::make_source_values(comm, graph);
    glt::neighbor_options const options{.fanouts = {250}, .edge_ids = true};
    glt::dist::neighbor_sampler sampler(comm, graph, options, rule{.sources = originals.view()});
    glt::sampled_subgraph<cpu, glt::global_id> out;
    std::int64_t largest = 0;
    for (std::int64_t step = 0; step < 10; ++step) {
      sampler.sample(divided.renumbered({0}), {.step = step}, out);
      CHECK(glt_test::plain(out, divided.names.original) ==
            glt_test::naive_labor_sample(list, false, {0}, options, {.step = step}));
      largest = std::max(largest, out.num_sampled_edges()[0]);
    }
    CHECK(largest > 255);
  });
}

TEST_CASE("a key of the batch is shared across hops and ranks") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const originals = glt::dist::make_source_values(comm, graph);
    glt::neighbor_options const options{.fanouts = {4, 3, 2}, .edge_ids = true};
    glt::dist::neighbor_sampler sampler(comm, graph, options, rule{.sources = originals.view()});
    glt::sampled_subgraph<cpu, glt::global_id> out;
    auto const rows = glt_test::naive_rows(list);
    for (std::uint64_t batch = 0; batch < 2; ++batch) {
      auto const key = glt::random_key(12).fold(batch);
      sampler.set_rule_of(
          [&](int) { return rule{.sources = originals.view(), .across_hops = true, .batch_key = key}; });
      auto const seeds = glt_test::seeds_of(comm.rank(), 1, 257);
      sampler.sample(divided.renumbered(seeds), {}, out);
      auto const expected =
          glt_test::naive_sample_by(rows, seeds, options, [&](std::int64_t hop, std::int64_t, std::int64_t vertex) {
            return glt_test::naive_labor_pick(false, rows[static_cast<std::size_t>(vertex)],
                                              options.fanouts[static_cast<std::size_t>(hop)], key);
          });
      CHECK(glt_test::plain(out, divided.names.original) == expected);
    }
  });
}

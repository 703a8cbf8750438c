// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/hetero_sampler.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/naive_hetero_sampler.hpp"
#include "support/pinned_policy.hpp"
#include "support/policies.hpp"
#include "support/policy_hetero_subgraphs.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#if defined(GLT_TEST_THRUST) // hosts are tested in hetero_sampler.cpp

using glt_test::cpu;
using glt_test::divided_hetero_graph;

namespace {

using gpu = glt_test::emulated_cpp;

// Both samplers of a rank get the same seeds and make the same batch; the graph of the device is in memory of
// `GraphPolicy`.
template <class GraphPolicy = gpu, class Rule>
void check_equal_to_host(auto& comm, glt_test::hetero_list const& list, glt::hetero_options const& options,
                         std::vector<Rule> const& rules, auto const& queries_of) {
  divided_hetero_graph const divided(list, comm.size(), 1);
  glt::dist::hetero_graph const on_host(comm, divided.part(comm.rank()));
  glt::dist::hetero_graph const on_device(comm, glt_test::device_part(divided, comm.rank(), GraphPolicy()));
  glt::dist::hetero_neighbor_sampler host(comm, on_host, options, rules);
  glt::dist::hetero_neighbor_sampler device(comm, on_device, options, rules, gpu());
  glt::hetero_subgraph<cpu, glt::global_id> expected;
  glt::hetero_subgraph<gpu, glt::global_id> out;
  for (std::int64_t step = 0; step < 3; ++step) {
    glt::sample_key const key{.seed = 21, .epoch = 1, .step = step};
    auto const original = glt_test::hetero_seeds_of(list, comm.rank(), step);
    auto const seeds = divided.renumbered(original);
    std::vector<glt::host_view<glt::global_id const>> const views(seeds.begin(), seeds.end());
    std::vector<glt::buffer<gpu, glt::global_id>> there;
    std::vector<glt::array_view<gpu::space, glt::global_id const>> views_there;
    for (auto const& of_type : seeds) {
      there.push_back(glt::make_buffer<gpu>(of_type));
      views_there.push_back(std::as_const(there.back()).view());
    }
    auto const queries = queries_of(original);
    if constexpr (glt::detail::has_query<Rule>) {
      host.sample(views, queries, key, expected);
      auto const queries_there = glt::make_buffer<gpu>(queries);
      device.sample(views_there, queries_there.view(), key, out);
    } else {
      host.sample(views, key, expected);
      device.sample(views_there, key, out);
    }
    INFO(list.name, ", rank ", comm.rank(), " of ", comm.size(), ", step ", step);
    CHECK(glt_test::copy_subgraph(gpu(), out) == glt_test::copy_subgraph(cpu(), expected));
  }
  CHECK(device.counts().own == host.counts().own);
  CHECK(device.counts().remote == host.counts().remote);
}

} // namespace

TEST_CASE("sampling a typed graph across parts in memory of a GPU equals that on hosts") {
  glt_test::on_ranks([](auto comm) {
    auto const no_queries = [](auto const&) { return 0; };
    for (auto const& list : glt_test::hetero_graphs_to_divide()) {
      std::vector<glt::uniform_rule> const rules(list.schema.edge_types().size());
      auto const fanouts = glt::same_fanouts(list.schema, {3, 2});
      check_equal_to_host(comm, list, {.fanouts = fanouts, .edge_ids = true}, rules, no_queries);
      glt::hetero_options mixed{.fanouts = glt::same_fanouts(list.schema, {-1, 2, 1}), .expand = glt::frontier::all};
      for (std::size_t e = 0; e < mixed.fanouts.size(); ++e) {
        if (e % 3 == 1) {
          mixed.fanouts[e] = {0, 300, -1}; // counts of different width in one hop
        }
      }
      check_equal_to_host(comm, list, mixed, rules, no_queries);
    }
  });
}

TEST_CASE("a typed graph in pinned memory is sampled into device memory") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    std::vector<glt::uniform_rule> const rules(list.schema.edge_types().size());
    check_equal_to_host<glt_test::pinned_policy>(comm, list,
                                                 {.fanouts = glt::same_fanouts(list.schema, {3, 2}), .edge_ids = true},
                                                 rules, [](auto const&) { return 0; });
  });
}

TEST_CASE("queries of typed vertices travel from GPU to GPU") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(101);
    std::vector<glt_test::limit_rule> const rules(list.schema.edge_types().size());
    check_equal_to_host(comm, list,
                        {.fanouts = glt::same_fanouts(list.schema, {3, -1}), .edge_ids = true, .disjoint = true}, rules,
                        [](auto const& seeds) { return glt_test::limits_for(seeds, 900); });
  });
}

TEST_CASE("a source in memory of a GPU that no part owns is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(33);
    divided_hetero_graph const divided(list, comm.size());
    auto part = glt_test::device_part(divided, comm.rank(), gpu());
    auto const own = divided.part(comm.rank());
    auto const rows = own.relations[0].view();
    std::vector<glt::global_id> sources(rows.sources().begin(), rows.sources().end());
    if (comm.rank() == 0) {
      sources[0] = 17;
    }
    part.relations[0] = {rows.num_columns(), glt::make_buffer<gpu>(rows.offsets()), glt::make_buffer<gpu>(sources),
                         glt::make_buffer<gpu>(rows.edge_ids())};
    glt::dist::hetero_graph const graph(comm, std::move(part));
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, {.fanouts = glt::same_fanouts(list.schema, {-1, -1})});
    std::vector<glt::global_id> seeds;
    for (auto v = graph.book(0).begin(comm.rank()); comm.rank() == 0 && v < graph.book(0).end(0); ++v) {
      seeds.push_back(v);
    }
    auto const there = glt::make_buffer<gpu>(seeds);
    glt::hetero_subgraph<gpu, glt::global_id> out;
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { sampler.sample(0, there.view(), {}, out); }),
                          "rank 0", "vertex 17", "[0, 17)"));
  });
}

#endif

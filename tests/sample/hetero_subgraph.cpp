// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/hetero_subgraph.hpp>

#include <glt/sample/hetero_sampler.hpp>

#include "support/errors.hpp"
#include "support/naive_hetero_sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using glt::device::cpu;

namespace {

// The first edges, or the last ones, of a list.
std::vector<std::int64_t> part(std::vector<std::int64_t> const& all, std::int64_t first, std::int64_t count) {
  return {all.begin() + first, all.begin() + first + count};
}

} // namespace

TEST_CASE("the blocks of an edge type are what its rows and columns say") {
  auto const list = glt_test::academic_graph(101);
  auto const graph = list.graph();
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    glt::hetero_options options{
        .fanouts = glt::same_fanouts(list.schema, {3, 2, 2}), .expand = expand, .edge_ids = true};
    options.fanouts[2] = {0, 3, 0};
    auto const seeds = glt_test::hetero_seeds_of(list, 1, 1);
    auto const whole = glt_test::naive_hetero_sample(list, seeds, options, {.seed = 8});
    std::vector<std::vector<glt::local_id>> ids;
    std::vector<glt::host_view<glt::local_id const>> views;
    for (auto const& of_type : seeds) {
      ids.emplace_back(of_type.begin(), of_type.end());
    }
    views.assign(ids.begin(), ids.end());
    glt::hetero_subgraph<cpu> out;
    glt::hetero_neighbor_sampler<cpu>(graph.view(), options).sample(views, {.seed = 8}, out);
    for (int e = 0; e < list.schema.num_edge_types(); ++e) {
      auto const at = static_cast<std::size_t>(e);
      auto const source_type = static_cast<std::size_t>(list.schema.source_type(e));
      auto const destination_type = static_cast<std::size_t>(list.schema.destination_type(e));
      auto const& source_counts = whole.num_sampled_nodes[source_type];
      auto const& destination_counts = whole.num_sampled_nodes[destination_type];
      std::int64_t edges_before = 0;
      std::int64_t sources = source_counts[0];
      std::int64_t destinations = 0;
      for (std::size_t hop = 0; hop < 3; ++hop) {
        sources += source_counts[hop + 1];
        destinations += destination_counts[hop];
        auto const edges = whole.num_sampled_edges[at][hop];
        auto const block = out.block(e, 2 - static_cast<int>(hop));
        bool const fresh = expand == glt::frontier::fresh;
        auto const first = fresh ? 0 : edges_before;
        auto const count = fresh ? edges_before + edges : edges;
        CHECK(block.num_sources == sources);
        CHECK(block.num_destinations == destinations);
        CHECK(std::vector<std::int64_t>(block.row.begin(), block.row.end()) == part(whole.row[at], first, count));
        CHECK(std::vector<std::int64_t>(block.col.begin(), block.col.end()) == part(whole.col[at], first, count));
        CHECK(glt_test::to_vector(block.edge_ids) == part(whole.edge_ids[at], first, count));
        REQUIRE(block.offsets.size() == destinations + 1);
        for (std::int64_t d = 0; d < destinations; ++d) {
          for (auto i = block.offsets[d]; i < block.offsets[d + 1]; ++i) {
            CHECK(block.col[i - block.offsets[0]] == d);
          }
        }
        CHECK(block.offsets[destinations] - block.offsets[0] == count);
        edges_before += edges;
      }
    }
  }
}

TEST_CASE("types and layers that are not there are refused") {
  auto const list = glt_test::academic_graph(33);
  auto const graph = list.graph();
  glt::hetero_subgraph<cpu> out;
  glt::hetero_neighbor_sampler<cpu>(graph.view(), {.fanouts = glt::same_fanouts(list.schema, {2, 2})})
      .sample(0, std::vector<glt::local_id>{1}, {}, out);
  auto const refused = [](auto&& f) { return glt_test::thrown<glt::precondition_error>(f); };
  CHECK(out.num_hops() == 2);
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.nodes(4)); }), "node type 4", "4 node types"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.seed_index(-1)); }), "node type -1"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.num_sampled_nodes(9)); }), "node type 9"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.row(7)); }), "edge type 7", "7 edge types"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.col(-1)); }), "edge type -1"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.edge_ids(7)); }), "edge type 7"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.num_sampled_edges(7)); }), "edge type 7"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.block(7, 0)); }), "edge type 7"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.block(0, 2)); }), "layer 2 of 2"));
  CHECK(glt_test::names(refused([&] { static_cast<void>(out.block(0, -1)); }), "layer -1"));
  CHECK(glt::hetero_subgraph<cpu>{}.num_hops() == 0);
}

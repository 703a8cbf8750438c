// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/subgraph.hpp>

#include <glt/sample/neighbor_sampler.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <cstdint>
#include <vector>

namespace {

using glt::device::cpu;

// What must hold of any block: destinations are a prefix, edges are grouped by them, and offsets say where.
void check_block(glt::block_view<glt::memory_space::host> const& block) {
  REQUIRE(block.num_destinations <= block.num_sources);
  REQUIRE(block.offsets.size() == block.num_destinations + 1);
  REQUIRE(block.col.size() == block.row.size());
  REQUIRE(block.offsets[block.num_destinations] - block.offsets[0] == block.num_edges());
  std::int64_t wrong = 0;
  for (std::int64_t d = 0; d < block.num_destinations; ++d) {
    for (auto e = block.offsets[d] - block.offsets[0]; e < block.offsets[d + 1] - block.offsets[0]; ++e) {
      wrong += block.col[e] != d || block.row[e] < 0 || block.row[e] >= block.num_sources ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("blocks chain: the sources of a layer are the destinations of the one before") {
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    for (auto const& list : glt_test::adversarial_graphs()) {
      CAPTURE(list.name);
      if (list.num_vertices == 0) {
        continue;
      }
      auto const graph = glt::make_csr<cpu>(list.view());
      glt::neighbor_sampler<cpu> sampler(graph.view(),
                                         {.fanouts = {3, 2, 2}, .expand = expand, .edge_ids = glt::edge_positions});
      glt::sampled_subgraph<cpu> out;
      std::vector<glt::local_id> const seeds{static_cast<glt::local_id>(list.num_vertices - 1), 0};
      sampler.sample(seeds, {.step = 3}, out);
      std::int64_t edges = 0;
      for (int layer = 0; layer < 3; ++layer) {
        auto const block = out.block(layer);
        check_block(block);
        edges += block.num_edges();
        CHECK(block.edge_ids.size() == block.num_edges());
        if (layer > 0) {
          CHECK(block.num_sources == out.block(layer - 1).num_destinations);
        }
      }
      CHECK(out.block(0).num_sources == out.nodes().size());
      CHECK(out.block(2).num_destinations == out.num_sampled_nodes()[0]);
      if (expand == glt::frontier::all) {
        CHECK(edges == out.row().size()); // every hop is one block
      } else {
        CHECK(out.block(0).num_edges() == out.row().size()); // the first layer uses all hops
      }
    }
  }
}

TEST_CASE("a layer that does not exist is refused") {
  glt::sampled_subgraph<cpu> const empty;
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(empty.block(0)); }),
                        "layer 0 of 0"));
}

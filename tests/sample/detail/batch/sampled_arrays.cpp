// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/subgraph.hpp>

#include <glt/memory/policy.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;

namespace {

// Two hops over an edge type: 2 vertices were expanded to 3 edges, then, if fresh, 1 to 2 edges, else 3 to 2.
detail::sampled_edges<device::cpu> two_hops(frontier expand) {
  detail::sampled_edges<device::cpu> edges;
  edges.resize(5, expand == frontier::fresh ? 3 : 5, true);
  std::vector<edge_offset> const fresh{0, 1, 3, 5};
  std::vector<edge_offset> const all{0, 1, 3, 3, 3, 5};
  for (std::int64_t i = 0; i < edges.offsets.size(); ++i) {
    edges.offsets[i] = (expand == frontier::fresh ? fresh : all)[static_cast<std::size_t>(i)];
  }
  for (std::int64_t e = 0; e < 5; ++e) {
    edges.row[e] = static_cast<local_id>(10 + e);
    edges.col[e] = static_cast<local_id>(20 + e);
    edges.edge_ids[e] = 30 + e;
  }
  edges.num_sampled = {3, 2};
  return edges;
}

} // namespace

TEST_CASE("a block of fresh frontiers has the edges of all hops nearer to the seeds, one of whole frontiers its own") {
  std::vector<std::int64_t> const sources{4, 2, 1};
  std::vector<std::int64_t> const destinations{2, 1, 0};
  auto const fresh = two_hops(frontier::fresh);
  auto const inner = fresh.block(1, frontier::fresh, sources, destinations);
  CHECK(inner.num_sources == 6);
  CHECK(inner.num_destinations == 2);
  CHECK(inner.offsets.size() == 3);
  CHECK(inner.num_edges() == 3);
  auto const outer = fresh.block(0, frontier::fresh, sources, destinations);
  CHECK(outer.num_sources == 7);
  CHECK(outer.num_destinations == 3);
  CHECK(outer.offsets.size() == 4);
  CHECK(outer.offsets[3] == 5);
  CHECK(outer.row[0] == 10);
  CHECK(outer.num_edges() == 5);

  auto all = two_hops(frontier::all);
  auto const own = all.block(0, frontier::all, sources, destinations);
  CHECK(own.num_sources == 7);
  CHECK(own.num_destinations == 3);
  CHECK(own.offsets[0] == 3);
  CHECK(own.offsets[3] == 5);
  CHECK(own.row[0] == 13);
  CHECK(own.col[1] == 24);
  CHECK(own.edge_ids[1] == 34);
  CHECK(own.num_edges() == 2);
  all.edge_ids.clear();
  CHECK(all.block(0, frontier::all, sources, destinations).edge_ids.empty());
  for (int const layer : {-1, 2}) {
    CHECK(glt_test::names(glt_test::thrown<precondition_error>(
                              [&] { static_cast<void>(all.block(layer, frontier::all, sources, destinations)); }),
                          "of 2", "outermost"));
  }
}

TEST_CASE("arrays are resized together, what was not asked for excepted") {
  detail::sampled_edges<device::cpu> edges;
  edges.clear();
  CHECK(edges.offsets.size() == 1);
  CHECK_THROWS_AS(static_cast<void>(edges.block(0, frontier::all, {}, {})), precondition_error);
  edges.resize(4, 2, true);
  edges.resize(6, 3, false);
  CHECK(edges.row.size() == 6);
  CHECK(edges.col.size() == 6);
  CHECK(edges.offsets.size() == 4);
  CHECK(edges.edge_ids.size() == 4);
  edges.clear();
  CHECK(edges.row.empty());
  CHECK(edges.edge_ids.empty());

  detail::sampled_vertices<device::cpu, local_id> vertices;
  vertices.resize(3, true);
  CHECK(vertices.batch.size() == 3);
  vertices.resize(5, false);
  CHECK(vertices.nodes.size() == 5);
  CHECK(vertices.batch.empty());
}

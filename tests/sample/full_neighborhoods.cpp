// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/full_neighborhoods.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/layerwise.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

using glt::device::cpu;
using glt_test::layer_of;
using glt_test::naive_layer;

namespace {

std::vector<glt::detail::row_batch_limits> limits_to_try() {
  return {{.max_edges = 1, .max_rows = 1}, {.max_edges = 7, .max_rows = 3}, {.max_edges = 100, .max_rows = 5}, {}};
}

} // namespace

TEST_CASE("sums over batches, layer by layer, are those over the whole graph: every graph, limit, number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    for (auto const& limits : limits_to_try()) {
      if (limits.max_edges == 1 && list.num_edges() > 5000) {
        continue;
      }
      for (int const threads : {1, 3}) {
        for (bool const ids : {false, true}) {
          glt::full_neighborhoods<cpu> neighborhoods(graph.view(), {.limits = limits, .edge_ids = ids}, cpu(threads));
          std::vector<std::int64_t> features(static_cast<std::size_t>(list.num_vertices));
          for (std::size_t v = 0; v < features.size(); ++v) {
            features[v] = static_cast<std::int64_t>(3 * v + 1);
          }
          auto expected = features;
          for (int layer = 0; layer < 3; ++layer) {
            expected = naive_layer(list, expected, ids);
            std::vector<std::int64_t> next(features.size(), -1);
            std::int64_t steps = 0;
            for (auto const& batch : neighborhoods) {
              CHECK(batch.step == steps++);
              CHECK(batch.block().num_edges() <= limits.max_edges);
              CHECK(batch.block().num_destinations <= limits.max_rows);
              layer_of(batch, features, next, ids);
            }
            CHECK(steps == neighborhoods.num_batches());
            REQUIRE(next == expected);
            features = next;
          }
        }
      }
    }
  }
}

TEST_CASE("a hub does not make a batch larger than the limits, nor its memory") {
  glt_test::edge_list star{"star", 10001, {}, {}};
  for (int v = 1; v <= 10000; ++v) {
    star.add(v, 0);
  }
  auto const graph = glt::make_csr<glt_test::minimal_policy>(
      glt::coo_view<glt::memory_space::pinned>(star.num_vertices, {star.sources.data(), std::ssize(star.sources)},
                                               {star.destinations.data(), std::ssize(star.destinations)}),
      {});
  auto& counts = glt_test::counting_resource::counts();
  auto const before = counts.live_bytes;
  std::int64_t peak = before;
  glt::full_neighborhoods<glt_test::minimal_policy> neighborhoods(graph.view(),
                                                                  {.limits = {.max_edges = 100, .max_rows = 50}});
  std::int64_t pieces = 0;
  for (auto const& batch : neighborhoods) {
    CHECK(batch.nodes().size() <= 150);
    CHECK(batch.block().num_edges() <= 100);
    pieces += batch.block().num_edges() > 0 ? 1 : 0;
    CHECK(batch.rows.first_piece == (batch.step == 0 || batch.rows.first > 0));
    CHECK(batch.rows.last_piece == (batch.step >= 99));
    peak = std::max(peak, counts.live_bytes);
  }
  CHECK(pieces == 100);
  CHECK(neighborhoods.num_batches() == 100 + 200);
  CHECK(peak - before < 150 * 64);
  counts.allocations_left = 0;
  std::int64_t steps = 0;
  for (auto const& batch : neighborhoods) { // a second walk needs no memory
    steps += batch.nodes().empty() ? 0 : 1;
  }
  counts.allocations_left = -1;
  CHECK(steps == 300);
}

TEST_CASE("a list of vertices is walked in its order, and a vertex given twice is one destination of a batch") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const rows = glt_test::naive_rows(list);
  std::vector<glt::local_id> const vertices{250, 3, 3, 0, 17, 0, 3, 256};
  for (auto const& limits : limits_to_try()) {
    glt::full_neighborhoods<cpu> neighborhoods(graph.view(), vertices, {.limits = limits, .edge_ids = true});
    CHECK(neighborhoods.num_vertices() == 8);
    std::vector<std::vector<std::int64_t>> ids(vertices.size());
    for (auto const& batch : neighborhoods) {
      for (std::int64_t i = 0; i < batch.rows.num_rows; ++i) {
        auto const place = static_cast<std::size_t>(batch.rows.first + i);
        auto const node = batch.subgraph.seed_index()[i];
        CHECK(batch.nodes()[node] == vertices[place]);
        auto const block = batch.block();
        for (auto e = block.offsets[node]; e < block.offsets[node + 1]; ++e) {
          CHECK(block.col[e - block.offsets[0]] == node);
          ids[place].push_back(block.edge_ids[e - block.offsets[0]]);
        }
      }
    }
    for (std::size_t place = 0; place < vertices.size(); ++place) {
      std::vector<std::int64_t> expected;
      for (auto const& edge : rows[static_cast<std::size_t>(vertices[place])]) {
        expected.push_back(edge.second);
      }
      CHECK(ids[place] == expected);
    }
  }
}

TEST_CASE("no vertices give no batches, and padding adds empty ones") {
  auto const list = glt_test::random_graph(101, 37);
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<glt::local_id> const none;
  glt::full_neighborhoods<cpu> neighborhoods(graph.view(), none);
  CHECK(neighborhoods.num_batches() == 0);
  CHECK(neighborhoods.begin() == neighborhoods.end());
  neighborhoods.pad_to(3);
  std::int64_t steps = 0;
  for (auto const& batch : neighborhoods) {
    CHECK(batch.nodes().empty());
    CHECK(batch.block().num_edges() == 0);
    CHECK(batch.rows.num_rows == 0);
    ++steps;
  }
  CHECK(steps == 3);

  glt::full_neighborhoods<cpu> all(graph.view());
  CHECK(all.num_batches() == 1);
  all.pad_to(2);
  steps = 0;
  for (auto const& batch : all) {
    CHECK(batch.nodes().size() == (steps++ == 0 ? 101 : 0));
  }
  CHECK(steps == 2);
}

TEST_CASE("bad limits, vertices without rows and padding to less are refused") {
  auto const list = glt_test::random_graph(101, 37);
  auto const graph = glt::make_csr<cpu>(list.view());
  using walk = glt::full_neighborhoods<cpu>;
  auto const refusal = [](auto f) { return glt_test::thrown<glt::precondition_error>(f); };
  CHECK(glt_test::names(refusal([&] { walk(graph.view(), {.limits = {.max_edges = 0}}); }), "at most 0 edges",
                        "1 or more"));
  CHECK(glt_test::names(refusal([&] { walk(graph.view(), {}, {}, 5); }), "[5, 106)", "101"));
  CHECK(glt_test::names(refusal([&] { walk(graph.view(), {}, {}, -1); }), "[-1, 100)"));
  std::vector<glt::local_id> const vertices{5, 101};
  CHECK(glt_test::names(refusal([&] { walk(graph.view(), vertices); }), "vertex 1 of the list is 101", "[0, 101)"));
  walk whole(graph.view());
  CHECK(glt_test::names(refusal([&] { whole.pad_to(0); }), "padding of 1 batches to 0"));
}

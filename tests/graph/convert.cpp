// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/graphs.hpp"

#include <glt/graph/convert.hpp>
#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("rows hold the edges of the list, in the order of the list") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    for (int const threads : {1, 3}) {
      auto const rows = make_csr(graph.view(), {.edge_ids = true}, device::cpu(threads));
      CHECK(rows.view().num_rows() == graph.num_vertices);
      CHECK(rows.view().num_columns() == graph.num_vertices);
      CHECK(rows.view().num_edges() == graph.num_edges());
      CHECK(rows_of(rows.view()) == naive_rows(graph));
    }
  }
}

TEST_CASE("out-edges are the in-edges of the reversed list") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto reversed = graph;
    std::swap(reversed.sources, reversed.destinations);
    auto const rows = make_csr<device::cpu>(graph.view(), {.by_source = true, .edge_ids = true});
    CHECK(rows_of(rows.view()) == naive_rows(reversed));
  }
}

TEST_CASE("edge ids are kept only when asked for") {
  auto const graph = random_graph(31, 77);
  auto const without = make_csr<device::cpu>(graph.view());
  auto const with = make_csr<device::cpu>(graph.view(), {.edge_ids = true});
  CHECK_FALSE(without.view().has_edge_ids());
  CHECK(with.view().has_edge_ids());
  CHECK(to_vector(without.view().sources()) == to_vector(with.view().sources()));
}

TEST_CASE("64-bit ids and a minimal policy give the same rows") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const n = graph.num_edges();
    buffer<minimal_policy, global_id> sources(n);
    buffer<minimal_policy, global_id> destinations(n);
    for (std::int64_t i = 0; i < n; ++i) {
      sources[i] = graph.sources[static_cast<std::size_t>(i)];
      destinations[i] = graph.destinations[static_cast<std::size_t>(i)];
    }
    coo_graph<minimal_policy, global_id> const wide(graph.num_vertices, std::move(sources), std::move(destinations));
    auto const rows = make_csr<minimal_policy>(wide.view(), {.edge_ids = true});
    auto const view = rows.view();
    csr_view<memory_space::host, global_id> const host(
        view.num_columns(), {view.offsets().data(), view.offsets().size()},
        {view.sources().data(), view.sources().size()}, {view.edge_ids().data(), view.edge_ids().size()});
    CHECK(rows_of(host) == naive_rows(graph));
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/metis/partitioner.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

TEST_CASE("every edge stands in the rows of both ends, once, with the number of edges it stands for") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    std::map<std::pair<idx_t, idx_t>, idx_t> expected;
    for (std::size_t i = 0; i < list.sources.size(); ++i) {
      if (list.sources[i] != list.destinations[i]) {
        ++expected[{list.sources[i], list.destinations[i]}];
        ++expected[{list.destinations[i], list.sources[i]}];
      }
    }
    auto const graph = glt::detail::make_metis_graph(glt::make_csr<glt::device::cpu>(list.view()).view());
    REQUIRE(graph.offsets.size() == static_cast<std::size_t>(list.num_vertices) + 1);
    REQUIRE(graph.weights.size() == graph.neighbors.size());
    CHECK(graph.offsets.front() == 0);
    CHECK(static_cast<std::size_t>(graph.offsets.back()) == graph.neighbors.size());
    std::vector<std::pair<std::pair<idx_t, idx_t>, idx_t>> found;
    for (std::size_t v = 0; v + 1 < graph.offsets.size(); ++v) {
      for (auto e = static_cast<std::size_t>(graph.offsets[v]); e < static_cast<std::size_t>(graph.offsets[v + 1]);
           ++e) {
        found.push_back({{static_cast<idx_t>(v), graph.neighbors[e]}, graph.weights[e]});
      }
    }
    // Rows ascend, so the order is that of the map.
    CHECK(found == std::vector<std::pair<std::pair<idx_t, idx_t>, idx_t>>(expected.begin(), expected.end()));
  }
}

TEST_CASE("what METIS cannot count is refused before anything is read") {
  if constexpr (sizeof(idx_t) == 4) {
    glt::edge_offset const no_offset = 0;
    glt::global_id const no_source = 0;
    auto const complaint = [&](std::int64_t vertices, std::int64_t edges) {
      // Lengths without memory behind them.
      glt::csr_view<glt::memory_space::host, glt::global_id> const graph(vertices, {&no_offset, vertices + 1},
                                                                         {&no_source, edges});
      return glt_test::thrown<glt::precondition_error>(
          [&] { static_cast<void>(glt::detail::make_metis_graph(graph)); });
    };
    CHECK(glt_test::names(complaint(std::int64_t{1} << 31, 0), "number of vertices is 2147483648", "32-bit",
                          "ldg_partitioner or fennel_partitioner", "IDXTYPEWIDTH 64"));
    CHECK(glt_test::names(complaint(0, std::int64_t{1} << 30), "twice the number of edges", "2147483648"));
    CHECK(glt_test::names(complaint(0, std::numeric_limits<std::int64_t>::max() / 8), "number of edges"));
    CHECK(glt_test::names(complaint(0, std::numeric_limits<std::int64_t>::max()), "number of edges"));
  }
  CHECK_NOTHROW(glt::detail::check_metis_size(std::numeric_limits<idx_t>::max(), "size"));
}

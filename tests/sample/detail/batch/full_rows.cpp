// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/full_rows.hpp>

#include "support/graphs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using glt::device::cpu;

TEST_CASE("full rows and pieces of rows are what the naive rows hold, from any first vertex on") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    auto const rows = glt_test::naive_rows(list);
    for (glt::local_id const first_vertex : {0, 1000}) {
      std::vector<glt::local_id> vertices;
      for (std::int64_t i = 0; i < list.num_vertices; i += 2) {
        vertices.push_back(static_cast<glt::local_id>(first_vertex + i * 7 % list.num_vertices));
      }
      for (bool const ids : {false, true}) {
        glt::hop_sample<cpu, glt::local_id> out;
        for (int threads : {1, 3}) {
          glt::copy_full_rows(cpu(threads), graph.view(), glt::host_view<glt::local_id const>(vertices), first_vertex,
                              ids, out);
          std::vector<std::int64_t> sources;
          std::vector<std::int64_t> edge_ids;
          for (std::size_t i = 0; i < vertices.size(); ++i) {
            CHECK(out.offsets[static_cast<std::int64_t>(i)] == static_cast<std::int64_t>(sources.size()));
            for (auto const& [source, id] : rows[static_cast<std::size_t>(vertices[i] - first_vertex)]) {
              sources.push_back(source);
              edge_ids.push_back(id);
            }
          }
          CHECK(std::vector<std::int64_t>(out.sources.begin(), out.sources.end()) == sources);
          CHECK(glt_test::to_vector(out.edge_ids) == (ids ? edge_ids : std::vector<std::int64_t>{}));
        }
        for (auto const vertex : vertices) {
          auto const& row = rows[static_cast<std::size_t>(vertex - first_vertex)];
          auto const size = static_cast<std::int64_t>(row.size());
          auto const first = size / 3;
          auto const count = size / 2;
          glt::copy_row_piece(graph.view(), glt::host_view<glt::local_id const>(&vertex, 1), first_vertex, first, count,
                              ids, out);
          CHECK(glt_test::to_vector(out.offsets) == std::vector<std::int64_t>{0, count});
          REQUIRE(out.sources.size() == count);
          REQUIRE(out.edge_ids.size() == (ids ? count : 0));
          for (std::int64_t e = 0; e < count; ++e) {
            auto const& [source, id] = row[static_cast<std::size_t>(first + e)];
            CHECK(out.sources[e] == source);
            CHECK((!ids || out.edge_ids[e] == id));
          }
        }
      }
    }
  }
}

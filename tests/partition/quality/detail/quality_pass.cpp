// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/partition/quality/partition_quality.hpp>

#include <glt/exec/sequential.hpp>

#include <utility>
#include <vector>

using namespace glt;

TEST_CASE("vertices are grouped by part, in their order") {
  std::vector<local_id> const part_of{2, 0, 2, 0, 2};
  std::vector<local_id> const types{0, 1, 1, 0, 0};
  detail::measured_vertices<local_id> const vertices(part_of, 3, 4, 2, types);
  auto const order = std::vector<local_id>(vertices.by_part.begin(), vertices.by_part.end());
  CHECK(order == std::vector<local_id>{1, 3, 0, 2, 4});
  CHECK(vertices.book.size(1) == 0);
  CHECK(vertices.type_of(2) == 1);
  CHECK(detail::measured_vertices<local_id>(part_of, 3, 4, 1).type_of(2) == 0);
}

TEST_CASE("a source that two relations share is in the halo once") {
  std::vector<edge_offset> const offsets{0, 2};
  std::vector<local_id> const sources{0, 0};
  csr_view<memory_space::host> const relation(1, offsets, sources);
  std::vector<local_id> const first{0};
  std::vector<local_id> const second{1};
  detail::measured_vertices<local_id> rows(second, 2, 0, 1);
  detail::measured_vertices<local_id> columns(first, 2, 1, 1);
  detail::quality_pass pass(2, 2);
  for (int repeat = 0; repeat < 2; ++repeat) {
    CHECK(pass.count_edges(relation, rows, columns, 1, exec::sequential{}) == detail::edge_counts{2, 2});
    CHECK(pass.count_edges(relation, rows, columns, 0, exec::sequential{}) == detail::edge_counts{});
    if (repeat == 0) {
      CHECK(columns.states[0].seen_by == 1);
    }
  }
  pass.count_vertices(rows);
  pass.count_vertices(columns);
  auto const quality = std::move(pass).result({"rows", "columns"});
  CHECK(quality.num_edges == 4);
  CHECK(quality.halo_size == 1);
  CHECK(quality.parts[0].communication_volume == 1);
  CHECK(quality.node_types[1].parts[1].halo_size == 1);
  CHECK(quality.node_types[0].num_boundary_vertices == 1);
  CHECK(quality.edges(0, 1) == 4);
}

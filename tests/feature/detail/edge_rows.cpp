// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/feature/feature_table.hpp>

#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <vector>

using glt::device::cpu;

TEST_CASE("edges have the rows in whose order their ids were given; others are named") {
  std::vector<glt::edge_id> const ids{7, 0, 99, std::int64_t{1} << 40};
  glt::detail::edge_rows<cpu> const rows(glt::make_buffer<cpu>(ids), 4);
  CHECK(rows.size() == 4);
  std::vector<glt::local_id> found;
  std::vector<glt::edge_id> wanted{99, 7, 7, std::int64_t{1} << 40};
  rows.find(glt::host_view<glt::edge_id const>(wanted), found);
  CHECK(found == std::vector<glt::local_id>{2, 0, 0, 3});
  wanted[1] = 8;
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { rows.find(glt::host_view<glt::edge_id const>(wanted), found); }),
      "edge 1 has the id 8", "among the 4"));
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { glt::detail::edge_rows<cpu>(glt::make_buffer<cpu>(ids), 3); }),
      "3 rows for 4 edges"));
  glt::detail::edge_rows<cpu> const none;
  none.find({}, found);
  CHECK(found.empty());
}

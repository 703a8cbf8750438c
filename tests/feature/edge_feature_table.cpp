// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/feature/edge_feature_table.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"

#include <cstdint>
#include <vector>

using glt::device::cpu;

TEST_CASE("features of edges are gathered by name and id") {
  std::vector<glt::edge_id> const ids{7, 0, 99, 4};
  glt::edge_feature_table<cpu> const table(glt::make_buffer<cpu>(ids), glt_test::named_table(ids));
  CHECK(table.num_edges() == 4);
  CHECK(table.rows().names().size() == 6);
  std::vector<glt::edge_id> const wanted{99, 7, 99};
  auto const years = table.gather<std::int64_t>("year", glt::host_view<glt::edge_id const>(wanted));
  auto const small = table.gather<float>("small", glt::host_view<glt::edge_id const>(wanted));
  for (std::int64_t i = 0; i < 3; ++i) {
    auto const id = wanted[static_cast<std::size_t>(i)];
    CHECK(static_cast<float>(years.view().features(i, 0)) == glt_test::named_value(id, 1, 0));
    CHECK(small.view().features(i, 1) == 2 * glt_test::named_value(id, 2, 1));
  }
  auto const refused = [&](char const* name, glt::edge_id id) {
    return glt_test::thrown<glt::precondition_error>([&] {
      std::vector<glt::edge_id> const bad{id};
      static_cast<void>(table.gather<float>(name, glt::host_view<glt::edge_id const>(bad)));
    });
  };
  CHECK(glt_test::names(refused("weight", 7), "no features \"weight\"", "\"year\""));
  CHECK(glt_test::names(refused("year", 8), "has the id 8"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          glt::edge_feature_table<cpu>(glt::make_buffer<cpu>(ids), glt_test::named_table({1, 2}));
                        }),
                        "2 rows for 4 edges"));
}

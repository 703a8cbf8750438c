// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_sources.hpp>

#include <glt/feature/detail/id_table.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt::detail::edge_key;

TEST_CASE_TEMPLATE("edges are found by their ids, flagged like the rows of their destinations", Policy,
                   GLT_TEST_POLICIES) {
  Policy const policy;
  // Row r of the features is that of edge 5 r + 2.
  std::vector<glt::edge_id> known;
  for (std::int64_t row = 0; row < 3000; ++row) {
    known.push_back(5 * row + 2);
  }
  glt::detail::id_table<Policy> const table(glt::make_buffer<Policy>(known, policy));

  // Sorted keys: place p of the list of edges goes to the front.
  std::vector<glt::edge_id> edges;
  std::vector<glt::local_id> rows;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 2500; ++i) {
    edges.push_back(known[static_cast<std::size_t>(i * 17 % 3000)]);
    rows.push_back(i < 400 ? ~static_cast<glt::local_id>(i) : static_cast<glt::local_id>(i));
    places.push_back((i * 7 + 3) % 2500);
  }
  auto const find = [&] {
    auto const edges_there = glt::make_buffer<Policy>(edges, policy);
    auto const rows_there = glt::make_buffer<Policy>(rows, policy);
    auto const places_there = glt::make_buffer<Policy>(places, policy);
    auto const size = rows_there.size();
    glt::buffer<Policy, edge_key> keys(size, policy);
    policy.executor().for_each(size, glt::detail::list_edge_keys<Policy::space>{edges_there.data(), rows_there.view(),
                                                                                places_there.view(), keys.data()});
    glt::buffer<Policy, glt::local_id> found(size, policy);
    glt::detail::find_edge_rows(policy, keys.data(), size, table.view(), found.data());
    return glt::to_vector(policy, std::as_const(found).view());
  };
  auto const found = find();
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const expected = static_cast<glt::local_id>(places[i] * 17 % 3000);
    CHECK(found[i] == (i < 400 ? ~expected : expected));
  }

  edges[static_cast<std::size_t>(places[1203])] = 77000; // none of 5 r + 2
  edges[static_cast<std::size_t>(places[2011])] = -1;
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(find), "edge 1203 has the id 77000",
                        "not among the 3000"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/named_edge_features.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using glt::device::cpu;

TEST_CASE("ranks keep features of their edges, and those that differ get one error") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    std::vector<glt::global_id> offsets;
    for (int part = 0; part <= comm.size(); ++part) {
      offsets.push_back(part);
    }
    glt::partition_book const book(offsets);
    std::vector<glt::edge_id> const own(comm.rank() > 0 ? 1 : 0, 4); // rank 0 has none
    auto const table = [&] {
      return glt::edge_feature_table<cpu>(glt::make_buffer<cpu>(own), glt_test::named_table(own));
    };
    glt::dist::named_edge_features const features(comm, book, table());
    CHECK(features.local().num_edges() == (comm.rank() > 0 ? 1 : 0));
    CHECK(features.book().num_parts() == comm.size());
    auto const error = glt_test::thrown<glt::collective_error>([&] {
      auto odd = glt::edge_feature_table<cpu>(glt::make_buffer<cpu>(own), glt::feature_table<cpu>(std::ssize(own)));
      glt::dist::named_edge_features(comm, book, comm.rank() == last ? std::move(odd) : table());
    });
    if (last > 0) {
      CHECK(glt_test::names(error, "rank " + std::to_string(last), "nothing where rank 0 has \"title\""));
      auto alone = comm.split(comm.rank(), 0);
      CHECK(glt_test::names(
          glt_test::thrown<glt::collective_error>([&] { glt::dist::named_edge_features(alone, book, table()); }),
          "parts on 1 ranks"));
    }
  });
}

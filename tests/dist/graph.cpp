// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/graph.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <string>
#include <utility>

using glt_test::divided_graph;
using glt_test::on_ranks;

TEST_CASE("a distributed graph knows its part and the whole") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    for (auto const& partitioner : glt_test::all_partitioners()) {
      divided_graph const divided(list, partitioner, comm.size());
      glt::dist::graph const graph(comm, divided.part(comm.rank()));
      CHECK(graph.num_vertices() == 257);
      CHECK(graph.part() == comm.rank());
      CHECK(graph.local().num_rows() == graph.book().size(comm.rank()));
      CHECK(graph.original().size() == graph.local().num_rows());
    }
  });
}

TEST_CASE("parts that do not fit together are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(101, 370);
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    auto const random = glt_test::all_partitioners()[1];
    divided_graph const divided(list, random, comm.size());
    divided_graph const too_many(list, random, comm.size() + 1);
    auto const refused = [&](glt::graph_part<glt_test::cpu> part) {
      return glt_test::thrown<glt::collective_error>([&] { glt::dist::graph(comm, std::move(part)); });
    };
    auto const parts = refused(comm.rank() == last ? too_many.part(last) : divided.part(comm.rank()));
    CHECK(glt_test::names(parts, text, std::to_string(comm.size() + 1) + " parts"));
    auto part = divided.part(comm.rank());
    if (comm.rank() == last) {
      part.original.resize(part.original.size() - 1);
    }
    CHECK(glt_test::names(refused(std::move(part)), text, "original ids"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused(divided.part(0)), "rank 1", "part 0"));
      divided_graph const other(list, glt_test::all_partitioners()[4], comm.size());
      auto const books = refused(comm.rank() == last ? other.part(last) : divided.part(comm.rank()));
      CHECK(glt_test::names(books, text, "another partition book"));
    }
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hetero_graph.hpp>

#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using glt_test::divided_hetero_graph;
using glt_test::on_ranks;

TEST_CASE("a distributed heterogeneous graph knows its part and the whole") {
  on_ranks([](auto comm) {
    for (auto const& list : glt_test::adversarial_hetero_graphs()) {
      divided_hetero_graph const divided(list, comm.size());
      glt::dist::hetero_graph const graph(comm, divided.part(comm.rank()));
      CHECK(graph.part() == comm.rank());
      CHECK(graph.schema() == list.schema);
      for (int t = 0; t < list.schema.num_node_types(); ++t) {
        CHECK(graph.book(t) == divided.names[static_cast<std::size_t>(t)].book);
        CHECK(graph.original(t).size() == graph.book(t).size(comm.rank()));
      }
      for (int e = 0; e < list.schema.num_edge_types(); ++e) {
        CHECK(graph.local(e).num_rows() == graph.book(list.schema.destination_type(e)).size(comm.rank()));
        CHECK(graph.local(e).num_columns() == list.schema.num_vertices(list.schema.source_type(e)));
      }
    }
  });
}

TEST_CASE("parts that do not fit together are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(33);
    auto const last = comm.size() - 1;
    bool const is_last = comm.rank() == last;
    auto const text = "rank " + std::to_string(last);
    divided_hetero_graph const divided(list, comm.size());
    divided_hetero_graph const too_many(list, comm.size() + 1);
    auto const refused = [&](glt::hetero_part<glt_test::cpu> part) {
      return glt_test::thrown<glt::collective_error>([&] { glt::dist::hetero_graph(comm, std::move(part)); });
    };
    auto const changed = [&](auto change) {
      auto part = divided.part(comm.rank());
      if (is_last) {
        change(part);
      }
      return refused(std::move(part));
    };
    CHECK(glt_test::names(refused(is_last ? too_many.part(last) : divided.part(comm.rank())), text, "'paper'",
                          std::to_string(comm.size() + 1) + " parts"));
    CHECK(glt_test::names(changed([](auto& part) { part.part += 1; }), text, "was given part"));
    CHECK(glt_test::names(changed([](auto& part) { part.books.pop_back(); }), text, "3 books", "4 node types"));
    CHECK(glt_test::names(changed([](auto& part) { part.relations.pop_back(); }), text, "6 relations", "7 edge types"));
    CHECK(glt_test::names(changed([](auto& part) { part.original[1].resize(part.original[1].size() + 1); }), text,
                          "original ids", "'author'"));
    CHECK(glt_test::names(changed([](auto& part) { std::swap(part.relations[0], part.relations[1]); }), text,
                          "(author, writes, paper)"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused(divided.part(0)), "rank 1", "part 0"));
      divided_hetero_graph const other(list, comm.size(), 4);
      CHECK(glt_test::names(refused(is_last ? other.part(last) : divided.part(comm.rank())), text, "partition books"));
      auto const renamed = changed([](auto& part) {
        std::vector<glt::hetero_schema::edge_type> edges(part.schema.edge_types().begin(),
                                                         part.schema.edge_types().end());
        edges[2].name = "refers_to";
        part.schema = {{part.schema.node_types().begin(), part.schema.node_types().end()}, edges};
      });
      CHECK(glt_test::names(renamed, text, "other types"));
    }
  });
}

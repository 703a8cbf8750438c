// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/detail/exclusion_exchange.hpp>

#include "support/errors.hpp"
#include "support/naive_links.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::divided_graph;
using glt_test::on_ranks;
using edge = glt::vertex_pair<glt::global_id>;

namespace {

std::vector<edge> wanted_out(glt_test::edge_list const& list, divided_graph const& divided, int rank, int round) {
  std::vector<edge> edges;
  auto const seed = static_cast<std::uint64_t>(rank + 10 * round);
  for (auto const& [source, destination] : glt_test::some_positives(list, 4 * ((rank + round) % 3), seed)) {
    edges.push_back({divided.names.renumbered[source], divided.names.renumbered[destination]});
  }
  return edges;
}

} // namespace

TEST_CASE("owners know what every rank excludes from their rows") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        divided_graph const divided(list, partitioner, comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        glt::dist::exclusion_exchange exclusions(comm, graph);
        for (int round = 0; round < 3; ++round) {
          bool const reverses = round % 2 == 1;
          auto const mine = wanted_out(list, divided, comm.rank(), round);
          exclusions.exclude(mine, reverses, {.what = glt::operation::exclude, .step = round});
          for (int rank = 0; rank < comm.size(); ++rank) {
            auto const theirs = wanted_out(list, divided, rank, round);
            auto const rows = graph.local();
            bool all_equal = true;
            for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
              auto const vertex = graph.book().begin(comm.rank()) + row;
              std::vector<glt::edge_offset> expected;
              for (std::int64_t i = 0; i < rows.degree(row); ++i) {
                auto const source = rows.source(rows.offset(row) + i);
                bool const out = std::ranges::find(theirs, edge{source, vertex}) != theirs.end();
                bool const back = reverses && std::ranges::find(theirs, edge{vertex, source}) != theirs.end();
                if (out || back) {
                  expected.push_back(i);
                }
              }
              all_equal = all_equal && glt_test::to_vector(exclusions.of(rank).of(row)) == expected;
            }
            INFO(list.name, ", ", partitioner.name, ", requester ", rank);
            CHECK(all_equal);
          }
        }
      }
    }
  });
}

TEST_CASE("an edge outside the graph, or a failure, of one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::exclusion_exchange exclusions(comm, graph);
    auto const refused = [&](edge bad, std::string const& failure) {
      std::vector<edge> const edges{{1, 2}, comm.rank() == last ? bad : edge{3, 4}};
      return glt_test::thrown<glt::collective_error>(
          [&] { exclusions.exclude(edges, false, {}, comm.rank() == last ? failure : ""); });
    };
    CHECK(glt_test::names(refused({1, 101}, ""), name, "101"));
    CHECK(glt_test::names(refused({-1, 1}, ""), name, "-1"));
    CHECK(refused({1, 1}, "no memory") == name + ": no memory");
    exclusions.exclude({}, false, {}); // all ranks are still together
  });
}

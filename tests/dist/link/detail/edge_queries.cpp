// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/detail/edge_queries.hpp>

#include <glt/comm/counting.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

template <class Vertex>
void check_pairs(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner) {
  divided_graph const divided(list, partitioner, comm.size());
  glt::dist::graph const graph(comm, divided.template part<Vertex>(comm.rank()));
  auto const pairs = glt_test::pairs_of(list.view());
  std::set<std::pair<std::int64_t, std::int64_t>> const edges(pairs.begin(), pairs.end());
  glt::dist::edge_queries queries(comm, graph, cpu(comm.rank() % 2 + 1));
  for (int round = 0; round < 2; ++round) {
    std::vector<std::int64_t> sources;
    std::vector<std::int64_t> destinations;
    std::vector<std::uint8_t> expected;
    auto const size = list.num_vertices == 0 ? 0 : 11 * ((comm.rank() + round) % 3);
    for (int i = 0; i < size; ++i) {
      bool const edge = i % 2 == 0 && !pairs.empty();
      auto const at = static_cast<std::size_t>(i * 13 + comm.rank());
      sources.push_back(edge ? pairs[at % pairs.size()].first : (i * 5 + 1) % list.num_vertices);
      destinations.push_back(edge ? pairs[at % pairs.size()].second : (i * 3 + comm.rank()) % list.num_vertices);
      expected.push_back(edges.contains({sources.back(), destinations.back()}) ? 1 : 0);
    }
    std::vector<std::uint8_t> found(sources.size(), 9);
    queries.test(divided.template renumbered<Vertex>(sources), divided.template renumbered<Vertex>(destinations),
                 found);
    INFO(list.name, ", ", partitioner.name);
    CHECK(found == expected);
  }
}

} // namespace

TEST_CASE("wire edges have no gaps and keep their ends") {
  static_assert(sizeof(glt::dist::wire_edge<glt::global_id>) == 12);
  static_assert(sizeof(glt::dist::wire_edge<glt::local_id>) == 8);
  glt::dist::wire_edge<glt::global_id> const edge(7, std::int64_t{1} << 40);
  CHECK(edge.row() == 7);
  CHECK(edge.source() == std::int64_t{1} << 40);
}

TEST_CASE("pairs are tested at the owners of their destinations") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_pairs<glt::global_id>(comm, list, partitioner);
      }
      check_pairs<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
    }
  });
}

TEST_CASE("a test is one header exchange and two payload exchanges, and the bytes of the formula") {
  on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part<glt::global_id>(comm.rank()));
    glt::dist::edge_queries queries(comm, graph);
    std::vector<glt::global_id> all(257);
    std::vector<std::uint8_t> found(257);
    for (std::size_t i = 0; i < 257; ++i) {
      all[i] = static_cast<glt::global_id>(i);
    }
    comm.reset();
    queries.test(all, all, found);
    auto const own = graph.local().num_rows();
    CHECK(comm.counts().total().collectives == (comm.size() == 1 ? 0 : 3));
    CHECK(comm.counts().payload.bytes == 12 * (257 - own) + own * (comm.size() - 1));
  });
}

TEST_CASE("bad pairs of one rank are the same error on every rank, and a foreign graph is refused") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::edge_queries queries(comm, graph);
    std::vector<glt::global_id> const good{1, 2};
    std::vector<glt::global_id> const bad{1, comm.rank() == last ? 101 : 2};
    std::vector<std::uint8_t> found(2);
    auto const refused = [&](auto const& sources, auto const& destinations, std::size_t places) {
      std::vector<std::uint8_t> out(places);
      return glt_test::thrown<glt::collective_error>([&] { queries.test(sources, destinations, out); });
    };
    CHECK(glt_test::names(refused(bad, good, 2), name, "source of a pair 1 is 101"));
    CHECK(glt_test::names(refused(good, bad, 2), name, "destination of a pair 1 is 101"));
    CHECK(glt_test::names(refused(good, good, comm.rank() == last ? 3 : 2), name, "2 sources", "into 3 places"));
    queries.test(good, good, found); // all ranks are still together
    auto alone = comm.split(comm.rank(), 0);
    if (comm.size() > 1) {
      CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { glt::dist::edge_queries(alone, graph); }),
                            "communicator"));
    }
  });
}

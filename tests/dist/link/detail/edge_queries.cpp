// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/detail/edge_queries.hpp>

#include <glt/comm/counting.hpp>

#include "support/device_parts.hpp"
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

template <class Policy, class Vertex>
void check_pairs(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner) {
  divided_graph const divided(list, partitioner, comm.size());
  Policy policy;
  if constexpr (glt::host_policy<Policy>) {
    policy = Policy(comm.rank() % 2 + 1);
  }
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, Vertex>(divided, comm.rank(), policy));
  auto const pairs = glt_test::pairs_of(list.view());
  std::set<std::pair<std::int64_t, std::int64_t>> const edges(pairs.begin(), pairs.end());
  glt::detail::edge_queries queries(comm, glt::detail::part_of_relation(graph), policy);
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
    auto const from = glt::make_buffer<Policy>(divided.template renumbered<Vertex>(sources), policy);
    auto const to = glt::make_buffer<Policy>(divided.template renumbered<Vertex>(destinations), policy);
    glt::buffer<Policy, std::uint8_t> found(from.size(), policy);
    queries.test(from.view(), to.view(), found.view());
    INFO(list.name, ", ", partitioner.name);
    CHECK(glt::to_vector(policy, found.view()) == expected);
  }
}

} // namespace

TEST_CASE("pairs are tested at the owners of their destinations") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_pairs<cpu, glt::global_id>(comm, list, partitioner);
      }
      check_pairs<cpu, glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
    }
  });
}

TEST_CASE_TEMPLATE("pairs are tested on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_pairs<Policy, glt::global_id>(comm, glt_test::random_graph(257, 999), partitioner);
    check_pairs<Policy, glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
  });
}

TEST_CASE("a test is one header exchange and two payload exchanges, and the bytes of the formula") {
  on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part<glt::global_id>(comm.rank()));
    glt::detail::edge_queries queries(comm, glt::detail::part_of_relation(graph), cpu());
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
    glt::detail::edge_queries queries(comm, glt::detail::part_of_relation(graph), cpu());
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
      CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                                [&] { glt::detail::edge_queries(alone, glt::detail::part_of_relation(graph), cpu()); }),
                            "communicator"));
    }
  });
}

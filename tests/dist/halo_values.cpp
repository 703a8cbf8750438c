// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/halo_values.hpp>

#include <glt/comm/counting.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

std::int64_t time_of(std::int64_t vertex) {
  return vertex * vertex % 1009 - 500;
}

// The times of the vertices of a rank's part.
std::vector<std::int64_t> own_times(divided_graph const& divided, int rank) {
  std::vector<std::int64_t> times;
  for (auto v = divided.names.book.begin(rank); v < divided.names.book.end(rank); ++v) {
    times.push_back(time_of(divided.names.original[v]));
  }
  return times;
}

template <class Vertex, class Policy = glt::device::cpu>
void check_sources(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner) {
  INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank(), " of ", comm.size());
  divided_graph const divided(list, partitioner, comm.size());
  Policy const policy;
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, Vertex>(divided, comm.rank(), policy));
  auto const own = glt::make_buffer<Policy>(own_times(divided, comm.rank()), policy);
  auto const originals = glt::dist::make_source_values(comm, graph, policy);
  auto const times = glt::dist::make_source_values(comm, graph.book(), graph.local(), own.view(), policy);
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> expected_times;
  for (auto const id : glt::to_vector(policy, graph.local().edge_ids())) {
    expected.push_back(list.sources[static_cast<std::size_t>(id)]);
    expected_times.push_back(time_of(expected.back()));
  }
  CHECK(glt::to_vector(policy, originals.view()) == expected);
  CHECK(glt::to_vector(policy, times.view()) == expected_times);
}

} // namespace

TEST_CASE("every edge learns the original id and the value of its source") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_sources<glt::global_id>(comm, list, partitioner);
      }
      check_sources<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
    }
  });
}

TEST_CASE_TEMPLATE("every edge learns the same on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_sources<glt::global_id, Policy>(comm, glt_test::random_graph(257, 999), partitioner);
    check_sources<glt::local_id, Policy>(comm, glt_test::random_graph(101, 37), partitioner);
  });
}

TEST_CASE("it costs a header exchange and two payload exchanges, 12 bytes a halo vertex") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::graph const graph(counted, divided.part(comm.rank()));
    std::set<std::int64_t> halo;
    for (auto const source : graph.local().sources()) {
      if (graph.book().owner(source) != comm.rank()) {
        halo.insert(source);
      }
    }
    counted.reset();
    static_cast<void>(glt::dist::make_source_values(counted, graph));
    auto const traffic = counted.counts().total();
    CHECK(traffic.collectives == (comm.size() == 1 ? 0 : 3));
    std::vector<std::int64_t> sums{traffic.bytes, glt::detail::header_bytes * (comm.size() - 1) +
                                                      12 * static_cast<std::int64_t>(halo.size())};
    comm.all_reduce(std::span(sums), glt::reduction::sum);
    CHECK(sums[0] == sums[1]);
    CHECK((comm.size() == 1 || sums[1] > 1000));
  });
}

TEST_CASE("what is wrong on one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const& book = graph.book();
    auto const refused = [&](glt::partition_book const& of, auto rows, std::vector<std::int64_t> const& own) {
      return glt_test::thrown<glt::collective_error>(
          [&] { static_cast<void>(glt::dist::make_source_values(comm, of, rows, own)); });
    };
    auto const own = own_times(divided, comm.rank());

    auto fewer = own;
    if (comm.rank() == last) {
      fewer.pop_back();
    }
    CHECK(glt_test::names(refused(book, graph.local(), fewer), text, std::to_string(book.size(last) - 1) + " values",
                          "one value per vertex"));

    auto sources = glt_test::to_vector(graph.local().sources());
    if (comm.rank() == last) {
      sources[1] = 257;
    }
    glt::csr_view<glt::memory_space::host, glt::global_id> const outside(257, graph.local().offsets(), sources);
    CHECK(glt_test::names(refused(book, outside, own), text, "vertex 257", "[0, 257)"));

    std::vector<glt::global_id> offsets(book.offsets().begin(), book.offsets().end());
    offsets.push_back(257);
    glt::partition_book const other(std::move(offsets));
    CHECK(glt_test::names(refused(comm.rank() == last ? other : book, graph.local(), own), text,
                          std::to_string(comm.size() + 1) + " parts"));

    // All ranks are still together.
    CHECK(refused(book, graph.local(), own) == "(nothing was thrown)");
  });
}

TEST_CASE("a graph made for other ranks is refused on every rank") {
  on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        auto reversed = comm.split(0, -comm.rank());
        auto const error = glt_test::thrown<glt::collective_error>(
            [&] { static_cast<void>(glt::dist::make_source_values(reversed, graph)); });
        auto const last = std::to_string(comm.size() - 1);
        CHECK(glt_test::names(error, "part " + last + " on rank " + last, "communicator"));
      },
      {2, 4});
}

TEST_CASE("a rank without memory for the result takes no other one along into waiting") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const own = own_times(divided, comm.rank());
    glt_test::scarce_resource::allocations_left = comm.rank() == last ? 0 : -1;
    auto const error = glt_test::thrown<glt::collective_error>([&] {
      static_cast<void>(
          glt::dist::make_source_values(comm, graph.book(), graph.local(), own, glt_test::scarce_policy{}));
    });
    glt_test::scarce_resource::allocations_left = -1;
    CHECK(glt_test::names(error, "rank " + std::to_string(last), "alloc"));
  });
}

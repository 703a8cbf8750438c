// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/vertex_directory.hpp>

#include <glt/comm/counting.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

using originals_view = glt::host_view<glt::global_id const>;

template <class Policy, class Vertex>
void check_both_ways(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner) {
  divided_graph const divided(list, partitioner, comm.size());
  Policy const policy;
  glt::dist::graph const graph(comm, glt_test::device_part<Policy, Vertex>(divided, comm.rank(), policy));
  glt::dist::vertex_directory directory(comm, graph, policy);
  INFO(list.name, ", ", partitioner.name);
  CHECK(directory.kept().size() == directory.book().size(comm.rank()));
  for (std::int64_t step = 0; step < 3; ++step) {
    auto const originals = glt_test::seeds_of(comm.rank(), step, list.num_vertices);
    auto const there = glt::make_buffer<Policy>(originals, policy);
    glt::buffer<Policy, Vertex> vertices(there.size(), policy);
    bool const any = directory.look_up(there.view(), vertices.view());
    CHECK(glt::to_vector(policy, vertices.view()) == divided.template renumbered<Vertex>(originals));
    glt::buffer<Policy, glt::global_id> back(there.size(), policy);
    CHECK(directory.originals_of(vertices.view(), back.view()) == any);
    CHECK(glt::to_vector(policy, back.view()) == originals);
    bool somebody = false;
    for (int rank = 0; rank < comm.size(); ++rank) {
      somebody = somebody || !glt_test::seeds_of(rank, step, list.num_vertices).empty();
    }
    CHECK(any == somebody);
  }
}

} // namespace

TEST_CASE("books of equal shares") {
  CHECK(glt::detail::make_equal_book(10, 3) == glt::partition_book({0, 4, 7, 10}));
  CHECK(glt::detail::make_equal_book(2, 4) == glt::partition_book({0, 1, 2, 2, 2}));
  CHECK(glt::detail::make_equal_book(0, 2) == glt::partition_book({0, 0, 0}));
}

TEST_CASE("ids are translated both ways, on every graph and partition") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_both_ways<cpu, glt::global_id>(comm, list, partitioner);
      }
      check_both_ways<cpu, glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
    }
  });
}

TEST_CASE_TEMPLATE("ids are translated both ways on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_both_ways<Policy, glt::global_id>(comm, glt_test::random_graph(257, 999), partitioner);
    check_both_ways<Policy, glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
    divided_graph const divided(glt_test::random_graph(101, 370), partitioner, comm.size());
    Policy const policy;
    auto part = divided.part(comm.rank());
    if (part.original.size() > 1) {
      part.original[0] = part.original[1];
    }
    glt::dist::graph const twice(comm, glt::graph_part<Policy, glt::global_id>{
                                           part.book, part.part, glt::copy<Policy>(part.graph.view(), policy),
                                           glt::make_buffer<Policy>(part.original.view(), policy)});
    CHECK(glt_test::names(
        glt_test::thrown<glt::collective_error>([&] { glt::dist::vertex_directory(comm, twice, policy); }),
        "belongs to two vertices", "permutation"));
  });
}

TEST_CASE("a look-up is one header exchange and two payload exchanges of 4 bytes and an id") {
  on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part<glt::local_id>(comm.rank()));
    glt::dist::vertex_directory directory(comm, graph);
    std::vector<glt::global_id> originals(257);
    std::vector<glt::local_id> vertices(257);
    for (std::size_t i = 0; i < 257; ++i) {
      originals[i] = static_cast<std::int64_t>(i);
    }
    comm.reset();
    directory.look_up(originals, vertices);
    auto const kept = directory.book().size(comm.rank());
    auto const ranks = comm.size();
    CHECK(comm.counts().total().collectives == (ranks == 1 ? 0 : 3));
    CHECK(comm.counts().payload.bytes == 4 * (257 - kept) + 4 * kept * (ranks - 1));
  });
}

TEST_CASE("ids outside the graph, and original ids that are no permutation, are the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::vertex_directory directory(comm, graph);
    std::vector<glt::global_id> const ids{3, comm.rank() == last ? 101 : 5};
    std::vector<glt::global_id> out(2);
    auto const refused = [](auto const& call) { return glt_test::thrown<glt::collective_error>(call); };
    CHECK(glt_test::names(refused([&] { directory.look_up(ids, out); }), name, "101"));
    CHECK(glt_test::names(refused([&] { directory.originals_of(ids, out); }), name, "101"));
    std::vector<glt::global_id> const good{3, 5};
    auto const places = glt::host_view<glt::global_id>(out).subview(0, comm.rank() == last ? 1 : 2);
    CHECK(glt_test::names(refused([&] { directory.look_up(good, places); }), name, "2 ids into 1 places"));
    std::string const failure = comm.rank() == last ? "no seeds" : "";
    CHECK(refused([&] { directory.originals_of({}, {}, {.what = glt::detail::operation::look_up}, failure); }) ==
          name + ": no seeds");

    auto part = divided.part(comm.rank());
    if (part.original.size() > 1) {
      part.original[0] = part.original[1];
    }
    glt::dist::graph const twice(comm, std::move(part));
    CHECK(glt_test::names(refused([&] { glt::dist::vertex_directory(comm, twice); }), "belongs to two vertices",
                          "permutation"));
    auto other = divided.part(comm.rank());
    if (other.original.size() > 0 && comm.rank() == last) {
      other.original[0] = 500;
    }
    glt::dist::graph const outside(comm, std::move(other));
    CHECK(glt_test::names(refused([&] { glt::dist::vertex_directory(comm, outside); }), name, "original id 0 is 500",
                          "[0, 101)"));
    directory.look_up(good, out); // all ranks are still together
    CHECK(out == divided.renumbered(good));
  });
}

TEST_CASE("a graph made for other ranks is refused on every rank") {
  on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        auto alone = comm.split(comm.rank(), 0);
        auto const refused =
            glt_test::thrown<glt::collective_error>([&] { glt::dist::vertex_directory(alone, graph); });
        CHECK(glt_test::names(refused, "rank " + std::to_string(comm.rank()), "communicator"));
      },
      {2, 4});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/induced_subgraph.hpp>

#include <glt/comm/counting.hpp>

#include "support/device_parts.hpp"
#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/naive_induced.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::naive_induced;
using glt_test::on_ranks;
using glt_test::plain;

namespace {

template <class Vertex, class Policy = cpu>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                           Policy const& policy = {}) {
  glt_test::compared_graph<Vertex, Policy> const compared(comm, list, partitioner, [&](divided_graph const& divided) {
    return glt_test::device_part<Policy, Vertex>(divided, comm.rank(), policy);
  });
  for (auto const& options : std::vector<glt::induced_options>{{.edge_ids = true},
                                                               {.num_hops = 1},
                                                               {.num_hops = 2, .edge_ids = true},
                                                               {.fanouts = {3, 2}, .edge_ids = true},
                                                               {.fanouts = {4}}}) {
    glt::dist::induced_sampler sampler(comm, compared.graph(), options, policy);
    glt::sampled_subgraph<Policy, Vertex> out;
    INFO(options.num_hops, " hops and ", options.fanouts.size(), " fanouts");
    compared.check(
        comm,
        [&](auto const& ids, auto const&, auto key) {
          auto const there = glt::make_buffer<Policy>(ids, policy);
          sampler.sample(there.view(), key, out);
          return glt_test::plain_copy(policy, out, compared.original());
        },
        [&](auto const& seeds, auto key) { return naive_induced(list, seeds, options, key); });
  }
}

} // namespace

TEST_CASE("distributed induced subgraphs equal the definition, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        if (list.num_edges() < 5000 || partitioner.name == "ldg") { // large ones once
          check_equal_to_serial<glt::global_id>(comm, list, partitioner);
        }
      }
      check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner, cpu(3));
    }
  });
}

TEST_CASE_TEMPLATE("induced subgraphs across ranks are the same on any policy", Policy, GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_equal_to_serial<glt::global_id, Policy>(comm, glt_test::random_graph(257, 999), partitioner);
    check_equal_to_serial<glt::local_id, Policy>(comm, glt_test::random_graph(101, 1370), partitioner);
    check_equal_to_serial<glt::global_id, Policy>(comm, {"empty", 0, {}, {}}, partitioner);
  });
}

TEST_CASE("no more of a communicator is needed than the concept lists") {
  on_ranks([](auto comm) {
    glt_test::minimal_communicator minimal(comm);
    check_equal_to_serial<glt::global_id>(minimal, glt_test::random_graph(101, 370), glt_test::all_partitioners()[1]);
  });
}

TEST_CASE("messages in pieces of 16 bytes change nothing" * glt_test::needs_mpi) {
  glt_test::on_ranks_limited([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_equal_to_serial<glt::global_id>(comm, glt_test::random_graph(101, 370), partitioner);
    check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
  });
}

TEST_CASE("the last round costs the bytes of the formula, whatever the degrees") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(3001, 60011, 9);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    for (bool const ids : {false, true}) {
      glt::counting_comm counted(comm);
      glt::dist::graph graph(counted, divided.part(comm.rank()));
      glt::dist::induced_sampler sampler(counted, graph, {.edge_ids = ids});
      std::vector<std::int64_t> original;
      for (std::int64_t v = comm.rank(); v < 3001; v += 7) {
        original.push_back(v);
      }
      glt::sampled_subgraph<cpu, glt::global_id> out;
      counted.reset();
      sampler.sample(divided.renumbered(original), {}, out);
      std::int64_t bytes = 0;
      std::set<int> owners;
      for (auto const node : out.nodes()) {
        if (auto const owner = graph.book().owner(node); owner != comm.rank()) {
          owners.insert(owner);
          bytes += 4; // how many edges
        }
      }
      for (auto const col : out.col()) {
        bytes += graph.book().owner(out.nodes()[col]) != comm.rank() ? (ids ? 12 : 4) : 0;
      }
      bytes += static_cast<std::int64_t>(owners.size()) * 4 * (out.nodes().size() + comm.size());
      auto const traffic = counted.counts();
      std::vector<std::int64_t> sums{bytes, traffic.payload.bytes + traffic.replies.bytes};
      comm.all_reduce(std::span(sums), glt::reduction::sum);
      CHECK(sums[0] == sums[1]);
      if (comm.size() > 1) {
        CHECK(bytes > 1000);
        CHECK(traffic.total().collectives == 3);
      }
    }
  });
}

TEST_CASE("a bad seed, step or option of one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    auto const list = glt_test::random_graph(101, 370);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    for (std::int64_t const hops : {0, 1}) {
      glt::dist::induced_sampler sampler(comm, graph, {.num_hops = hops});
      glt::sampled_subgraph<cpu, glt::global_id> out;
      std::vector<glt::global_id> seeds{1, 2};
      sampler.sample(seeds, {}, out);
      auto const before = plain(out);

      auto bad = seeds;
      bad[1] = odd ? 101 : 2;
      auto const bad_seed = glt_test::thrown<glt::collective_error>([&] { sampler.sample(bad, {}, out); });
      CHECK(glt_test::names(bad_seed, name, "seed 1 is 101", "[0, 101)"));
      if (odd) {
        CHECK(plain(out) == before);
      }
      if (comm.size() > 1) {
        auto const other_step =
            glt_test::thrown<glt::collective_error>([&] { sampler.sample(seeds, {.step = odd ? 1 : 0}, out); });
        CHECK(glt_test::names(other_step, name, "sample step 1", "sample step 0"));
      }
      // All ranks are still together.
      sampler.sample(seeds, {}, out);
      CHECK(plain(out) == before);
    }
    auto const bad_hops = glt_test::thrown<glt::collective_error>(
        [&] { glt::dist::induced_sampler(comm, graph, {.num_hops = odd ? -1 : 1}); });
    CHECK(glt_test::names(bad_hops, name, "-1 hops"));
    if (comm.size() > 1) {
      auto const other_hops = glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::induced_sampler(comm, graph, {.num_hops = odd ? 2 : 1}); });
      CHECK(glt_test::names(other_hops, name, "other options"));
      auto const other_fanouts = glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::induced_sampler(comm, graph, {.fanouts = {3, odd ? 2 : 1}}); });
      CHECK(glt_test::names(other_fanouts, name, "other options"));
      auto alone = comm.split(comm.rank(), 0);
      auto const other_ranks =
          glt_test::thrown<glt::collective_error>([&] { glt::dist::induced_sampler(alone, graph, {}); });
      CHECK(glt_test::names(other_ranks, "rank " + std::to_string(comm.rank()), "communicator"));
    }
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/hotness.hpp>

#include <glt/comm/counting.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
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
using glt_test::on_ranks;
using glt_test::seeds_of;

namespace {

std::vector<glt::local_id> joined_seeds(int ranks, std::int64_t vertices) {
  std::vector<glt::local_id> seeds;
  for (int rank = 0; rank < ranks; ++rank) {
    for (auto const seed : seeds_of(rank, 4, vertices)) {
      seeds.push_back(static_cast<glt::local_id>(seed));
    }
  }
  return seeds;
}

template <class Vertex, class Policy = cpu>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                           Policy const& policy = {}) {
  divided_graph const divided(list, partitioner, comm.size());
  glt::dist::graph graph(comm, glt_test::device_part<Policy, Vertex>(divided, comm.rank(), policy));
  for (auto const& neighbors : {glt::neighbor_options{.fanouts = {3, 2, 4}},
                                glt::neighbor_options{.fanouts = {3, 2}, .replace = true, .expand = glt::frontier::all},
                                glt::neighbor_options{.fanouts = {-1}}}) {
    for (std::int64_t const batch_size : {5, 1000}) {
      glt::hotness_options const options{.neighbors = neighbors, .batch_size = batch_size};
      auto const seeds = glt::make_buffer<Policy>(
          divided.template renumbered<Vertex>(seeds_of(comm.rank(), 4, list.num_vertices)), policy);
      auto const part = glt::dist::estimate_hotness(comm, graph, seeds.view(), options, policy);
      auto const all_seeds = joined_seeds(comm.size(), list.num_vertices);
      auto const whole = glt::estimate_hotness<cpu>(divided.whole.view(), all_seeds, options);
      std::vector<double> expected;
      for (auto const vertex : glt::to_vector(policy, graph.original())) {
        expected.push_back(whole[vertex]);
      }
      INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank(), " of ", comm.size());
      CHECK(glt::to_vector(policy, part.view()) == expected);
    }
  }
}

} // namespace

TEST_CASE("distributed hotness equals serial hotness, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_equal_to_serial<glt::global_id>(comm, list, partitioner);
      }
      check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner, cpu(3));
    }
  });
}

TEST_CASE_TEMPLATE("hotness across ranks is the same on any policy", Policy, GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    check_equal_to_serial<glt::global_id, Policy>(comm, glt_test::random_graph(257, 999), partitioner);
    check_equal_to_serial<glt::local_id, Policy>(comm, glt_test::random_graph(257, 4099), partitioner);
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
    check_equal_to_serial<glt::global_id>(comm, glt_test::random_graph(101, 370), glt_test::all_partitioners()[1]);
  });
}

TEST_CASE("a hub fed by all ranks for certain is 1, not an overflow") {
  on_ranks([](auto comm) {
    glt_test::edge_list star{"star, outward", 4001, {}, {}};
    for (int v = 1; v <= 4000; ++v) {
      star.add(0, v);
      star.add(0, v);
    }
    divided_graph const divided(star, glt_test::all_partitioners()[3], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    std::vector<glt::global_id> own;
    for (auto v = graph.book().begin(comm.rank()); v < graph.book().end(comm.rank()); ++v) {
      own.push_back(v);
    }
    auto const hot =
        glt::dist::estimate_hotness(comm, graph, own, {.neighbors = {.fanouts = {1}}, .batch_size = 3999}, cpu());
    for (auto const p : hot) {
      CHECK(p > 0.999);
      CHECK(p <= 1);
    }
  });
}

TEST_CASE("a hop moves 8 bytes a vertex of the halo, which is announced once with 4") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(3001, 20011, 9);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::graph graph(counted, divided.part(comm.rank()));
    std::set<std::int64_t> halo;
    for (auto const source : graph.local().sources()) {
      if (graph.book().owner(source) != comm.rank()) {
        halo.insert(source);
      }
    }
    std::vector<glt::global_id> own;
    for (auto v = graph.book().begin(comm.rank()); v < graph.book().end(comm.rank()); ++v) {
      own.push_back(v);
    }
    counted.reset();
    static_cast<void>(glt::dist::estimate_hotness(counted, graph, own, {.neighbors = {.fanouts = {5, 5, 5}}}, cpu()));
    auto const traffic = counted.counts();
    CHECK(traffic.payload.bytes == static_cast<std::int64_t>(halo.size()) * (4 + 3 * 8));
    CHECK((comm.size() == 1 || halo.size() > 100));
    CHECK((comm.size() == 1 || traffic.headers.collectives == 4));
    CHECK(traffic.payload.collectives == (comm.size() == 1 ? 0 : 4));
  });
}

TEST_CASE("a bad seed, option or communicator of one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    auto const list = glt_test::random_graph(101, 370);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    std::vector<glt::global_id> seeds{1, 2};
    auto const refusal = [&](glt::hotness_options const& options) {
      return glt_test::thrown<glt::collective_error>(
          [&] { static_cast<void>(glt::dist::estimate_hotness(comm, graph, seeds, options, cpu())); });
    };
    bool const odd = comm.rank() == last;
    CHECK(glt_test::names(refusal({.neighbors = {.fanouts = {odd ? -3 : 2}}}), name, "fanout -3"));
    CHECK(glt_test::names(refusal({.neighbors = {.fanouts = {2}}, .batch_size = odd ? 0 : 1}), name, "of 0 seeds"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refusal({.neighbors = {.fanouts = {odd ? 3 : 2}}}), name, "other options"));
      CHECK(glt_test::names(refusal({.neighbors = {.fanouts = {2}}, .batch_size = odd ? 3 : 2}), name, "options"));
      auto alone = comm.split(comm.rank(), 0);
      auto const other_ranks = glt_test::thrown<glt::collective_error>([&] {
        glt::hotness_options const options{.neighbors = {.fanouts = {2}}};
        static_cast<void>(glt::dist::estimate_hotness(alone, graph, seeds, options, cpu()));
      });
      CHECK(glt_test::names(other_ranks, "rank " + std::to_string(comm.rank()), "communicator"));
    }
    if (odd) {
      seeds[1] = 101;
    }
    CHECK(glt_test::names(refusal({.neighbors = {.fanouts = {2}}}), name, "seed 1 is 101", "[0, 101)"));
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/random_walk.hpp>

#include <glt/comm/counting.hpp>

#include "support/equal_walks.hpp"
#include "support/errors.hpp"
#include "support/naive_walks.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::names;
using glt_test::on_ranks;

namespace {

std::vector<glt::walk_options> options_to_try() {
  return {{.length = 1},
          {.length = 19, .walks_per_start = 2, .edge_ids = true},
          {.length = 30},
          {.length = 13, .walks_per_start = 3, .restart = 0.3, .edge_ids = true}};
}

template <class Vertex>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                           int threads = 1) {
  glt_test::check_walks<Vertex>(
      comm, list, partitioner, options_to_try(),
      [&](auto& counted, auto const& graph, auto const& options) {
        return glt::dist::random_walker(counted, graph, options, cpu(threads));
      },
      [&](auto const& starts, auto const& options, auto key) {
        return glt_test::naive_walks(list, starts, options, key);
      });
}

} // namespace

TEST_CASE("distributed walks equal serial walks, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_equal_to_serial<glt::global_id>(comm, list, partitioner);
      }
      check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner, 3);
    }
  });
}

TEST_CASE("messages in pieces of 16 bytes change nothing" * glt_test::needs_mpi) {
  glt_test::on_ranks_limited([](auto comm) {
    check_equal_to_serial<glt::global_id>(comm, glt_test::random_graph(101, 370), glt_test::all_partitioners()[1]);
  });
}

TEST_CASE("a graph in one part makes one rank walk for all, in several rounds of bounded memory") {
  on_ranks(
      [](auto comm) {
        auto const list = glt_test::random_graph(257, 4099);
        divided_graph const divided(list, glt_test::all_partitioners()[4], comm.size());
        glt::dist::graph graph(comm, divided.part(comm.rank()));
        glt::walk_options const options{.length = 60, .walks_per_start = 20000};
        std::vector<std::int64_t> starts;
        if (comm.rank() == 0) {
          starts.push_back(3);
        }
        glt::dist::random_walker walker(comm, graph, options);
        glt::walks<cpu, glt::global_id> out;
        walker.walk(divided.renumbered(starts), {.seed = 7}, out);
        CHECK((glt_test::plain(out, [&](auto, auto vertex) { return divided.names.original[vertex]; }) ==
               glt_test::naive_walks(list, starts, options, {.seed = 7})));
      },
      {2});
}

TEST_CASE("walks cost one exchange a round, and the bytes of the formula") {
  on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(3001, 20011, 9);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    auto const& book = divided.names.book;
    auto const owner = [&](std::int64_t original) { return book.owner(divided.names.renumbered[original]); };
    for (auto const& options : {glt::walk_options{.length = 20}, glt::walk_options{.length = 9, .edge_ids = true},
                                glt::walk_options{.length = 12, .restart = 0.2, .edge_ids = true}}) {
      glt::counting_comm counted(comm);
      glt::dist::graph graph(counted, divided.part<glt::local_id>(comm.rank()));
      glt::dist::random_walker walker(counted, graph, options);
      auto const starts = glt_test::some_starts(3001, 30 + comm.rank());
      glt::walks<cpu, glt::local_id> out;
      counted.reset();
      walker.walk(divided.renumbered<glt::local_id>(starts), {.seed = 1}, out);
      auto const traffic = counted.counts();
      std::int64_t crossed = 0;
      std::int64_t told = 0;
      for (auto const& walk : glt_test::naive_walks(list, starts, options, {.seed = 1}).vertices) {
        crossed += owner(walk[0]) != comm.rank() ? 1 : 0;
        for (std::size_t s = 1; s < walk.size() && walk[s] >= 0; ++s) {
          told += owner(walk[s - 1]) != comm.rank() ? 1 : 0;
          crossed += s + 1 < walk.size() && owner(walk[s]) != owner(walk[s - 1]) ? 1 : 0;
        }
      }
      auto const walker_bytes = options.restart > 0 ? 32 : 24;
      auto const visit_bytes = options.edge_ids ? 20 : 12;
      std::vector<std::int64_t> sums{crossed * walker_bytes + told * visit_bytes,
                                     traffic.payload.bytes - 8 * traffic.payload.messages, crossed};
      comm.all_reduce(std::span(sums), glt::reduction::sum);
      CHECK(sums[0] == sums[1]);
      CHECK((comm.size() == 1 || sums[2] > 100));
      if (comm.size() > 1) {
        CHECK(traffic.headers.collectives <= 1 + options.length);
        CHECK(traffic.headers.collectives >= 4);
        CHECK(traffic.payload.collectives <= traffic.headers.collectives);
        CHECK(traffic.total().collectives == traffic.headers.collectives + traffic.payload.collectives);
      }
    }
  });
}

TEST_CASE("walks that stay inside parts need no rounds for their steps") {
  on_ranks([](auto comm) {
    glt_test::edge_list ring{"ring", 4000, {}, {}};
    for (int v = 0; v < 4000; ++v) {
      ring.add((v + 1) % 4000, v);
    }
    divided_graph const divided(ring, glt_test::all_partitioners()[0], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::graph graph(counted, divided.part(comm.rank()));
    glt::dist::random_walker walker(counted, graph, {.length = 500});
    glt::walks<cpu, glt::global_id> out;
    counted.reset();
    walker.walk(std::vector{graph.book().begin(comm.rank())}, {}, out);
    CHECK((comm.size() == 1 || counted.counts().total().collectives == 2));
    CHECK(std::as_const(out).vertices()(0, 500) == graph.book().begin(comm.rank()) + 500);
  });
}

TEST_CASE("a bad start, option, key or communicator of one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    auto const list = glt_test::random_graph(101, 370);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    auto const refused = [](auto f) { return glt_test::thrown<glt::collective_error>(f); };
    auto const make = [&](glt::walk_options const& options) {
      return refused([&] { glt::dist::random_walker(comm, graph, options, cpu()); });
    };
    CHECK(names(make({.length = odd ? 0 : 2}), name, "0 steps"));
    CHECK(names(make({.length = 2, .restart = odd ? 2.0 : 0.1}), name, "probability 2"));
    glt::dist::random_walker walker(comm, graph, {.length = 3}, cpu());
    CHECK(walker.options().length == 3);
    glt::walks<cpu, glt::global_id> out;
    std::vector<glt::global_id> const starts{1, odd ? 101 : 2};
    CHECK(names(refused([&] { walker.walk(starts, {}, out); }), name, "start 1 is 101", "[0, 101)"));
    if (comm.size() > 1) {
      CHECK(names(make({.length = odd ? 3 : 2}), name, "other options"));
      CHECK(names(make({.length = 2, .walks_per_start = odd ? 3 : 2}), name, "other options"));
      CHECK(names(make({.length = 2, .restart = odd ? 0.1 : 0.2}), name, "other options"));
      CHECK(names(make({.length = 2, .edge_ids = odd}), name, "other options"));
      CHECK(names(refused([&] { walker.walk({}, {.seed = odd ? 1U : 0U}, out); }), name, "another key"));
      CHECK(names(refused([&] { walker.walk({}, {.epoch = odd ? 1 : 0}, out); }), name, "another key"));
      CHECK(names(refused([&] { walker.walk({}, {.step = odd ? 1 : 0}, out); }), name, "walk step 1", "walk step 0"));
      auto alone = comm.split(comm.rank(), 0);
      CHECK(names(refused([&] { glt::dist::random_walker(alone, graph, {.length = 2}, cpu()); }),
                  "rank " + std::to_string(comm.rank()), "communicator"));
    }
    // All ranks are still together.
    walker.walk(divided.renumbered({5, 6}), {}, out);
    CHECK(glt_test::plain(out, [&](auto, auto vertex) { return divided.names.original[vertex]; }) ==
          glt_test::naive_walks(list, {5, 6}, {.length = 3}, {}));
  });
}

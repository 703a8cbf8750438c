// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/node2vec_walk.hpp>

#include "support/equal_walks.hpp"
#include "support/errors.hpp"
#include "support/naive_walks.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::names;
using glt_test::on_ranks;

namespace {

std::vector<glt::node2vec_options> options_to_try() {
  return {{.length = 9, .walks_per_start = 2, .p = 0.25, .q = 4, .edge_ids = true},
          {.length = 12, .p = 4, .q = 0.25},
          {.length = 7, .p = 0.5, .q = 0.3, .edge_ids = true},
          {.length = 4, .p = 1e-5, .q = 0.5, .edge_ids = true},
          {.length = 4, .q = 1e-5, .edge_ids = true},
          {.length = 4, .q = 1e5}};
}

template <class Vertex>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                           int threads = 1) {
  glt_test::check_walks<Vertex>(
      comm, list, partitioner, options_to_try(),
      [&](auto& counted, auto const& graph, auto const& options) {
        return glt::dist::node2vec_walker(counted, graph, options, cpu(threads));
      },
      [&](auto const& starts, auto const& options, auto key) {
        return glt_test::naive_node2vec_walks(list, starts, options, key);
      },
      2);
}

} // namespace

TEST_CASE("distributed node2vec walks equal serial ones, bit for bit") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        check_equal_to_serial<glt::global_id>(comm, list, partitioner);
      }
      check_equal_to_serial<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner, 3);
    }
  });
}

TEST_CASE("messages in pieces of 16 bytes change nothing for node2vec walks" * glt_test::needs_mpi) {
  glt_test::on_ranks_limited([](auto comm) {
    check_equal_to_serial<glt::global_id>(comm, glt_test::random_graph(101, 370), glt_test::all_partitioners()[1]);
  });
}

TEST_CASE("a bad start, option, key or communicator of one rank is the same node2vec error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    auto const refused = [](auto f) { return glt_test::thrown<glt::collective_error>(f); };
    auto const make = [&](glt::node2vec_options const& options) {
      return refused([&] { glt::dist::node2vec_walker(comm, graph, options, cpu()); });
    };
    CHECK(names(make({.length = odd ? 0 : 2}), name, "0 steps"));
    CHECK(names(make({.length = 2, .q = odd ? -1.0 : 1.0}), name, "q = -1"));
    glt::dist::node2vec_walker walker(comm, graph, {.length = 3, .q = 2}, cpu());
    glt::walks<cpu, glt::global_id> out;
    std::vector<glt::global_id> const starts{1, odd ? -1 : 2};
    CHECK(names(refused([&] { walker.walk(starts, {}, out); }), name, "start 1 is -1", "[0, 101)"));
    if (comm.size() > 1) {
      CHECK(names(make({.length = odd ? 3 : 2}), name, "other options"));
      CHECK(names(make({.length = 2, .p = odd ? 3.0 : 2.0}), name, "other options"));
      CHECK(names(make({.length = 2, .q = odd ? 3.0 : 2.0}), name, "other options"));
      CHECK(names(refused([&] { walker.walk({}, {.seed = odd ? 1U : 0U}, out); }), name, "another key"));
      auto alone = comm.split(comm.rank(), 0);
      CHECK(names(refused([&] { glt::dist::node2vec_walker(alone, graph, {.length = 2}, cpu()); }),
                  "rank " + std::to_string(comm.rank()), "communicator"));
    }
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/metapath_walk.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/shared/shared_graph.hpp>

#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/hetero_graphs.hpp"
#include "support/hetero_parts.hpp"
#include "support/naive_walks.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::names;
using glt_test::on_ranks;

namespace {

template <class Vertex>
void check_equal_to_serial(auto& comm, glt_test::hetero_list const& list, std::vector<int> const& types,
                           glt::metapath_options const& options, std::size_t shift, int threads = 1) {
  glt_test::divided_hetero_graph const divided(list, comm.size(), shift);
  auto node = glt_test::node_of(comm);
  auto shared = glt::dist::share(node, divided.template part<Vertex>(comm.rank()));
  glt::dist::hetero_graph graph(comm, std::move(shared.own));
  glt::counting_comm counted(comm);
  glt::dist::metapath_walker walker(counted, graph, types, options, cpu(threads));
  CHECK(walker.options().length == options.length);
  auto const start_type = list.schema.destination_type(types[0]);
  std::vector<glt_test::naive_relation> path;
  for (auto const type : types) {
    path.push_back(glt_test::naive_rows(list, type));
  }
  auto const name = [&](std::int64_t column, std::int64_t vertex) {
    auto const taken = static_cast<std::size_t>(column - 1) % types.size();
    auto const type = column == 0 ? start_type : list.schema.source_type(types[taken]);
    return divided.names[static_cast<std::size_t>(type)].original[vertex];
  };
  glt::walks<cpu, Vertex> out;
  glt_test::for_each_neighborhood(shared.neighborhood, comm.rank(), walker, [&](bool all) {
    counted.reset();
    glt_test::check_batches(
        comm, list.name, 3,
        [&](std::int64_t step) { return glt_test::seeds_of(comm.rank(), step, list.schema.num_vertices(start_type)); },
        [&](auto const& starts, auto key) {
          std::vector<std::vector<std::int64_t>> by_type(divided.names.size());
          by_type[static_cast<std::size_t>(start_type)] = starts;
          walker.walk(divided.template renumbered<Vertex>(by_type)[static_cast<std::size_t>(start_type)], key, out);
          return glt_test::plain(out, name);
        },
        [&](auto const& starts, auto key) {
          return glt_test::naive_metapath_walks(
              path, starts,
              {.length = options.length, .walks_per_start = options.walks_per_start, .edge_ids = options.edge_ids},
              key);
        });
    CHECK((!all || counted.counts().payload.collectives == 0));
  });
}

} // namespace

TEST_CASE("distributed walks along a meta-path equal serial ones, bit for bit") {
  on_ranks([](auto comm) {
    for (std::size_t shift = 0; shift < 5; ++shift) {
      for (std::int64_t const size : {1, 30, 301}) {
        auto const list = glt_test::academic_graph(size);
        check_equal_to_serial<glt::global_id>(comm, list, {2}, {.length = 6}, shift);
        check_equal_to_serial<glt::global_id>(comm, list, {0, 1, 5, 6}, {.length = 17, .edge_ids = true}, shift);
        check_equal_to_serial<glt::local_id>(comm, list, {0, 1, 2}, {.length = 8, .walks_per_start = 2}, shift, 3);
        check_equal_to_serial<glt::local_id>(comm, list, {0, 3}, {.length = 2}, shift);
      }
    }
  });
}

TEST_CASE("messages in pieces of 16 bytes change nothing along a meta-path" * glt_test::needs_mpi) {
  glt_test::on_ranks_limited([](auto comm) {
    check_equal_to_serial<glt::global_id>(comm, glt_test::academic_graph(40), {0, 1}, {.length = 9}, 1);
  });
}

TEST_CASE("a bad start, path, option or communicator of one rank is the same meta-path error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    glt_test::divided_hetero_graph const divided(glt_test::academic_graph(30), comm.size(), 1);
    glt::dist::hetero_graph graph(comm, divided.part(comm.rank()));
    auto const refused = [](auto f) { return glt_test::thrown<glt::collective_error>(f); };
    auto const make = [&](std::vector<int> const& types, glt::metapath_options const& options) {
      return refused([&] { glt::dist::metapath_walker(comm, graph, types, options, cpu()); });
    };
    std::vector<int> const good{0, 1};
    CHECK(names(make(odd ? std::vector<int>{} : good, {.length = 4}), name, "without edge types"));
    CHECK(names(make(odd ? std::vector<int>{0, 2} : good, {.length = 4}), name, "writes", "cites"));
    CHECK(names(make(good, {.length = odd ? 0 : 4}), name, "0 steps"));
    glt::dist::metapath_walker walker(comm, graph, good, {.length = 4}, cpu());
    glt::walks<cpu, glt::global_id> out;
    std::vector<glt::global_id> const starts{1, odd ? 30 : 29};
    CHECK(names(refused([&] { walker.walk(starts, {}, out); }), name, "start 1 is 30", "[0, 30)"));
    if (comm.size() > 1) {
      CHECK(names(make(good, {.length = odd ? 3 : 4}), name, "other options"));
      CHECK(names(make(odd ? std::vector<int>{4, 1} : good, {.length = 4}), name, "other options"));
      auto alone = comm.split(comm.rank(), 0);
      CHECK(names(refused([&] { glt::dist::metapath_walker(alone, graph, good, {.length = 2}, cpu()); }),
                  "rank " + std::to_string(comm.rank()), "communicator"));
    }
  });
}

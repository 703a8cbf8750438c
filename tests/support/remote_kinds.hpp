// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <glt/comm/guard.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/loader_options.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/remote_loader.hpp>
#include <glt/dist/roles/server.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/partition/book.hpp>

#include "counted_batches.hpp"
#include "nodes.hpp"
#include "parts.hpp"
#include "ranks.hpp"
#include "roles.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace glt_test {

/// Parts that vertices are numbered by, so that they have the same numbers on 1, 2 and 3 ranks, which hold several.
inline constexpr int merged_parts = 6;

/// Gives every rank `merged_parts / ranks` of the parts.
inline void merge_parts(glt::partition_book& book, int ranks) {
  std::vector<std::int64_t> offsets;
  for (int rank = 0; rank < ranks; ++rank) {
    offsets.push_back(book.begin(rank * merged_parts / ranks));
  }
  offsets.push_back(book.num_vertices());
  book = glt::partition_book(std::move(offsets));
}

/// A graph of 257 vertices on some ranks, whose vertices have the same numbers on any number of them.
inline divided_graph merged_graph(int ranks) {
  divided_graph divided(random_graph(257, 4099), all_partitioners()[1], merged_parts);
  merge_parts(divided.names.book, ranks);
  return divided;
}

/// A part of it with rows in order of time, and the times of its edges.
inline auto merged_timed_part(int ranks, int rank) {
  std::vector<std::int64_t> times;
  for (std::int64_t e = 0; e < 4099; ++e) {
    times.push_back(e * 37 % 101);
  }
  auto part = merged_graph(ranks).part(rank);
  auto sorted = glt::sort_rows_by_time(part.graph.view(), glt::make_edge_values(part.graph.view(), times).view());
  part.graph = std::move(sorted.graph);
  return std::pair(std::move(part), std::move(sorted.times));
}

/// Seeds of a client, in the numbers of the ranks.
inline std::vector<glt::global_id> client_seeds(int client, std::int64_t num_vertices) {
  std::vector<glt::global_id> seeds;
  for (std::int64_t i = 0; i < 20 + 10 * client; ++i) {
    seeds.push_back((i * 11 + client * 5) % num_vertices);
  }
  return seeds;
}

/// Compares the batches that servers make with those of a loader of one rank, bit by bit, on every number of servers
/// and clients that the ranks allow, as messages and in memory that servers share, which takes a few batches.
///
/// A `Kind` is made of a communicator, and has this rank's part of everything. `kind.recipe()` borrows from it,
/// `kind.options()` is what a client asks for, and `kind.seeds(client)` around what.
template <template <class> class Kind>
void check_remote_kind() {
  constexpr glt::dist::loader_options local{.batch_size = 8, .shuffle = true, .seed = 3};
  auto const serve = [&]<class Comm>(glt::dist::server<Comm>&& server) {
    Kind<Comm> const here(server.roles().group());
    server.offer("batches", here.recipe());
    server.run();
  };
  auto const compare = [&]<class Comm>(glt::dist::client<Comm>&& client, Comm alone) { // returns how many batches
    Kind<Comm> const here(alone);
    auto recipe = here.recipe();
    auto const own = here.seeds(client.roles().group_rank());
    glt::dist::loader plain(alone, recipe.with(here.options()), own, local);
    auto remote = local;
    remote.prefetch = 3;
    glt::dist::remote_loader<Comm, decltype(recipe)> loader(client, "batches", own, here.options(), remote,
                                                            {.together = false});
    REQUIRE(loader.num_steps() == plain.num_steps());
    std::int64_t compared = 0;
    for (std::int64_t const epoch : {0, 1}) {
      auto const expected = prints_of(plain, epoch);
      CHECK(std::ssize(expected) == plain.num_steps());
      CHECK(prints_of(loader, epoch) == expected);
      compared += std::ssize(expected);
      CHECK(prints_of(loader, epoch, 1) == std::vector<std::int64_t>(expected.begin() + 1, expected.end()));
    }
    CHECK(prints_of(loader, 0) != prints_of(loader, 1));
    return compared;
  };
  auto const check = [&](auto comm, int servers) {
    for (std::int64_t const shared_bytes : {0, 1 << 16}) {
      CAPTURE(shared_bytes);
      auto roles = joined(comm, servers);
      auto const alone = comm.split(comm.rank(), 0);
      auto const node = node_of(comm);
      std::int64_t own = 0;
      if (is_server(roles)) {
        shared_bytes > 0 ? serve(glt::dist::server(roles, node, shared_bytes)) : serve(glt::dist::server(roles));
      } else {
        own = shared_bytes > 0 ? compare(glt::dist::client(roles, node), alone)
                               : compare(glt::dist::client(roles), alone);
      }
      auto const compared = glt::gather_over_ranks(roles.world(), own);
      for (int rank = 0; rank < comm.size(); ++rank) { // servers see that clients have done it
        CHECK((compared[static_cast<std::size_t>(rank)] > 0) == (rank >= servers));
      }
    }
  };
  on_ranks([&](auto comm) { check(comm, 1); }, {2});
  on_ranks(
      [&](auto comm) {
        check(comm, 1);
        check(comm, 2);
      },
      {3, 4});
  on_ranks([&](auto comm) { check(comm, 3); }, {5});
}

} // namespace glt_test

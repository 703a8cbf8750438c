// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/remote_loader.hpp>

#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/dist/roles/server.hpp>

#include "support/counted_batches.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::prints_of;

namespace {

constexpr int num_parts = 6; // that 1, 2 and 3 ranks hold equally many of

// A graph whose vertices have the numbers of `num_parts` parts, on fewer ranks that hold several of them.
divided_graph divided_on(int ranks) {
  divided_graph divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], num_parts);
  std::vector<std::int64_t> offsets;
  for (int rank = 0; rank <= ranks; ++rank) {
    offsets.push_back(rank == ranks ? 257 : divided.names.book.begin(rank * num_parts / ranks));
  }
  divided.names.book = glt::partition_book(offsets);
  return divided;
}

std::vector<glt::global_id> seeds_of(int consumer) {
  std::vector<glt::global_id> seeds;
  for (std::int64_t i = 0; i < 20 + 10 * consumer; ++i) {
    seeds.push_back((i * 11 + consumer * 5) % 257);
  }
  return seeds;
}

constexpr glt::dist::loader_options some_options{.batch_size = 8, .shuffle = true, .seed = 3, .prefetch = 2};

// The parts of a rank, and what is made of them.
template <class Comm>
struct world {
  explicit world(Comm& comm)
      : divided(divided_on(comm.size())), graph(comm, divided.part(comm.rank())),
        features(comm, graph.book(), divided.features(comm.rank(), 3)) {}

  divided_graph divided;
  glt::dist::graph<cpu> graph;
  glt::dist::feature_store<cpu, float> features;
};

// Compares the batches that servers make with those of a loader of one rank, on every number of servers and clients that
// the ranks allow. `recipe_of(world)` says what a batch is.
template <class Comm, class Recipe, class Seeds>
void check_kind(Comm comm, int servers, Recipe const& recipe_of, typename Seeds::options_type const& options,
                Seeds const& seeds) {
  auto const role = glt::dist::server_or_client(comm.rank(), comm.size(), servers);
  glt::dist::role_context roles(comm, role, role == glt::dist::role::server ? "servers" : "clients");
  if (role == glt::dist::role::server) {
    world const here(roles.group());
    glt::dist::server server(roles);
    server.offer("batches", recipe_of(here));
    server.run();
    return;
  }
  glt::serial_comm alone;
  world const here(alone);
  auto const recipe = recipe_of(here);
  using recipe_type = std::remove_const_t<decltype(recipe)>;
  auto const own = seeds.of(roles.group_rank());
  auto plain_options = some_options;
  plain_options.prefetch = 0;
  glt::dist::loader plain(alone, recipe_type(recipe).with(options), own, plain_options);
  glt::dist::client client(roles);
  glt::dist::remote_loader<Comm, recipe_type> loader(client, "batches", own, options, some_options,
                                                     {.together = false});
  REQUIRE(loader.num_steps() == plain.num_steps());
  for (std::int64_t const epoch : {0, 1}) {
    auto const expected = prints_of(plain, epoch);
    CHECK(prints_of(loader, epoch) == expected);
    CHECK(prints_of(loader, epoch, 1) == std::vector<std::uint64_t>(expected.begin() + 1, expected.end()));
  }
}

template <class Seeds, class Options>
struct seeds_by_consumer {
  using options_type = Options;
  Seeds (*of)(int consumer);
};

// Servers by clients that are as many as the ranks.
std::vector<int> servers_of_size(int ranks) {
  return ranks == 2 ? std::vector<int>{1} : ranks == 5 ? std::vector<int>{3} : std::vector<int>{1, 2};
}

#ifdef GLT_TEST_MPI
std::vector<int> const sizes{2, 3, 4};
#else
std::vector<int> const sizes{2, 3, 4, 5};
#endif

} // namespace

TEST_CASE("servers make the batches of vertices and their neighbourhoods that a loader makes") {
  glt_test::on_ranks(
      [](auto comm) {
        for (int const servers : servers_of_size(comm.size())) {
          check_kind(
              comm, servers,
              [](auto const& here) { return glt::dist::neighbor_batches(here.graph, here.features, {}); },
              glt::neighbor_options{.fanouts = {3, 2}, .edge_ids = true},
              seeds_by_consumer<glt::dist::vertex_seeds<>, glt::neighbor_options>{
                  [](int consumer) { return glt::dist::vertex_seeds<>(seeds_of(consumer)); }});
        }
      },
      sizes);
}

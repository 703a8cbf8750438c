// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/hop_exchange.hpp>

#include <glt/comm/guard.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/hetero_parts.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using glt_test::scarce_policy;
using glt_test::scarce_resource;

glt::graph_part<scarce_policy> scarce_part(glt_test::divided_graph const& divided, int rank) {
  return glt::split_graph<glt::global_id>(divided.whole.view(), divided.names, rank, scarce_policy{});
}

} // namespace

TEST_CASE("a rank that runs out of memory at any moment of a hop fails all ranks and hangs none") {
  auto const list = glt_test::random_graph(257, 4099);
  for (std::int64_t allocations = 0; allocations < 40; ++allocations) {
    glt_test::on_ranks(
        [&](auto comm) {
          glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
          bool const fails = comm.rank() == 1;
          bool finished = false;
          auto const error = glt_test::thrown<glt::collective_error>([&] {
            glt::run_collectively(comm, [&] {
              glt::dist::graph graph(comm, scarce_part(divided, comm.rank()));
              glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3, 2}});
              glt::sampled_subgraph<scarce_policy, glt::global_id> out;
              scarce_resource::allocations_left = fails ? allocations : -1;
              sampler.sample(divided.renumbered(glt_test::seeds_of(comm.rank() + 1, 1, 257)), {.seed = 1}, out);
              finished = true;
              scarce_resource::allocations_left = -1;
            });
          });
          scarce_resource::allocations_left = -1;
          std::int64_t finishers = finished ? 1 : 0;
          comm.all_reduce(std::span(&finishers, 1), glt::reduction::sum);
          if (finishers == comm.size()) {
            CHECK(error == "(nothing was thrown)");
          } else {
            CHECK(glt_test::names(error, "rank "));
          }
          if (allocations == 0) {
            CHECK(glt_test::names(error, "rank 1", "bad_alloc"));
          }
          if (allocations == 39) {
            CHECK(finishers == comm.size()); // so the loop went through every allocation of the hops
          }
        },
        {3});
  }
}

TEST_CASE("another key of a rank is the same error on every rank") {
  auto const list = glt_test::random_graph(57, 99);
  glt_test::on_ranks([&](auto comm) {
    glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, scarce_part(divided, comm.rank()));
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3}});
    glt::sampled_subgraph<scarce_policy, glt::global_id> out;
    glt::sample_key const key{.seed = comm.rank() == 1 ? 1U : 0U};
    auto const error = glt_test::thrown<glt::collective_error>([&] { sampler.sample({}, key, out); });
    if (comm.size() > 1) {
      CHECK(glt_test::names(error, "rank 1", "another key than rank 0"));
    }
  });
}

TEST_CASE("a source that no part owns is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    glt_test::divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0],
                                          comm.size());
    auto part = divided.part(comm.rank());
    auto const own = part.graph.view();
    std::vector<glt::global_id> sources(own.sources().begin(), own.sources().end());
    if (comm.rank() == 0) {
      sources[0] = 101;
    }
    part.graph = {own.num_columns(), glt::make_buffer<glt_test::cpu>(own.offsets()),
                  glt::make_buffer<glt_test::cpu>(sources), glt::make_buffer<glt_test::cpu>(own.edge_ids())};
    glt::dist::graph const graph(comm, std::move(part));
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {-1, -1}});
    std::vector<glt::global_id> seeds;
    for (auto v = graph.book().begin(comm.rank()); comm.rank() == 0 && v < graph.book().end(0); ++v) {
      seeds.push_back(v);
    }
    glt::sampled_subgraph<glt_test::cpu, glt::global_id> out;
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { sampler.sample(seeds, {}, out); }), "rank 0",
                          "101"));
  });
}

TEST_CASE("a rank that runs out of memory at any moment of a typed hop fails all ranks and hangs none") {
  auto const list = glt_test::academic_graph(101);
  constexpr std::int64_t last = 210;
  for (std::int64_t allocations = 0; allocations <= last; allocations += 7) {
    glt_test::on_ranks(
        [&](auto comm) {
          glt_test::divided_hetero_graph const divided(list, comm.size(), 1);
          bool const fails = comm.rank() == 1;
          bool finished = false;
          auto const error = glt_test::thrown<glt::collective_error>([&] {
            glt::run_collectively(comm, [&] {
              auto part =
                  glt::split_graph<glt::global_id>(divided.whole.view(), divided.names, comm.rank(), scarce_policy{});
              glt::dist::hetero_graph graph(comm, std::move(part));
              auto const fanouts = glt::same_fanouts(list.schema, {3, 2});
              glt::dist::hetero_neighbor_sampler sampler(comm, graph, {.fanouts = fanouts});
              glt::hetero_subgraph<scarce_policy, glt::global_id> out;
              auto const seeds = divided.renumbered(glt_test::hetero_seeds_of(list, comm.rank() + 1, 1));
              std::vector<glt::host_view<glt::global_id const>> const views(seeds.begin(), seeds.end());
              scarce_resource::allocations_left = fails ? allocations : -1;
              sampler.sample(views, {.seed = 1}, out);
              finished = true;
              scarce_resource::allocations_left = -1;
            });
          });
          scarce_resource::allocations_left = -1;
          std::int64_t finishers = finished ? 1 : 0;
          comm.all_reduce(std::span(&finishers, 1), glt::reduction::sum);
          if (finishers == comm.size()) {
            CHECK(error == "(nothing was thrown)");
          } else {
            CHECK(glt_test::names(error, "rank "));
          }
          if (allocations == 0) {
            CHECK(finishers < comm.size());
          }
          if (allocations == last) {
            CHECK(finishers == comm.size()); // so the loop went through every allocation of the hops
          }
        },
        {2, 3});
  }
}

TEST_CASE("a source of a relation that no part owns is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::academic_graph(33);
    glt_test::divided_hetero_graph const divided(list, comm.size());
    auto part = divided.part(comm.rank());
    auto const own = part.relations[0].view();
    std::vector<glt::global_id> sources(own.sources().begin(), own.sources().end());
    if (comm.rank() == 0) {
      sources[0] = 17;
    }
    part.relations[0] = {own.num_columns(), glt::make_buffer<glt_test::cpu>(own.offsets()),
                         glt::make_buffer<glt_test::cpu>(sources), glt::make_buffer<glt_test::cpu>(own.edge_ids())};
    glt::dist::hetero_graph const graph(comm, std::move(part));
    glt::dist::hetero_neighbor_sampler sampler(comm, graph, {.fanouts = glt::same_fanouts(list.schema, {-1, -1})});
    std::vector<glt::global_id> seeds;
    for (auto v = graph.book(0).begin(comm.rank()); comm.rank() == 0 && v < graph.book(0).end(0); ++v) {
      seeds.push_back(v);
    }
    glt::hetero_subgraph<glt_test::cpu, glt::global_id> out;
    CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { sampler.sample(0, seeds, {}, out); }), "rank 0",
                          "vertex 17", "[0, 17)"));
  });
}

TEST_CASE("a batch like one before allocates nothing") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {5, 3}, .edge_ids = true});
    auto const seeds = divided.renumbered(glt_test::seeds_of(comm.rank() + 1, 1, 257));
    auto const typed = glt_test::academic_graph(101);
    glt_test::divided_hetero_graph const parts(typed, comm.size(), 1);
    glt::dist::hetero_graph const typed_graph(comm, parts.part(comm.rank()));
    auto const fanouts = glt::same_fanouts(typed.schema, {3, 2});
    glt::dist::hetero_neighbor_sampler typed_sampler(comm, typed_graph, {.fanouts = fanouts});
    auto const typed_seeds = parts.renumbered(glt_test::hetero_seeds_of(typed, comm.rank() + 1, 1));
    std::vector<glt::host_view<glt::global_id const>> const views(typed_seeds.begin(), typed_seeds.end());
    glt::sampled_subgraph<glt_test::cpu, glt::global_id> out;
    glt::hetero_subgraph<glt_test::cpu, glt::global_id> typed_out;
    std::int64_t before = 0;
    for (int round = 0; round < 3; ++round) {
      comm.barrier();
      before = glt_test::num_allocations(); // of all ranks
      comm.barrier();
      sampler.sample(seeds, {.seed = 1}, out);
      typed_sampler.sample(views, {.seed = 1}, typed_out);
      comm.barrier();
    }
    CHECK(glt_test::num_allocations() == before);
    comm.barrier();
  });
}

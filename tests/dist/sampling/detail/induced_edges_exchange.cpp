// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/induced_edges_exchange.hpp>

#include <glt/comm/guard.hpp>
#include <glt/dist/sampling/induced_subgraph.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::scarce_policy;
using glt_test::scarce_resource;

TEST_CASE_TEMPLATE("the edges into the end of a set that come from the set, wherever its vertices live", Policy,
                   GLT_TEST_POLICIES) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    auto const list = glt_test::random_graph(257, 4099);
    auto const rows = glt_test::naive_rows(list);
    for (auto const& partitioner : glt_test::all_partitioners()) {
      if (!glt::host_policy<Policy> && partitioner.name != "ldg") {
        continue;
      }
      glt_test::divided_graph const divided(list, partitioner, comm.size());
      glt::dist::graph graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
      glt::detail::induced_edges_exchange<decltype(comm.duplicate()), Policy, glt::global_id> exchange(comm, policy);
      for (std::int64_t step = 0; step < 4; ++step) {
        std::vector<std::int64_t> set;
        std::map<std::int64_t, std::int64_t> place;
        for (std::int64_t i = 0; i < 60 * step && comm.rank() != static_cast<int>(step); ++i) {
          auto const vertex = (i * 7 + comm.rank()) % 257;
          place[vertex] = static_cast<std::int64_t>(set.size());
          set.push_back(vertex);
        }
        auto const first = static_cast<std::int64_t>(set.size()) * step / 4;
        auto const ids = glt::make_buffer<Policy>(divided.renumbered(set), policy);
        glt::detail::asked_set<Policy::space, glt::global_id> const asked{ids.view(), first};
        auto const& out = exchange.select({.step = step}, graph, std::span(&asked, 1), step != 2)[0];
        std::vector<std::int64_t> offsets{0};
        std::vector<std::int64_t> sources;
        std::vector<std::int64_t> edges;
        for (auto i = first; i < static_cast<std::int64_t>(set.size()); ++i) {
          for (auto const& [source, id] : rows[static_cast<std::size_t>(set[static_cast<std::size_t>(i)])]) {
            if (place.contains(source)) {
              sources.push_back(place[source]);
              edges.push_back(id);
            }
          }
          offsets.push_back(static_cast<std::int64_t>(sources.size()));
        }
        CHECK(glt::to_vector(policy, out.offsets.view()) == offsets);
        auto const found = glt::to_vector(policy, out.sources.view());
        CHECK(std::vector<std::int64_t>(found.begin(), found.end()) == sources);
        CHECK(glt::to_vector(policy, out.edge_ids.view()) == (step != 2 ? edges : std::vector<std::int64_t>{}));
      }
    }
  });
}

TEST_CASE("a vertex that no part owns is the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(101, 370);
    glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    glt::detail::induced_edges_exchange<decltype(comm.duplicate()), cpu, glt::global_id> exchange(comm, cpu());
    auto const last = comm.size() - 1;
    std::vector<glt::global_id> const set{1, comm.rank() == last ? 101 : 2};
    glt::detail::asked_set<glt::memory_space::host, glt::global_id> const asked{set};
    auto const error = glt_test::thrown<glt::collective_error>(
        [&] { static_cast<void>(exchange.select({}, graph, std::span(&asked, 1), false)); });
    CHECK(glt_test::names(error, "rank " + std::to_string(last), "vertex 101", "[0, 101)"));
  });
}

TEST_CASE("a rank that runs out of memory at any moment of an induced subgraph fails all ranks and hangs none") {
  auto const list = glt_test::random_graph(257, 4099);
  for (std::int64_t allocations = 0; allocations < 70; ++allocations) {
    glt_test::on_ranks(
        [&](auto comm) {
          glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
          bool const fails = comm.rank() == 1;
          bool finished = false;
          auto const error = glt_test::thrown<glt::collective_error>([&] {
            glt::run_collectively(comm, [&] {
              glt::dist::graph graph(comm, glt::split_graph<glt::global_id>(divided.whole.view(), divided.names,
                                                                            comm.rank(), scarce_policy{}));
              glt::dist::induced_sampler sampler(comm, graph, {.num_hops = allocations % 2, .edge_ids = true});
              glt::sampled_subgraph<scarce_policy, glt::global_id> out;
              scarce_resource::allocations_left = fails ? allocations : -1;
              sampler.sample(divided.renumbered(glt_test::seeds_of(comm.rank() + 1, 1, 257)), {.step = 1}, out);
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
          if (allocations >= 68) {
            CHECK(finishers == comm.size()); // so the loop went through every allocation
          }
        },
        {3});
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/device_parts.hpp"

#if defined(GLT_TEST_THRUST) && !defined(GLT_TEST_MPI) // processes do not notice all of it; see run_collectively

#include <glt/comm/guard.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <cstdint>
#include <span>
#include <string>

using glt_test::divided_graph;
using glt_test::scarce_resource;

namespace {

// Emulated memory of a GPU that runs out.
struct scarce_device {
  static constexpr glt::memory_space space = glt::memory_space::device;
  scarce_resource resource() const { return {}; }
  auto executor() const { return glt_test::emulated_cpp().executor(); }
};
static_assert(glt::device_policy<scarce_device> && !glt::host_policy<scarce_device>);

// Runs work(comm, arm) with memory that runs out at one moment after the other, where arm() is the time from which
// on that counts, until it has run through.
template <class Work>
void check_failures(Work work) {
  bool finished_on_all = false;
  std::int64_t allocations = 0;
  for (; allocations < 200 && !finished_on_all; ++allocations) {
    glt_test::on_ranks(
        [&](auto comm) {
          bool finished = false;
          auto const error = glt_test::thrown<glt::collective_error>([&] {
            glt::run_collectively(comm, [&] {
              work(comm, [&] { scarce_resource::allocations_left = comm.rank() == 1 ? allocations : -1; });
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
            CHECK(glt_test::names(error, "rank ")); // which one, unless others waited for its payload already
            if (allocations == 0) {
              CHECK(glt_test::names(error, "rank 1", "bad_alloc"));
            }
          }
          if (comm.rank() == 0) {
            finished_on_all = finishers == comm.size();
          }
        },
        {3});
  }
  CHECK(finished_on_all);
  CHECK(allocations > 5);
}

} // namespace

TEST_CASE("a rank whose device memory runs out at any moment of sampling fails all ranks and hangs none") {
  auto const list = glt_test::random_graph(257, 4099);
  check_failures([&](auto comm, auto arm) {
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    scarce_device const policy;
    glt::dist::graph const graph(comm,
                                 glt_test::device_part<scarce_device, glt::global_id>(divided, comm.rank(), policy));
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3, -1}, .edge_ids = true}, policy);
    glt::sampled_subgraph<scarce_device, glt::global_id> out;
    auto const seeds =
        glt::make_buffer<scarce_device>(divided.renumbered(glt_test::seeds_of(comm.rank() + 1, 1, 257)), policy);
    arm();
    sampler.sample(seeds.view(), {.seed = 1}, out);
  });
}

TEST_CASE("a rank whose device memory runs out at any moment of collecting fails all ranks and hangs none") {
  check_failures([&](auto comm, auto arm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    scarce_device const policy;
    glt::dist::feature_store const store(comm, divided.names.book,
                                         glt_test::device_features(divided, comm.rank(), 7, true, policy));
    glt::dist::feature_collector collector(comm, store, policy);
    glt::dist::collected_rows<scarce_device, float> out;
    auto const ids =
        glt::make_buffer<scarce_device>(divided.renumbered(glt_test::seeds_of(comm.rank() + 1, 1, 257)), policy);
    arm();
    collector.collect(ids.view(), ids.size(), 0, out);
  });
}

#else

TEST_CASE("scarce memory of a device is emulated, on threads") {
  CHECK(glt::device_policy<glt::device::cpu>);
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/loader.hpp>
#include <glt/dist/roles/assignment.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/remote_loader.hpp>
#include <glt/dist/roles/server.hpp>
#include <glt/mpi/node.hpp>

#include "support/constant_batches.hpp"
#include "support/loading.hpp"
#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t shared_bytes = std::int64_t{320} << 20; // of seven large batches
constexpr std::int64_t large_batch = std::int64_t{10} << 20;   // values, of 4 bytes

using roles_type = glt::dist::role_context<glt::mpi_comm>;

// Rank 0, which reports, is the client of rank 1: `offer(server)` there, `train(client)` here. Batches lie in shared
// memory if range(0) is 1, else they are messages.
template <class Offer, class Train>
void with_server(benchmark::State& state, roles_type& roles, Offer offer, Train train) {
  bool const shares = state.range(0) == 1;
  glt::mpi_node const node(roles.world());
  if (roles.role() == glt::dist::role::client) {
    auto client = shares ? glt::dist::client(roles, node) : glt::dist::client(roles);
    train(client);
    return;
  }
  auto server = shares ? glt::dist::server(roles, node, shared_bytes) : glt::dist::server(roles);
  offer(server);
  server.run();
  for (auto _ : state) { // those of the client
    state.SetIterationTime(1e-9);
  }
}

roles_type client_and_server() {
  auto comm = glt_bench::ranks();
  bool const serves = comm.rank() > 0;
  return {comm, serves ? glt::dist::role::server : glt::dist::role::client, serves ? "server" : "client"};
}

bool lacks_ranks(benchmark::State& state) {
  bool const lacks = glt_bench::ranks().size() != 2;
  if (lacks) {
    state.SkipWithError("needs 2 ranks");
  }
  return lacks;
}

// Large batches of constant values, five an epoch, all of which may be ahead of the client. Counters are medians: what the
// server spends on a batch beside making it, against one memcpy, and how long the client takes to get one that is ready.
void hand_over(benchmark::State& state) {
  if (lacks_ranks(state)) {
    return;
  }
  constexpr std::int64_t num_batches = 5;
  glt_bench::hand_over_seconds spent;
  auto roles = client_and_server();
  auto const offer = [&](auto& server) {
    server.offer("constant", glt_bench::constant_batches{.spent = &spent});
    server.register_service("forget", [&](std::int64_t) {
      spent = {};
      return std::int64_t{0};
    });
    server.register_service("seconds", [&](std::int64_t) {
      return std::vector{glt_bench::median(spent.writing), glt_bench::median(spent.copying)};
    });
  };
  with_server(state, roles, offer, [&](auto& client) {
    auto const server = client.servers()[0];
    glt::dist::remote_loader<glt::mpi_comm, glt_bench::constant_batches> loader(
        client, "constant", std::vector<glt::global_id>(num_batches), {large_batch},
        {.batch_size = 1, .prefetch = num_batches});
    std::vector<double> advancing;
    auto const take = [&] {
      auto const batches = loader.epoch(0);
      auto at = batches.begin();
      std::this_thread::sleep_for(std::chrono::milliseconds(200)); // so that all are ready
      for (std::int64_t step = 1; step < num_batches; ++step) {
        advancing.push_back(glt_bench::seconds_of([&] { ++at; }));
      }
      ++at; // no more
    };
    take(); // so that all memory is there
    static_cast<void>(client.template request<std::int64_t>(server, "forget", std::int64_t{0}));
    advancing.clear();
    for (auto _ : state) {
      state.SetIterationTime(glt_bench::seconds_of(take));
    }
    auto const of_server = client.template request<std::vector<double>>(server, "seconds", std::int64_t{0});
    state.counters["write_ms"] = 1000 * of_server[0];
    state.counters["memcpy_ms"] = 1000 * of_server[1];
    state.counters["write_ratio"] = of_server[0] / of_server[1];
    state.counters["advance_us"] = 1e6 * glt_bench::median(advancing);
    state.counters["bytes"] = static_cast<double>(large_batch * static_cast<std::int64_t>(sizeof(float)));
  });
}

BENCHMARK(hand_over)->ArgName("shared")->Arg(0)->Arg(1)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

// Batches as in `load_batches`, of a client that computes nothing and a server that has the whole graph, against a loader
// on the client's rank that has it as well, while the server waits; the last ten of an epoch.
void serve_batches(benchmark::State& state) {
  if (lacks_ranks(state)) {
    return;
  }
  constexpr std::int64_t num_batches = 10;
  auto roles = client_and_server();
  glt_bench::loading_workload const work(roles.group());
  with_server(
      state, roles, [&](auto& server) { server.offer("graph", work.batches()); },
      [&](auto& client) {
        auto const seeds = work.seeds(1024 * 40);
        glt::dist::remote_loader<glt::mpi_comm, glt_bench::loading_workload::recipe_type> remote(
            client, "graph", seeds, {.fanouts = {15, 10, 5}}, {.batch_size = 1024});
        glt::dist::loader collocated(roles.group(), work.batches(), seeds, {.batch_size = 1024});
        std::int64_t edges = 0;
        auto const load = [&](auto& loader) {
          return [&] {
            edges = 0;
            for (auto const& batch : loader.epoch(0, loader.num_steps() - num_batches)) {
              edges += batch.subgraph.row().size();
            }
          };
        };
        load(collocated)(); // so that all memory is there
        load(remote)();
        glt_bench::compare_together(state, roles.group(), num_batches, load(collocated), load(remote));
        auto const iterations = static_cast<double>(state.iterations());
        state.counters["edges/s"] =
            benchmark::Counter(static_cast<double>(edges) * iterations, benchmark::Counter::kIsRate);
        state.counters["batches/s"] =
            benchmark::Counter(static_cast<double>(num_batches) * iterations, benchmark::Counter::kIsRate);
        state.counters["scale"] = glt_bench::graph_scale();
      });
}

BENCHMARK(serve_batches)
    ->ArgName("shared")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

} // namespace

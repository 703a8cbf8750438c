// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/neighbor_sampler.hpp>

#include <glt/comm/counting.hpp>

#include "support/device_parts.hpp"
#include "support/equal_to_serial.hpp"
#include "support/errors.hpp"
#include "support/naive_sampler.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <string>
#include <vector>

using glt_test::divided_graph;
using glt_test::naive_sample;
using glt_test::on_ranks;

namespace {

std::vector<glt::neighbor_options> options_to_try() {
  std::vector<glt::neighbor_options> options;
  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    options.push_back({.fanouts = {3, 0, 4}, .expand = expand, .edge_ids = true});
    options.push_back({.fanouts = {4, 3, 2}, .expand = expand, .edge_ids = true});
    options.push_back({.fanouts = {3, 2}, .replace = true, .expand = expand});
    options.push_back({.fanouts = {-1, 300}, .expand = expand, .edge_ids = true});
    options.push_back({.fanouts = {3, 2}, .expand = expand, .edge_ids = true, .disjoint = true});
  }
  return options;
}

template <class Policy, class Vertex>
void check_equal_to_serial(auto& comm, glt_test::edge_list const& list,
                           glt_test::named_partitioner const& partitioner) {
  Policy const policy;
  glt_test::compared_graph<Vertex, Policy> const compared(comm, list, partitioner, [&](divided_graph const& divided) {
    return glt_test::device_part<Policy, Vertex>(divided, comm.rank(), policy);
  });
  for (auto const& options : options_to_try()) {
    glt::dist::neighbor_sampler sampler(comm, compared.graph(), options, policy);
    glt::sampled_subgraph<Policy, Vertex> out;
    compared.check(
        comm,
        [&](auto const& ids, auto const&, auto key) {
          auto const there = glt::make_buffer<Policy>(ids, policy);
          sampler.sample(there.view(), key, out);
          return glt_test::plain_copy(policy, out, compared.original());
        },
        [&](auto const& seeds, auto key) { return naive_sample(list, seeds, options, key); });
  }
}

} // namespace

TEST_CASE_TEMPLATE("sampling across parts on any policy equals serial sampling, bit for bit", Policy,
                   GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    auto const partitioner = glt_test::all_partitioners()[1];
    for (auto const& list : glt_test::graphs_to_divide()) {
      check_equal_to_serial<Policy, glt::global_id>(comm, list, partitioner);
    }
    check_equal_to_serial<Policy, glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner);
  });
}

TEST_CASE_TEMPLATE("a bad seed, key or option of one rank is the same error on every rank, on any policy", Policy,
                   GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    auto const last = comm.size() - 1;
    auto const list = glt_test::random_graph(101, 370);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
    glt::dist::neighbor_sampler sampler(comm, graph, {.fanouts = {3, 2}}, policy);
    glt::sampled_subgraph<Policy, glt::global_id> out;
    std::vector<glt::global_id> seeds{1, 2};
    auto const sample = [&](glt::sample_key key) {
      auto const there = glt::make_buffer<Policy>(seeds, policy);
      sampler.sample(there.view(), key, out);
    };
    sample({});
    auto const before = glt_test::plain_copy(policy, out, divided.names.original);

    if (comm.rank() == last) {
      seeds[1] = 101;
    }
    auto const bad_seed = glt_test::thrown<glt::collective_error>([&] { sample({}); });
    CHECK(glt_test::names(bad_seed, "rank " + std::to_string(last), "seed 1 is 101", "[0, 101)"));
    if (comm.rank() == last) {
      CHECK(glt_test::plain_copy(policy, out, divided.names.original) == before);
    }
    seeds[1] = 2;
    auto const bad_fanout = glt_test::thrown<glt::collective_error>(
        [&] { glt::dist::neighbor_sampler(comm, graph, {.fanouts = {3, comm.rank() == last ? -3 : 2}}, policy); });
    CHECK(glt_test::names(bad_fanout, "rank " + std::to_string(last), "fanout -3", "hop 1"));
    if (comm.size() > 1) {
      auto const other_key =
          glt_test::thrown<glt::collective_error>([&] { sample({.seed = comm.rank() == last ? 1U : 0U}); });
      CHECK(glt_test::names(other_key, "rank " + std::to_string(last), "key"));
    }
    sample({}); // all ranks are still together
    CHECK(glt_test::plain_copy(policy, out, divided.names.original) == before);
  });
}

TEST_CASE_TEMPLATE("a hop from own vertices costs one header exchange on any policy", Policy, GLT_TEST_ONE_POLICY) {
  on_ranks([](auto comm) {
    Policy const policy;
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::graph const graph(counted, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
    glt::dist::neighbor_sampler sampler(counted, graph, {.fanouts = {5}}, policy);
    std::vector<glt::global_id> seeds;
    for (auto v = graph.book().begin(comm.rank()); v < graph.book().end(comm.rank()); ++v) {
      seeds.push_back(v);
    }
    auto const there = glt::make_buffer<Policy>(seeds, policy);
    glt::sampled_subgraph<Policy, glt::global_id> out;
    counted.reset();
    sampler.sample(there.view(), {.seed = 1}, out);
    CHECK(counted.counts().total().bytes == glt::detail::header_bytes * (comm.size() - 1));
    CHECK(sampler.counts().own == static_cast<std::int64_t>(seeds.size()));
    CHECK(sampler.counts().remote == 0);
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/full_neighborhoods.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/collect/feature_collector.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/layerwise.hpp"
#include "support/parts.hpp"
#include "support/policies.hpp"
#include "support/policy_subgraphs.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

// One layer after the other: the outputs of all ranks are the features of the next.
template <class Vertex>
void check_layers(auto& comm, glt_test::edge_list const& list, glt_test::named_partitioner const& partitioner,
                  glt::detail::row_batch_limits const& limits) {
  divided_graph const divided(list, partitioner, comm.size());
  glt::dist::graph graph(comm, divided.template part<Vertex>(comm.rank()));
  auto neighborhoods = glt::dist::make_full_neighborhoods(comm, graph, {.limits = limits, .edge_ids = true});
  auto const rows = graph.local().num_rows();
  auto const begin = graph.book().begin(comm.rank());
  glt::buffer<cpu, std::int64_t> features(rows);
  std::vector<std::int64_t> expected;
  for (std::int64_t v = 0; v < list.num_vertices; ++v) {
    expected.push_back(3 * v + 1);
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    features[r] = 3 * graph.original()[r] + 1;
  }
  std::int64_t total_steps = 0;
  for (int layer = 0; layer < 2; ++layer) {
    expected = glt_test::naive_layer(list, expected, true);
    glt::dist::feature_store const store(comm, divided.names.book,
                                         glt::feature_store<cpu, std::int64_t>(rows, 1, std::move(features)));
    glt::dist::feature_collector collector(comm, store);
    glt::dist::collected_rows<cpu, std::int64_t> collected;
    std::vector<std::int64_t> all(static_cast<std::size_t>(list.num_vertices), -1);
    std::vector<std::int64_t> next(static_cast<std::size_t>(list.num_vertices), -1);
    for (auto const& batch : neighborhoods) {
      CHECK(batch.block().num_edges() <= limits.max_edges);
      CHECK(batch.block().num_destinations <= limits.max_rows);
      collector.collect(batch.nodes(), 0, batch.step, collected);
      for (std::int64_t i = 0; i < batch.nodes().size(); ++i) {
        all[static_cast<std::size_t>(batch.nodes()[i])] = collected.features[i];
      }
      glt_test::layer_of(batch, all, next, true);
      ++total_steps;
    }
    features = glt::buffer<cpu, std::int64_t>(rows);
    bool equal = true;
    for (std::int64_t r = 0; r < rows; ++r) {
      features[r] = next[static_cast<std::size_t>(begin + r)];
      equal = equal && features[r] == expected[static_cast<std::size_t>(graph.original()[r])];
    }
    INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank(), " of ", comm.size(), ", layer ", layer);
    CHECK(equal);
  }
  CHECK(total_steps == 2 * neighborhoods.num_batches());
  std::vector<std::int64_t> steps{neighborhoods.num_batches(), -neighborhoods.num_batches()};
  comm.all_reduce(std::span(steps), glt::reduction::max);
  CHECK(steps[0] == -steps[1]);
}

} // namespace

TEST_CASE("layer-wise inference over all parts gives the sums of the whole graph") {
  on_ranks([](auto comm) {
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        if (list.num_edges() < 5000) {
          check_layers<glt::global_id>(comm, list, partitioner, {.max_edges = 100, .max_rows = 40});
        }
      }
      check_layers<glt::local_id>(comm, glt_test::random_graph(257, 4099), partitioner, {});
    }
  });
}

TEST_CASE("a list of own vertices is walked in as many steps as the longest list of a rank") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    std::vector<glt::global_id> own;
    for (auto v = graph.book().begin(comm.rank()); v < graph.book().end(comm.rank()); ++v) {
      if (static_cast<int>(own.size()) < 3 * comm.rank()) {
        own.push_back(v);
      }
    }
    auto walk = glt::dist::make_full_neighborhoods(counted, graph, own, {.limits = {.max_rows = 2}}, cpu(2));
    CHECK(counted.counts().headers.collectives == (comm.size() == 1 ? 0 : 1));
    CHECK(walk.num_vertices() == static_cast<std::int64_t>(own.size()));
    CHECK(walk.num_batches() == (3 * (comm.size() - 1) + 1) / 2);
    std::vector<glt::global_id> seen;
    for (auto const& batch : walk) {
      for (std::int64_t i = 0; i < batch.block().num_destinations; ++i) {
        seen.push_back(batch.nodes()[i]);
      }
    }
    CHECK(seen == own);
    CHECK(counted.counts().total().collectives == (comm.size() == 1 ? 0 : 1));
  });
}

TEST_CASE_TEMPLATE("a walk over a part in memory of a GPU is the one over the same part on a host", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  on_ranks([](auto comm) {
    Policy const policy;
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::graph const there(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
    glt::full_neighborhoods<cpu>::options_type const options{.limits = {.max_edges = 30, .max_rows = 7},
                                                             .edge_ids = true};
    auto expected = glt::dist::make_full_neighborhoods(comm, graph, options);
    auto walk = glt::dist::make_full_neighborhoods(comm, there, options, policy);
    REQUIRE(walk.num_batches() == expected.num_batches());
    auto batch = walk.begin();
    for (auto const& wanted : expected) {
      CHECK((*batch).rows == wanted.rows);
      CHECK(glt_test::copy_subgraph(policy, (*batch).subgraph) == glt_test::copy_subgraph(cpu(), wanted.subgraph));
      ++batch;
    }
  });
}

TEST_CASE("a bad limit, list or communicator of one rank is the same error on every rank") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    bool const odd = comm.rank() == last;
    auto const name = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph graph(comm, divided.part(comm.rank()));
    auto const refusal = [](auto f) { return glt_test::thrown<glt::collective_error>(f); };
    auto const bad_limit = refusal([&] {
      static_cast<void>(glt::dist::make_full_neighborhoods(comm, graph, {.limits = {.max_edges = odd ? 0 : 5}}));
    });
    CHECK(glt_test::names(bad_limit, name, "at most 0 edges"));
    std::vector<glt::global_id> const list{odd ? 101 : graph.book().begin(comm.rank())};
    auto const bad_list =
        refusal([&] { static_cast<void>(glt::dist::make_full_neighborhoods(comm, graph, list, {})); });
    CHECK(glt_test::names(bad_list, name, "vertex 0 of the list is 101"));
    if (comm.size() > 1) {
      auto alone = comm.split(comm.rank(), 0);
      CHECK(glt_test::names(refusal([&] { static_cast<void>(glt::dist::make_full_neighborhoods(alone, graph)); }),
                            "rank " + std::to_string(comm.rank()), "communicator"));
    }
  });
}

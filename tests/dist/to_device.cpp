// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loader.hpp>
#include <glt/dist/to_device.hpp>

#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/policy_subgraphs.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;

namespace {

// A batch of any policy in ordinary memory.
struct plain_batch {
  std::vector<std::int64_t> numbers; // epoch, step, seeds, columns
  glt_test::copied_subgraph subgraph;
  std::vector<float> features;
  std::vector<glt::detail::label_type> labels;

  bool operator==(plain_batch const&) const = default;
};

template <class Policy>
plain_batch copy_of(Policy const& policy, glt::dist::batch<Policy, glt::global_id, float> const& batch) {
  return {{batch.epoch, batch.step, batch.num_seeds, batch.num_columns},
          glt_test::copy_subgraph(policy, batch.subgraph),
          glt::to_vector(policy, batch.features().flat()),
          glt::to_vector(policy, batch.labels())};
}

template <class Policy, class Loader>
std::vector<plain_batch> batches_of(Policy const& policy, Loader& loader, std::int64_t epoch,
                                    std::int64_t first_step = 0) {
  std::vector<plain_batch> batches;
  for (auto const& batch : loader.epoch(epoch, first_step)) {
    batches.push_back(copy_of(policy, batch));
  }
  return batches;
}

// Seeds of a rank: rank 0 has none, the others more and more.
std::vector<glt::global_id> loader_seeds(divided_graph const& divided, int rank) {
  std::vector<std::int64_t> seeds;
  for (std::int64_t i = 0; i < 9 * rank; ++i) {
    seeds.push_back((i * 11 + rank) % 257);
  }
  return divided.renumbered(seeds);
}

glt::neighbor_options const neighbors{.fanouts = {3, 2}, .edge_ids = true};
glt::dist::loader_options const options{.batch_size = 4, .shuffle = true, .seed = 6};

} // namespace

TEST_CASE_TEMPLATE("a loader over any policy, and one that delivers to it, give the batches of the host",
                   Policy, GLT_TEST_ONE_POLICY) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    for (bool const labels : {true, false}) {
      divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[2],
                                  comm.size());
      auto const seeds = loader_seeds(divided, comm.rank());

      glt::dist::graph const host_graph(comm, divided.part(comm.rank()));
      glt::dist::feature_store const host_features(comm, host_graph.book(),
                                                   divided.features(comm.rank(), 3, labels));
      glt::dist::loader host_loader(comm, glt::dist::neighbor_batches(host_graph, host_features, neighbors),
                                    seeds, options);
      auto const expected = batches_of(cpu(), host_loader, 2);
      CHECK(static_cast<std::int64_t>(expected.size()) == host_loader.num_steps());

      glt::dist::graph const graph(
          comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
      glt::dist::feature_store const features(
          comm, graph.book(), glt_test::device_features(divided, comm.rank(), 3, labels, policy));
      glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options,
                               policy);
      CHECK(batches_of(policy, loader, 2) == expected);

      auto delivered = glt::dist::to_device(host_loader, policy);
      CHECK(delivered.num_steps() == host_loader.num_steps());
      CHECK(batches_of(policy, delivered, 2) == expected);
      auto const middle = host_loader.num_steps() / 2;
      CHECK(batches_of(policy, delivered, 2, middle) ==
            std::vector<plain_batch>(expected.begin() + middle, expected.end()));
      for (auto const& batch : delivered.epoch(2)) { // left early
        CHECK(copy_of(policy, batch) == expected[0]);
        break;
      }
      CHECK(batches_of(policy, delivered, 2) == expected);
      CHECK_THROWS_AS(batches_of(policy, delivered, 2, -1), glt::precondition_error);
    }
  });
}

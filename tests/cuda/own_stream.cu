// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same on a stream of one's own as on the default one, with memory that goes from one to the other.
#include "support/device_parts.hpp"
#include "support/graphs.hpp"

#include <glt/comm/threads.hpp>
#include <glt/cuda/policy.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loader.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/subgraph.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a batch goes from sampler to sampler, each on its stream") {
  auto const graph = make_csr<device::cpu>(random_graph(400, 6001).view());
  neighbor_options const options{.fanouts = {5, 4}};
  std::vector<local_id> const seeds{3, 1, 4, 15, 9, 2, 6};
  neighbor_sampler<device::cpu> serial(graph.view(), options);
  sampled_subgraph<device::cpu> expected;
  sampled_subgraph<device::cuda> out;
  device::cuda const plain;
  for (std::int64_t step = 0; step < 6; ++step) {
    auto const policy = step % 2 == 0 ? plain : device::cuda(0);
    auto const there = copy<device::cuda>(graph.view(), policy);
    neighbor_sampler<device::cuda> sampler(there.view(), options, policy);
    sampler.sample(make_buffer<device::cuda>(seeds, policy).view(), {.seed = 2, .step = step}, out);
    serial.sample(seeds, {.seed = 2, .step = step}, expected);
    CHECK(to_vector(policy, out.nodes()) == to_vector(device::cpu(), expected.nodes()));
    CHECK(to_vector(policy, out.row()) == to_vector(device::cpu(), expected.row()));
  }
}

TEST_CASE("prefetched batches, made beside the policy's stream, are those that are not") {
  run_threads(1, [](threads_comm comm) {
    divided_graph const divided(random_graph(101, 370), all_partitioners()[0], 1);
    std::vector<local_id> const seeds{3, 1, 4, 15, 9, 2, 6, 5, 35, 8};
    for (auto const& policy : {device::cuda{}, device::cuda{0}}) {
      dist::graph<device::cuda, local_id> const graph(comm, device_part<device::cuda, local_id>(divided, 0, policy));
      dist::feature_store const features(comm, graph.book(), device_features(divided, 0, 16, true, policy));
      auto const take = [&](std::int64_t prefetch) {
        dist::loader loader(comm, dist::neighbor_batches(graph, features, neighbor_options{.fanouts = {3, 2}}), seeds,
                            {.batch_size = 2, .prefetch = prefetch}, policy);
        std::vector<std::vector<float>> rows;
        for (auto const& batch : loader.epoch(0)) {
          rows.push_back(to_vector(policy, batch.features().flat()));
        }
        return rows;
      };
      CHECK(take(2) == take(0));
    }
  });
}

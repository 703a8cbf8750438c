// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>

#include <iostream>
#include <vector>

using glt::device::cpu;

int main() {
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 12, .edge_factor = 8});
  auto const graph = glt::make_csr<cpu>(glt::symmetrize<cpu>(edges.view()).view());

  glt::neighbor_sampler<cpu> sampler(graph.view(), {.fanouts = {15, 10}});
  glt::sampled_subgraph<cpu> batch;
  std::vector<glt::local_id> const seeds{0, 1, 2, 3};
  sampler.sample(seeds, {.seed = 42, .epoch = 0, .step = 0}, batch);

  std::cout << batch.nodes().size() << " vertices, " << batch.row().size() << " edges\n";
  for (int layer = 0; layer < batch.num_hops(); ++layer) {
    auto const block = batch.block(layer);
    std::cout << "layer " << layer << ": from " << block.num_sources << " vertices to " << block.num_destinations
              << '\n';
  }
  return batch.row().empty() ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples neighbours in proportion to edge weights, several batches at once.
#include <glt/glt.hpp>

#include <algorithm>
#include <iostream>
#include <vector>

using glt::device::cpu;

int main() {
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 12, .edge_factor = 8});
  auto const graph = glt::make_csr<cpu>(edges.view(), {.edge_ids = true});
  std::vector<float> by_edge(static_cast<std::size_t>(graph.view().num_edges())); // in the order of the input
  for (std::size_t i = 0; i < by_edge.size(); ++i) {
    by_edge[i] = static_cast<float>(i % 4);
  }

  auto const weights = glt::make_edge_values<cpu>(graph.view(), glt::host_view<float const>(by_edge));
  glt::validate(graph.view(), weights.view());
  glt::weight_tables<cpu> const tables(graph.view(), weights.view());
  using rule = glt::weighted_rule<glt::memory_space::host>;
  glt::neighbor_sampler<cpu, glt::local_id, rule> sampler(graph.view(), {.fanouts = {15, 10}, .edge_ids = true},
                                                          {weights.view(), tables.view()}, cpu(2));

  std::vector<glt::local_id> const first{0, 1, 2};
  std::vector<glt::local_id> const second{3, 4, 5};
  std::vector<glt::host_view<glt::local_id const>> const seeds{first, second};
  std::vector<glt::sampled_subgraph<cpu>> batches(seeds.size());
  sampler.sample_bulk(seeds, {.seed = 42, .epoch = 0, .step = 0}, batches); // one thread a batch

  for (auto const& batch : batches) {
    bool const all_positive = std::ranges::all_of(batch.edge_ids(), [](auto id) { return id % 4 != 0; });
    std::cout << batch.row().size() << " edges, " << (all_positive ? "none" : "some") << " of weight 0\n";
    if (batch.row().empty() || !all_positive) {
      return 1;
    }
  }
  return 0;
}

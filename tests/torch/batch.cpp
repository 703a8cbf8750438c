// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/tensor.hpp>

#include <glt/dist/batch.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <vector>

using glt::device::cpu;

TEST_CASE("all tensors of a batch by name") {
  auto const graph = glt::make_csr<cpu>(glt::make_rmat<glt::local_id>({.scale = 6, .edge_factor = 4}).view());
  auto batch = std::make_shared<glt::dist::batch<cpu, glt::local_id, float>>();
  glt::neighbor_sampler<cpu> sampler(graph.view(), {.fanouts = {4, 3}});
  std::vector<glt::local_id> const seeds{3, 1};
  sampler.sample(seeds, {.seed = 4}, batch->subgraph);
  auto const num_nodes = batch->subgraph.nodes().size();
  auto const num_edges = batch->subgraph.row().size();
  batch->num_columns = 7;
  batch->rows.features.resize(7 * num_nodes);

  std::weak_ptr<void const> const alive = batch;
  auto tensors = glt::to_tensor(cpu(), std::move(batch));
  CHECK(tensors.size() == 10);
  CHECK(tensors["nodes"].sizes() == at::IntArrayRef({num_nodes}));
  CHECK(tensors["nodes"][0].item<std::int64_t>() == 3);
  CHECK(tensors["row"].sizes() == at::IntArrayRef({num_edges}));
  CHECK(static_cast<bool>(tensors["row"].scalar_type() == at::kInt));
  CHECK(tensors["features"].sizes() == at::IntArrayRef({num_nodes, 7}));
  CHECK(tensors["labels"].numel() == 0);
  CHECK(tensors["edge_ids"].numel() == 0);
  auto const offsets = tensors["offsets/0"];
  CHECK((offsets[-1] - offsets[0]).item<std::int64_t>() == num_edges);
  CHECK_FALSE(alive.expired());
  auto const kept = tensors["col"];
  tensors.clear();
  CHECK_FALSE(alive.expired());
  CHECK(kept.max().item<std::int64_t>() < num_nodes);
}

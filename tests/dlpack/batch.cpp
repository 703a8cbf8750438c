// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/batch.hpp>
#include <glt/dlpack/export.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/generators.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include "support/hetero_graphs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace glt;
using device::cpu;

namespace {

DLTensor const& find(std::vector<std::pair<std::string, dlpack_tensor>> const& tensors, std::string const& name) {
  auto const found = std::ranges::find(tensors, name, &std::pair<std::string, dlpack_tensor>::first);
  REQUIRE_MESSAGE(found != tensors.end(), name);
  return found->second->dl_tensor;
}

template <class View>
bool over(DLTensor const& tensor, View view) {
  return tensor.data == view.data() && tensor.ndim == 1 && tensor.shape[0] == view.size() &&
         detail::find_element_type(tensor.dtype) == detail::element_type_of<typename View::value_type>;
}

csr_graph<cpu> small_graph() {
  return make_csr<cpu>(make_rmat<local_id>({.scale = 6, .edge_factor = 4}).view(), {.edge_ids = true});
}

} // namespace

TEST_CASE("all tensors of a sample, for every kind of frontier, keep it alive") {
  auto const graph = small_graph();
  for (auto const expand : {frontier::fresh, frontier::all}) {
    for (bool const more : {false, true}) {
      neighbor_sampler<cpu> sampler(graph.view(),
                                    {.fanouts = {4, 3}, .expand = expand, .edge_ids = more, .disjoint = more});
      auto sample = std::make_shared<sampled_subgraph<cpu>>();
      std::vector<local_id> const seeds{3, 1, 3};
      sampler.sample(seeds, {.seed = 4}, *sample);

      auto tensors = to_dlpack(cpu(), sample);
      CHECK(tensors.size() == 8);
      CHECK(over(find(tensors, "nodes"), sample->nodes()));
      CHECK(over(find(tensors, "seed_index"), sample->seed_index()));
      CHECK(over(find(tensors, "batch"), sample->batch()));
      CHECK(over(find(tensors, "row"), sample->row()));
      CHECK(over(find(tensors, "col"), sample->col()));
      CHECK(over(find(tensors, "edge_ids"), sample->edge_ids()));
      CHECK(over(find(tensors, "offsets/0"), sample->block(0).offsets));
      CHECK(over(find(tensors, "offsets/1"), sample->block(1).offsets));
      CHECK((find(tensors, "batch").shape[0] == 0) != more);

      std::weak_ptr<sampled_subgraph<cpu>> const alive = sample;
      auto const first = sample->nodes()[0];
      sample.reset();
      CHECK(*static_cast<local_id const*>(find(tensors, "nodes").data) == first);
      tensors.resize(1);
      CHECK_FALSE(alive.expired());
      tensors.clear();
      CHECK(alive.expired());
    }
  }
}

TEST_CASE("all tensors of a batch of a loader") {
  using batch_type = dist::batch<cpu, local_id, float>;
  auto const graph = small_graph();
  auto batch = std::make_shared<batch_type>();
  neighbor_sampler<cpu> sampler(graph.view(), {.fanouts = {4}});
  std::vector<local_id> const seeds{3, 1};
  sampler.sample(seeds, {.seed = 4}, batch->subgraph);
  batch->num_columns = 7;
  batch->rows.features.resize(7 * batch->subgraph.nodes().size());
  batch->rows.labels.resize(2);
  batch->tensors.tensors.push_back({.name = "year", .type = element_type::int64, .num_rows = 2, .num_columns = 1});
  batch->tensors.tensors[0].bytes.resize(16);
  batch->edge_tensors.tensors.push_back(
      {.name = "weight", .type = element_type::float16, .num_rows = 3, .num_columns = 2});
  batch->edge_tensors.tensors[0].bytes.resize(12);

  auto const tensors = to_dlpack(cpu(), std::shared_ptr<batch_type const>(batch));
  CHECK(tensors.size() == 11);
  auto const& features = find(tensors, "features");
  CHECK(features.data == batch->rows.features.data());
  CHECK(features.ndim == 2);
  CHECK(features.shape[0] == batch->subgraph.nodes().size());
  CHECK(features.shape[1] == 7);
  CHECK(over(find(tensors, "labels"), batch->labels()));
  auto const& years = find(tensors, "tensors/year");
  CHECK(years.data == batch->tensors.tensors[0].bytes.data());
  CHECK(detail::find_element_type(years.dtype) == element_type::int64);
  auto const& weights = find(tensors, "edge_tensors/weight");
  CHECK(weights.shape[0] == 3);
  CHECK(weights.shape[1] == 2);
  CHECK(detail::find_element_type(weights.dtype) == element_type::float16);
  CHECK(over(find(tensors, "row"), batch->subgraph.row()));
}

TEST_CASE("all tensors of a heterogeneous sample carry the number of their type") {
  auto const list = glt_test::random_hetero_graph({{"a", 20}, {"b", 30}}, {{"a", "to", "b"}, {"b", "to", "a"}}, 90);
  auto const graph = list.graph();
  hetero_neighbor_sampler<cpu> sampler(graph.view(),
                                       {.fanouts = same_fanouts(graph.schema(), {3, 2}), .edge_ids = true});
  auto const sample = std::make_shared<hetero_subgraph<cpu>>();
  std::vector<local_id> const of_b{4, 5};
  std::vector<host_view<local_id const>> const seeds{{}, of_b};
  sampler.sample(seeds, {.seed = 4}, *sample);
  auto const tensors = to_dlpack(cpu(), sample);
  CHECK(tensors.size() == 2 * 3 + 2 * 5);
  for (int type = 0; type < 2; ++type) {
    auto const number = std::to_string(type);
    CHECK(over(find(tensors, "nodes/" + number), sample->nodes(type)));
    CHECK(over(find(tensors, "seed_index/" + number), sample->seed_index(type)));
    CHECK(over(find(tensors, "batch/" + number), sample->batch(type)));
    CHECK(over(find(tensors, "row/" + number), sample->row(type)));
    CHECK(over(find(tensors, "col/" + number), sample->col(type)));
    CHECK(over(find(tensors, "edge_ids/" + number), sample->edge_ids(type)));
    CHECK(over(find(tensors, "offsets/" + number + "/0"), sample->block(type, 0).offsets));
    CHECK(over(find(tensors, "offsets/" + number + "/1"), sample->block(type, 1).offsets));
  }
}

TEST_CASE("an unused sample has tensors without elements, and no batch is refused") {
  auto const tensors = to_dlpack(cpu(), std::make_shared<sampled_subgraph<cpu> const>());
  CHECK(tensors.size() == 6);
  for (auto const& each : tensors) {
    CHECK(each.second->dl_tensor.shape[0] == 0);
  }
  CHECK_THROWS_WITH_AS((void)to_dlpack(cpu(), std::shared_ptr<sampled_subgraph<cpu>>()),
                       "export of no batch; give one that the tensors can keep", precondition_error);
}

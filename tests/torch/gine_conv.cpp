// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/gine_conv.hpp>

#include <glt/core/error.hpp>

#include "torch/layers.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

constexpr glt::gine_conv::options options{.in = 4, .edge = 3, .out = 5, .epsilon = 0.5, .learn_epsilon = true};

// Features of an edge, from its number.
at::Tensor features_of(at::Tensor const& ids) {
  return (ids.to(at::kDouble).unsqueeze(1) * at::arange(1, 1 + options.edge, at::kDouble)).sin();
}

/// W₂ relu(W₁ ((1 + ε) x + Σ relu(x_u + L e)) + b₁) + b₂, with a row for every edge.
at::Tensor dense_layer(glt::gine_conv layer, at::Tensor const& x, glt_test::dense_graph const& graph) {
  auto const parameters = layer->named_parameters();
  auto const linear = [&](char const* name, at::Tensor const& rows) {
    return rows.mm(parameters[std::string(name) + ".weight"].t()) + parameters[std::string(name) + ".bias"];
  };
  auto const num_edges = static_cast<std::int64_t>(graph.row.size());
  auto const index = [](std::vector<glt::local_id> const& of) { return at::tensor(of, at::kInt); };
  auto const edges = linear("edges", features_of(at::arange(num_edges)));
  auto const messages = (x.index_select(0, index(graph.row)) + edges).relu();
  auto const sums =
      at::zeros({graph.num_destinations, options.in}, at::kDouble).index_add(0, index(graph.col), messages);
  auto const rows = (1 + parameters["epsilon"]) * x.narrow(0, 0, graph.num_destinations) + sums;
  return linear("second", linear("first", rows).relu());
}

// The layer with the features of a block's edges.
struct layer_of_block : glt::gine_conv {
  using glt::gine_conv::gine_conv;
  at::Tensor operator()(at::Tensor const& x, glt::block_view<glt::memory_space::host> block) {
    return glt::gine_conv::operator()(x, features_of(at::arange(block.row.size())), block);
  }
};

constexpr auto with_features = [](glt::gine_conv& layer, at::Tensor const& x, auto& graph,
                                  glt_test::original_ids const& ids) {
  return layer(x, features_of(ids.edges), graph);
};

} // namespace

TEST_CASE("gine_conv over a block equals the dense layer, with isolated destinations, without edges and "
          "without seeds") {
  glt_test::check_on_blocks<layer_of_block>(options, false,
                                            [](glt::gine_conv const& layer, at::Tensor const& x,
                                               glt_test::dense_graph const& graph,
                                               at::Tensor const&) { return dense_layer(layer, x, graph); });
}

TEST_CASE("gine_conv over ranks equals the dense layer over the whole graph, and its gradients do") {
  glt_test::check_on_ranks<glt::gine_conv>(
      options,
      [](glt::gine_conv const& layer, at::Tensor const& x, glt_test::dense_graph const& graph, at::Tensor const&) {
        return dense_layer(layer, x, graph);
      },
      with_features);
}

TEST_CASE("the gradients of gine_conv over ranks agree with finite differences") {
  glt_test::check_differences<glt::gine_conv>(options, with_features);
}

TEST_CASE("a rank on which gine_conv fails, for want of memory as well, fails all ranks with the same error") {
  glt_test::check_failures<glt::gine_conv>(options, with_features);
}

TEST_CASE(
    "gine_conv over message-flow graphs, and over blocks with all neighbours, equals the one over the whole graph at "
    "the seeds") {
  auto const list = glt_test::random_graph(101, 170);
  auto layer = glt_test::make_layer<glt::gine_conv>(options);
  auto const x = glt_test::numbers(list.num_vertices, options.in);
  glt::serial_comm comm;
  glt::dist::graph const graph(comm, glt_test::divided_graph(list, glt_test::all_partitioners()[0], 1).part(0));
  glt::dist::sharded_graph<glt::serial_comm, glt_test::cpu> whole(comm, graph);
  std::vector<glt::local_id> const seeds{7, 3, 50};
  auto mfgs = glt::dist::make_mfgs(comm, graph, seeds, 1);
  auto const select = [](at::Tensor const& rows, std::vector<glt::local_id> const& places) {
    return rows.index_select(0, at::tensor(places, at::kInt));
  };
  auto const expected = layer(x, features_of(glt::to_tensor(graph.local().edge_ids())), whole);
  auto const made = layer(select(x, mfgs.inputs), features_of(glt::to_tensor(mfgs.edge_ids[0].view())), mfgs.layers[0]);
  CHECK(glt_test::largest(made - select(expected, seeds)) < 1e-12);

  auto const rows = glt::make_csr<glt_test::cpu>(list.view(), {.edge_ids = true});
  glt::neighbor_sampler<glt_test::cpu, glt::local_id> sampler(rows.view(), {.fanouts = {-1}, .edge_ids = true});
  glt::sampled_subgraph<glt_test::cpu> batch;
  sampler.sample(glt::host_view<glt::local_id const>(seeds), {}, batch);
  auto const block = batch.block(0);
  auto const sampled =
      layer(x.index_select(0, glt::to_tensor(batch.nodes())), features_of(glt::to_tensor(block.edge_ids)), block);
  CHECK(glt_test::largest(sampled - select(expected, seeds)) < 1e-12);
}

TEST_CASE("gine_conv refuses widths, inputs and edges that do not fit") {
  CHECK_THROWS_AS(glt::gine_conv({.in = 2, .edge = 0, .out = 2}), glt::precondition_error);
  CHECK_THROWS_AS(glt::gine_conv({.in = 0, .edge = 1, .out = 2}), glt::precondition_error);
  glt_test::random_block const block(4, 2, 2, 1);
  auto const num_edges = static_cast<std::int64_t>(block.row.size());
  glt::gine_conv layer({.in = 3, .edge = 2, .out = 2});
  auto const refuses = [&](at::Tensor const& x, at::Tensor const& edges) {
    CHECK_THROWS_AS(static_cast<void>(layer(x, edges, block.view())), glt::precondition_error);
  };
  refuses(at::zeros({4, 2}), at::zeros({num_edges, 2}));
  refuses(at::zeros({5, 3}), at::zeros({num_edges, 2}));
  refuses(at::zeros({4, 3}), at::zeros({num_edges, 3}));
  refuses(at::zeros({4, 3}), at::zeros({num_edges + 1, 2}));
  refuses(at::zeros({4, 3}), at::Tensor());
}

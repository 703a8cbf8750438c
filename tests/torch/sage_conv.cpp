// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/sage_conv.hpp>

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/torch/tensor.hpp>

#include "torch/random_block.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

/// The layer as matrices: x[:n] W_selfᵀ + b + (A x) W_neighborᵀ, A the row-normalised adjacency of the block.
at::Tensor dense_layer(glt::sage_conv layer, at::Tensor const& x, glt_test::random_block const& block) {
  auto const adjacency = at::zeros({block.num_destinations, block.num_sources});
  for (std::size_t e = 0; e < block.row.size(); ++e) {
    adjacency[block.col[e]][block.row[e]] += 1;
  }
  auto const mean = (adjacency / adjacency.sum(1, true).clamp_min(1)).mm(x);
  auto const parameters = layer->named_parameters();
  return x.slice(0, 0, block.num_destinations).mm(parameters["self.weight"].t()) + parameters["self.bias"] +
         mean.mm(parameters["neighbor.weight"].t());
}

double largest(at::Tensor const& difference) {
  return difference.numel() == 0 ? 0.0 : difference.abs().max().item<double>();
}

} // namespace

TEST_CASE("sage_conv equals the dense layer, with isolated destinations, without edges and without seeds") {
  struct shape {
    std::int64_t sources, destinations, max_degree;
  };
  for (auto const [sources, destinations, max_degree] :
       {shape{1, 1, 0}, shape{1, 1, 3}, shape{23, 9, 4}, shape{57, 57, 6}, shape{7, 7, 0}, shape{5, 0, 2}}) {
    CAPTURE(sources);
    CAPTURE(destinations);
    glt_test::random_block const block(sources, destinations, max_degree, 3);
    at::manual_seed(1);
    glt::sage_conv layer({.in = 6, .out = 5});
    auto const x = at::randn({sources, 6}).requires_grad_();
    auto const y = layer(x, block.view());
    REQUIRE(y.sizes() == at::IntArrayRef({destinations, 5}));
    CHECK(largest(y - dense_layer(layer, x, block)) < 1e-5);

    auto const weights = at::randn({destinations, 5});
    (y * weights).sum().backward();
    auto const gradient = x.grad().clone();
    x.mutable_grad().zero_();
    (dense_layer(layer, x, block) * weights).sum().backward();
    CHECK(largest(gradient - x.grad()) < 1e-5);
  }
}

TEST_CASE("sage_conv without sources gives no rows and finite gradients") {
  std::vector<glt::edge_offset> const offsets{0};
  glt::block_view<glt::memory_space::host> const empty{.num_sources = 0,
                                                       .num_destinations = 0,
                                                       .offsets =
                                                           glt::host_view<glt::edge_offset const>(offsets),
                                                       .row = {},
                                                       .col = {},
                                                       .edge_ids = {}};
  glt::sage_conv layer({.in = 3, .out = 2});
  auto const y = layer(at::zeros({0, 3}), empty);
  CHECK(y.sizes() == at::IntArrayRef({0, 2}));
  y.sum().backward();
  for (auto const& parameter : layer->parameters()) {
    REQUIRE(parameter.grad().defined());
    CHECK(parameter.grad().abs().sum().item<float>() == 0.0F);
  }
}

TEST_CASE(
    "two layers over sampled blocks equal two layers over the whole graph when all neighbours are taken") {
  // 0 ← 1 twice, 0 ← 0, 1 ← 2, 2 ← 3, 3 ← 4, 5 isolated
  std::vector<glt::local_id> const sources{1, 1, 0, 2, 3, 4};
  std::vector<glt::local_id> const destinations{0, 0, 0, 1, 2, 3};
  auto const graph =
      glt::make_csr<glt::device::cpu>(glt::coo_view<glt::memory_space::host>(6, sources, destinations));
  at::manual_seed(5);
  glt::sage_conv first({.in = 4, .out = 8});
  glt::sage_conv second({.in = 8, .out = 3});
  auto const x = at::randn({6, 4});

  auto const every = graph.view();
  glt::block_view<glt::memory_space::host> const whole{.num_sources = 6,
                                                       .num_destinations = 6,
                                                       .offsets = every.offsets(),
                                                       .row = every.sources(),
                                                       .col = {},
                                                       .edge_ids = {}};
  auto const expected = second(first(x, whole).relu(), whole);

  for (auto const expand : {glt::frontier::fresh, glt::frontier::all}) {
    glt::neighbor_sampler<glt::device::cpu, glt::local_id> sampler(every,
                                                                   {.fanouts = {-1, -1}, .expand = expand});
    glt::sampled_subgraph<glt::device::cpu> batch;
    std::vector<glt::local_id> const seeds{0, 5, 2, 0};
    sampler.sample(glt::host_view<glt::local_id const>(seeds), {}, batch);
    auto const inputs = x.index_select(0, glt::to_tensor(batch.nodes()));
    auto const y = second(first(inputs, batch.block(0)).relu(), batch.block(1))
                       .index_select(0, glt::to_tensor(batch.seed_index()));
    auto const wanted = expected.index_select(0, glt::to_tensor(glt::host_view<glt::local_id const>(seeds)));
    CHECK(largest(y - wanted) < 1e-5);
  }
}

TEST_CASE("sage_conv refuses widths and inputs that do not fit") {
  CHECK_THROWS_AS(glt::sage_conv({.in = 0, .out = 2}), glt::precondition_error);
  CHECK_THROWS_AS(glt::sage_conv({.in = 2, .out = -1}), glt::precondition_error);
  glt_test::random_block const block(4, 2, 2, 1);
  glt::sage_conv layer({.in = 3, .out = 2});
  CHECK_THROWS_AS(static_cast<void>(layer(at::zeros({4, 2}), block.view())), glt::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(layer(at::zeros({5, 3}), block.view())), glt::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(layer(at::Tensor(), block.view())), glt::precondition_error);
}

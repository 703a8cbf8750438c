// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/layers.hpp>

#include <glt/core/error.hpp>

#include "torch/layers.hpp"

#include <doctest/doctest.h>

namespace {

/// W₂ relu(W₁ ((1 + ε) x + A x) + b₁) + b₂.
at::Tensor dense_layer(glt::gin_conv layer, at::Tensor const& x, glt_test::dense_graph const& graph,
                       at::Tensor const& degrees) {
  auto const parameters = layer->named_parameters();
  auto const* const learnt = parameters.find("epsilon");
  auto const epsilon = learnt != nullptr ? *learnt : layer->named_buffers()["epsilon"];
  auto const sum = (1 + epsilon) * x.narrow(0, 0, graph.num_destinations) + graph.sum(x, degrees);
  auto const hidden = (sum.mm(parameters["first.weight"].t()) + parameters["bias"]).relu();
  return hidden.mm(parameters["second.weight"].t()) + parameters["second.bias"];
}

} // namespace

TEST_CASE("gin_conv over a block equals the dense layer, with isolated destinations, without edges and without seeds") {
  for (bool const learns : {true, false}) {
    for (bool const with_degrees : {false, true}) {
      glt_test::check_on_blocks<glt::gin_conv>(glt::gin_conv::options{6, 5, 0.5, learns}, with_degrees, dense_layer);
      glt_test::check_on_blocks<glt::gin_conv>(glt::gin_conv::options{3, 5, 0, learns}, with_degrees, dense_layer);
    }
  }
}

TEST_CASE("gin_conv over ranks equals the dense layer over the whole graph") {
  for (bool const learns : {true, false}) {
    glt_test::check_on_ranks<glt::gin_conv>(glt::gin_conv::options{6, 5, 0.5, learns}, dense_layer);
    glt_test::check_on_ranks<glt::gin_conv>(glt::gin_conv::options{3, 5, 0, learns}, dense_layer);
  }
}

TEST_CASE("the gradients of gin_conv over ranks agree with finite differences") {
  glt_test::check_differences<glt::gin_conv>(glt::gin_conv::options{3, 2, 0.5, true});
}

TEST_CASE("gin_conv over blocks with all neighbours equals the one over the whole graph at the seeds") {
  glt_test::check_sampled<glt::gin_conv>(glt::gin_conv::options{4, 8, 0.25});
  glt_test::check_sampled<glt::gin_conv>(glt::gin_conv::options{8, 3});
}

TEST_CASE("gin_conv over message-flow graphs equals the one over the whole graph at the seeds") {
  glt_test::check_mfgs<glt::gin_conv>(glt::gin_conv::options{4, 8, 0.25, true});
  glt_test::check_mfgs<glt::gin_conv>(glt::gin_conv::options{8, 3});
}

TEST_CASE("gin_conv sends the narrower rows") {
  glt_test::check_columns<glt::gin_conv>(glt::gin_conv::options{}, 3, 11);
}

TEST_CASE("a rank on which gin_conv fails, for want of memory as well, fails all ranks with the same error") {
  glt_test::check_failures<glt::gin_conv>(glt::gin_conv::options{3, 2});
}

TEST_CASE("gin_conv refuses widths and inputs that do not fit") {
  CHECK_THROWS_AS(glt::gin_conv({.in = 0, .out = 2}), glt::precondition_error);
  CHECK_THROWS_AS(glt::gin_conv({.in = 2, .out = -1}), glt::precondition_error);
  glt_test::random_block const block(4, 2, 2, 1);
  glt::gin_conv layer({.in = 3, .out = 2});
  CHECK_THROWS_AS(static_cast<void>(layer(at::zeros({4, 2}), block.view())), glt::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(layer(at::zeros({5, 3}), block.view())), glt::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(layer(at::Tensor(), block.view())), glt::precondition_error);
}

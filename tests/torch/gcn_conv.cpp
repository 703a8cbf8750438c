// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/layers.hpp>

#include <glt/core/error.hpp>

#include "torch/layers.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace {

/// D^−½ (A + I) D^−½ x Wᵀ + b as matrices, or without I; rows of A stand for as many edges as the degrees say.
auto dense_with(bool loops) {
  return [loops](glt::gcn_conv const& layer, at::Tensor const& x, glt_test::dense_graph const& graph,
                 at::Tensor const& degrees) {
    auto const n = graph.num_destinations;
    auto const own = degrees.narrow(0, 0, n);
    auto matrix = graph.adjacency() / graph.in_degrees().clamp_min(1) * own;
    auto all = degrees.clone();
    if (loops) {
      matrix = matrix + at::eye(n, graph.num_sources, at::kDouble);
      all = all + 1;
    }
    auto scale = all.pow(-0.5);
    scale.masked_fill_(all == 0, 0);
    auto const parameters = layer->named_parameters();
    return (scale.narrow(0, 0, n) * matrix * scale.t()).mm(x).mm(parameters["linear.weight"].t()) + parameters["bias"];
  };
}

} // namespace

TEST_CASE("gcn_conv over a block equals the dense layer, with isolated destinations, without edges and without seeds") {
  for (bool const loops : {true, false}) {
    glt_test::check_on_blocks<glt::gcn_conv>(glt::gcn_conv::options{6, 5, loops}, true, dense_with(loops));
    glt_test::check_on_blocks<glt::gcn_conv>(glt::gcn_conv::options{3, 5, loops}, true, dense_with(loops));
  }
}

TEST_CASE("gcn_conv over ranks equals the dense layer over the whole graph") {
  for (bool const loops : {true, false}) {
    glt_test::check_on_ranks<glt::gcn_conv>(glt::gcn_conv::options{6, 5, loops}, dense_with(loops));
    glt_test::check_on_ranks<glt::gcn_conv>(glt::gcn_conv::options{3, 5, loops}, dense_with(loops));
  }
}

TEST_CASE("the gradients of gcn_conv over ranks agree with finite differences") {
  glt_test::check_differences<glt::gcn_conv>(glt::gcn_conv::options{3, 2, true});
  glt_test::check_differences<glt::gcn_conv>(glt::gcn_conv::options{2, 3, false});
}

TEST_CASE("gcn_conv over blocks with all neighbours equals the one over the whole graph at the seeds") {
  for (bool const loops : {true, false}) {
    glt_test::check_sampled<glt::gcn_conv>(glt::gcn_conv::options{4, 8, loops});
    glt_test::check_sampled<glt::gcn_conv>(glt::gcn_conv::options{8, 3, loops});
  }
}

TEST_CASE("gcn_conv over message-flow graphs equals the one over the whole graph at the seeds") {
  for (bool const loops : {true, false}) {
    glt_test::check_mfgs<glt::gcn_conv>(glt::gcn_conv::options{4, 8, loops});
    glt_test::check_mfgs<glt::gcn_conv>(glt::gcn_conv::options{8, 3, loops});
  }
}

TEST_CASE("gcn_conv sends the narrower rows") {
  glt_test::check_columns<glt::gcn_conv>(glt::gcn_conv::options{}, 3, 11);
}

TEST_CASE("a rank on which gcn_conv fails, for want of memory as well, fails all ranks with the same error") {
  glt_test::check_failures<glt::gcn_conv>(glt::gcn_conv::options{3, 2});
}

TEST_CASE("gcn_conv refuses widths and inputs that do not fit, and blocks without degrees") {
  CHECK_THROWS_AS(glt::gcn_conv({.in = 0, .out = 2}), glt::precondition_error);
  CHECK_THROWS_AS(glt::gcn_conv({.in = 2, .out = -1}), glt::precondition_error);
  glt_test::random_block const block(4, 2, 2, 1);
  glt::gcn_conv layer({.in = 3, .out = 2});
  auto const refuses = [&](at::Tensor const& x, at::Tensor const& degrees) {
    CHECK_THROWS_AS(static_cast<void>(layer(x, block.view(), degrees)), glt::precondition_error);
  };
  refuses(at::zeros({4, 2}), at::zeros({4}));
  refuses(at::zeros({5, 3}), at::zeros({5}));
  refuses(at::Tensor(), at::zeros({4}));
  refuses(at::zeros({4, 3}), at::zeros({3}));
  refuses(at::zeros({4, 3}), at::zeros({4, 1}));
  refuses(at::zeros({4, 3}), {});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/layers.hpp>

#include <glt/core/error.hpp>

#include "torch/layers.hpp"

#include <doctest/doctest.h>

using glt::dist::aggregator;

namespace {

constexpr aggregator all_aggregators[] = {aggregator::mean, aggregator::sum, aggregator::max, aggregator::min};

/// x[:n] W_selfᵀ + b + aggregate(x) W_neighborᵀ.
at::Tensor dense_layer(glt::sage_conv layer, aggregator how, at::Tensor const& x, glt_test::dense_graph const& graph,
                       at::Tensor const& degrees) {
  auto const parameters = layer->named_parameters();
  auto const gathered = how == aggregator::sum ? graph.sum(x, degrees) : graph.aggregate(x, how);
  return x.narrow(0, 0, graph.num_destinations).mm(parameters["self.weight"].t()) + parameters["self.bias"] +
         gathered.mm(parameters["neighbor.weight"].t());
}

auto dense_by(aggregator how) {
  return [how](glt::sage_conv const& layer, at::Tensor const& x, glt_test::dense_graph const& graph,
               at::Tensor const& degrees) { return dense_layer(layer, how, x, graph, degrees); };
}

} // namespace

TEST_CASE(
    "sage_conv over a block equals the dense layer, with isolated destinations, without edges and without seeds") {
  for (auto const how : all_aggregators) {
    for (bool const with_degrees : {false, true}) {
      glt_test::check_on_blocks<glt::sage_conv>(glt::sage_conv::options{6, 5, how}, with_degrees, dense_by(how));
      glt_test::check_on_blocks<glt::sage_conv>(glt::sage_conv::options{3, 5, how}, with_degrees, dense_by(how));
    }
  }
}

TEST_CASE("sage_conv over ranks equals the dense layer over the whole graph") {
  for (auto const how : all_aggregators) {
    glt_test::check_on_ranks<glt::sage_conv>(glt::sage_conv::options{6, 5, how}, dense_by(how));
    glt_test::check_on_ranks<glt::sage_conv>(glt::sage_conv::options{3, 5, how}, dense_by(how));
  }
}

TEST_CASE("the gradients of sage_conv over ranks agree with finite differences") {
  for (auto const how : all_aggregators) {
    glt_test::check_differences<glt::sage_conv>(glt::sage_conv::options{3, 2, how});
  }
}

TEST_CASE("sage_conv over blocks with all neighbours equals the one over the whole graph at the seeds") {
  for (auto const how : all_aggregators) {
    glt_test::check_sampled<glt::sage_conv>(glt::sage_conv::options{4, 8, how});
    glt_test::check_sampled<glt::sage_conv>(glt::sage_conv::options{8, 3, how});
  }
}

TEST_CASE("sage_conv over message-flow graphs equals the one over the whole graph at the seeds") {
  for (auto const how : all_aggregators) {
    glt_test::check_mfgs<glt::sage_conv>(glt::sage_conv::options{4, 8, how});
    glt_test::check_mfgs<glt::sage_conv>(glt::sage_conv::options{8, 3, how});
  }
}

TEST_CASE("sage_conv sends the narrower rows, but for an extreme those of its input") {
  glt_test::check_columns<glt::sage_conv>(glt::sage_conv::options{}, 3, 11);
  glt_test::check_columns<glt::sage_conv>(glt::sage_conv::options{.how = aggregator::sum}, 3, 11);
  glt_test::check_columns_sent<glt::sage_conv>(glt::sage_conv::options{7, 2, aggregator::max}, true, 7, 7);
}

TEST_CASE("a rank on which sage_conv fails, for want of memory as well, fails all ranks with the same error") {
  glt_test::check_failures<glt::sage_conv>(glt::sage_conv::options{3, 2});
}

TEST_CASE("sage_conv refuses widths and inputs that do not fit") {
  CHECK_THROWS_AS(glt::sage_conv({.in = 0, .out = 2}), glt::precondition_error);
  CHECK_THROWS_AS(glt::sage_conv({.in = 2, .out = -1}), glt::precondition_error);
  glt_test::random_block const block(4, 2, 2, 1);
  glt::sage_conv layer({.in = 3, .out = 2});
  auto const refuses = [&](at::Tensor const& x, at::Tensor const& degrees = {}) {
    glt::sage_conv sum({.in = 3, .out = 2, .how = aggregator::sum});
    CHECK_THROWS_AS(static_cast<void>(sum(x, block.view(), degrees)), glt::precondition_error);
  };
  refuses(at::zeros({4, 2}));
  refuses(at::zeros({5, 3}));
  refuses(at::Tensor());
  refuses(at::zeros({4, 3}), at::zeros({2}));
}

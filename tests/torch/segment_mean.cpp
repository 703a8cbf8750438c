// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/segment_mean.hpp>

#include <glt/core/error.hpp>

#include "torch/random_block.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace {

at::Tensor naive_mean(at::Tensor const& x, glt_test::random_block const& block) {
  auto const sum = at::zeros({block.num_destinations, x.size(1)}, x.options());
  auto const degree = at::zeros({block.num_destinations, 1}, x.options());
  for (std::size_t e = 0; e < block.row.size(); ++e) {
    sum[block.col[e]] += x[block.row[e]];
    degree[block.col[e]] += 1;
  }
  return sum / degree.clamp_min(1);
}

double largest(at::Tensor const& difference) {
  return difference.numel() == 0 ? 0.0 : difference.abs().max().item<double>();
}

} // namespace

TEST_CASE("segment_mean equals the naive mean, forward and backward") {
  struct shape {
    std::int64_t sources, destinations, max_degree, width;
  };
  for (auto const [sources, destinations, max_degree, width] :
       {shape{1, 1, 1, 1}, shape{17, 5, 3, 7}, shape{33, 33, 9, 1}, shape{101, 40, 11, 65}, shape{8, 3, 0, 4},
        shape{9, 0, 2, 3}, shape{6, 2, 4, 0}}) {
    CAPTURE(sources);
    CAPTURE(destinations);
    CAPTURE(width);
    glt_test::random_block const block(sources, destinations, max_degree, 11);
    at::manual_seed(3);
    for (auto const type : {at::kFloat, at::kDouble}) {
      auto const x = at::randn({sources, width}, type).requires_grad_();
      auto const weights = at::randn({destinations, width}, type);
      auto const mean = glt::segment_mean(x, block.view());
      REQUIRE(mean.sizes() == at::IntArrayRef({destinations, width}));
      CHECK(largest(mean - naive_mean(x.detach(), block)) < 1e-5);

      (mean * weights).sum().backward();
      auto const again = x.detach().clone().requires_grad_();
      ((naive_mean(again, block) * weights).sum() + 0 * again.sum()).backward(); // a block may have no edges
      CHECK(x.grad().sizes() == x.sizes());
      CHECK(largest(x.grad() - again.grad()) < 1e-5);
    }
  }
}

TEST_CASE("the gradient of segment_mean agrees with finite differences") {
  glt_test::random_block const block(11, 6, 4, 5);
  at::manual_seed(8);
  auto const x = at::randn({11, 3}, at::kDouble).requires_grad_();
  auto const weights = at::randn({6, 3}, at::kDouble);
  auto const loss = [&](at::Tensor const& at_x) {
    return (glt::segment_mean(at_x, block.view()).pow(2) * weights).sum();
  };
  loss(x).backward();
  double const step = 1e-5;
  for (std::int64_t i = 0; i < 11; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      auto const up = x.detach().clone();
      auto const down = x.detach().clone();
      up[i][j] += step;
      down[i][j] -= step;
      auto const slope = (loss(up) - loss(down)).item<double>() / (2 * step);
      CHECK(x.grad()[i][j].item<double>() == doctest::Approx(slope).epsilon(1e-6));
    }
  }
}

TEST_CASE("segment_mean reads tensors of any strides and leaves gradients to those who ask") {
  glt_test::random_block const block(12, 5, 3, 2);
  at::manual_seed(4);
  auto const transposed = at::randn({4, 12}).t();
  auto const mean = glt::segment_mean(transposed, block.view());
  CHECK(largest(mean - naive_mean(transposed, block)) < 1e-5);
  CHECK_FALSE(mean.requires_grad());

  auto const x = at::randn({12, 4}).requires_grad_();
  glt::segment_mean(x, block.view()).sum().backward(); // its gradient arrives expanded, with strides 0
  auto const again = x.detach().clone().requires_grad_();
  naive_mean(again, block).sum().backward();
  CHECK(largest(x.grad() - again.grad()) < 1e-5);
}

TEST_CASE("segment_mean refuses what is not one row of floats per source") {
  glt_test::random_block const block(4, 2, 2, 1);
  CHECK_THROWS_AS(static_cast<void>(glt::segment_mean(at::Tensor(), block.view())), glt::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(glt::segment_mean(at::zeros({4}), block.view())),
                  glt::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(glt::segment_mean(at::zeros({4, 2}, at::kLong), block.view())),
                  glt::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(glt::segment_mean(at::zeros({0, 2}), glt::block_view<glt::memory_space::host>())),
                  glt::precondition_error); // a block without offsets
  try {
    static_cast<void>(glt::segment_mean(at::zeros({3, 2}), block.view()));
    FAIL("3 rows for 4 sources were accepted");
  } catch (glt::precondition_error const& refusal) {
    CHECK(std::string(refusal.what()).find("[3, 2]") != std::string::npos);
    CHECK(std::string(refusal.what()).find("[4, F]") != std::string::npos);
  }
}

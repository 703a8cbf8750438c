// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

#include <torch/types.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <vector>

namespace glt_test {

/// The gradients of the sum of all ranks' `loss()` by matrices of doubles, the same on all ranks, against its finite
/// differences.
template <class Comm, class Loss>
void check_slopes(Comm comm, std::vector<at::Tensor> const& inputs, Loss loss) {
  auto const sum = [&](double of_rank) {
    comm.all_reduce(std::span(&of_rank, 1), glt::reduction::sum);
    return of_rank;
  };
  for (auto const& input : inputs) {
    input.mutable_grad().reset();
  }
  loss().backward();
  at::NoGradGuard const no_gradients;
  for (auto const& input : inputs) {
    auto const gradient = input.grad().defined() ? input.grad().contiguous() : at::zeros_like(input);
    for (std::int64_t i = 0; i < input.numel(); ++i) {
      constexpr double step = 1e-5;
      auto& value = input.data_ptr<double>()[i];
      auto const kept = value;
      value = kept + step;
      auto const above = sum(loss().template item<double>());
      value = kept - step;
      auto const below = sum(loss().template item<double>());
      value = kept;
      CHECK(sum(gradient.template data_ptr<double>()[i]) ==
            doctest::Approx((above - below) / (2 * step)).epsilon(1e-6));
    }
  }
}

} // namespace glt_test

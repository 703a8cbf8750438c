// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/message_graph.hpp>

#include <glt/core/error.hpp>
#include <glt/torch/threads.hpp>

#include <torch/autograd.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

using glt::detail::row_product;

namespace {

at::Tensor random_matrix(at::IntArrayRef shape) {
  return at::randn(shape, at::kDouble).requires_grad_();
}

double largest_difference(at::Tensor const& a, at::Tensor const& b) {
  CHECK(a.sizes() == b.sizes());
  return a.numel() == 0 ? 0 : (a - b).abs().max().item<double>();
}

} // namespace

TEST_CASE(
    "a product of rows in ranges equals that of whole matrices, and so do its gradients, in place and with a bias") {
  at::manual_seed(1);
  for (std::int64_t const count : {0, 1, 2, 1023, 2049, 20000}) {
    for (int const kind : {0, 1, 2}) { // without a bias, with one, onto rows
      auto const x = random_matrix({count, 5});
      auto const weight = random_matrix({3, 5});
      auto const start = kind == 0   ? at::empty({0}, at::kDouble)
                         : kind == 1 ? random_matrix({3})
                                     : random_matrix({count, 3});
      auto const y = row_product::apply(kind == 2 ? start * 1 : start, x, weight);
      auto const expected = x.mm(weight.t()) + (kind == 0 ? at::zeros({3}, at::kDouble) : start);
      CHECK(largest_difference(y, expected) < 1e-10);
      auto const gradient = at::randn({count, 3}, at::kDouble);
      y.backward(gradient);
      CHECK(largest_difference(x.grad(), gradient.mm(weight)) < 1e-10);
      CHECK(largest_difference(weight.grad(), gradient.t().mm(x)) < 1e-9);
      if (kind == 1) {
        CHECK(largest_difference(start.grad(), gradient.sum(0)) < 1e-9);
      }
    }
  }
}

TEST_CASE("bits of a product of rows do not depend on the number of threads, which stays as it is") {
  auto const before = at::get_num_threads();
  for (std::int64_t const count : {1500, 5000}) { // one range, and several
    auto const run = [&](int threads) {
      glt::set_torch_threads(threads);
      at::manual_seed(2);
      auto const x = at::randn({count, 256}).requires_grad_(); // libraries divide products of such sizes
      auto const weight = at::randn({200, 256}).requires_grad_();
      auto const bias = at::randn({200}).requires_grad_();
      auto const y = row_product::apply(row_product::apply(bias, x, weight), x, weight);
      y.backward(at::randn({count, 200}));
      CHECK(at::get_num_threads() == threads);
      return at::cat({y.flatten(), x.grad().flatten(), weight.grad().flatten(), bias.grad()});
    };
    auto const expected = run(1);
    CHECK(run(2).equal(expected));
    CHECK(run(3).equal(expected));
  }
  glt::set_torch_threads(before);
}

TEST_CASE("a product of rows has gradients only where they are needed, and no second ones") {
  auto const x = at::randn({4, 2});
  auto const weight = at::randn({3, 2}).requires_grad_();
  auto const none = at::empty({0});
  row_product::apply(none, x, weight).sum().backward();
  CHECK(weight.grad().defined());
  CHECK(!x.grad().defined());
  auto const y = row_product::apply(none, x, weight);
  auto const twice = [&] { torch::autograd::grad({y}, {weight}, {at::ones({4, 3})}, true, true); };
  CHECK_THROWS_AS(twice(), glt::precondition_error);
  at::NoGradGuard const no_gradients;
  CHECK(!row_product::apply(none, x, weight).requires_grad());
}

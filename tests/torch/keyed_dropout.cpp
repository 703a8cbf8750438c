// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/layers.hpp>

#include <glt/core/error.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

TEST_CASE("keyed_dropout drops the share, scales what stays, and passes gradients where it kept") {
  auto const x = at::ones({400, 50}).requires_grad_();
  auto const ids = at::arange(400);
  auto const y = glt::keyed_dropout(x, 0.25, glt::random_key(1), ids);
  auto const dropped = y.detach().eq(0).sum().item<double>();
  CHECK(std::abs(dropped - 5000) < 5 * std::sqrt(20000 * 0.25 * 0.75));
  CHECK(y.detach().max().item<float>() == doctest::Approx(1 / 0.75));
  y.sum().backward();
  CHECK(at::equal(x.grad(), y.detach()));
  CHECK(at::equal(glt::keyed_dropout(x, 0, glt::random_key(1), ids), x));
}

TEST_CASE("keyed_dropout depends on the key, the vertex and the column alone") {
  auto const x = at::ones({30, 9}, at::kDouble);
  auto const ids = at::arange(30);
  auto const y = glt::keyed_dropout(x, 0.5, glt::random_key(1), ids);
  auto const order = at::randperm(30);
  CHECK(at::equal(glt::keyed_dropout(x, 0.5, glt::random_key(1), order), y.index_select(0, order)));
  CHECK(at::equal(glt::keyed_dropout(x.narrow(0, 0, 7), 0.5, glt::random_key(1), ids.narrow(0, 11, 7)),
                  y.narrow(0, 11, 7)));
  CHECK_FALSE(at::equal(glt::keyed_dropout(x, 0.5, glt::random_key(2), ids), y));
}

TEST_CASE("keyed_dropout refuses shares, rows and ids that do not fit") {
  auto const x = at::ones({3, 2});
  auto const refuses = [](at::Tensor const& rows, double share, at::Tensor const& ids) {
    CHECK_THROWS_AS(static_cast<void>(glt::keyed_dropout(rows, share, glt::random_key(1), ids)),
                    glt::precondition_error);
  };
  refuses(x, 1.0, at::arange(3));
  refuses(x, -0.1, at::arange(3));
  refuses(x, 0.5, at::arange(2));
  refuses(x, 0.5, at::ones({3}));
  refuses(x, 0.5, {});
  refuses(at::ones({3}), 0.5, at::arange(3));
}

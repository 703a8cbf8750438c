// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/embedding.hpp>

#include <glt/core/error.hpp>

#include "support/errors.hpp"
#include "torch/dense_graph.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using glt_test::largest;

TEST_CASE("link decoders score every pair, and their gradients reach rows and relations") {
  at::manual_seed(6);
  auto const x = at::randn({7, 4}, at::kDouble).requires_grad_();
  auto const pairs = at::randint(0, 7, {2, 11}, at::kInt);
  auto const relations = at::randint(0, 3, {11}, at::kLong);
  glt::distmult decoder({.num_relations = 3, .columns = 4});
  decoder->to(at::kDouble);
  auto const weights = decoder->named_parameters()["relations"];
  CHECK(weights.sizes() == at::IntArrayRef({3, 4}));
  auto const dot = glt::dot_product(x, pairs);
  auto const typed = decoder(x, pairs, relations);
  auto by_x = at::zeros({7, 4}, at::kDouble);
  auto by_relation = at::zeros({3, 4}, at::kDouble);
  for (std::int64_t i = 0; i < 11; ++i) {
    auto const u = pairs[0][i].item<std::int64_t>();
    auto const v = pairs[1][i].item<std::int64_t>();
    auto const r = relations[i].item<std::int64_t>();
    CHECK(largest(dot[i] - x[u].dot(x[v])) < 1e-12);
    CHECK(largest(typed[i] - (weights[r] * x[u] * x[v]).sum()) < 1e-12);
    by_x[u] += (weights[r] * x[v]).detach();
    by_x[v] += (weights[r] * x[u]).detach();
    by_relation[r] += (x[u] * x[v]).detach();
  }
  typed.sum().backward();
  CHECK(largest(x.grad() - by_x) < 1e-12);
  CHECK(largest(weights.grad() - by_relation) < 1e-12);
}

TEST_CASE("link decoders refuse shapes that do not fit") {
  auto const pairs = at::zeros({2, 3}, at::kLong);
  auto const refused = [](auto pass) {
    return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(pass()); });
  };
  CHECK(glt_test::names(refused([&] { return glt::dot_product(at::zeros({4}), pairs); }), "dot_product", "[N, F]"));
  CHECK(glt_test::names(refused([&] { return glt::dot_product(at::zeros({4, 2}), pairs.t()); }), "[3, 2]", "[2, n]"));
  CHECK(glt_test::names(refused([&] { return glt::dot_product(at::zeros({4, 2}), at::zeros({2, 3})); }), "[2, n]"));
  CHECK(glt_test::names(refused([] { return glt::distmult({.num_relations = 0, .columns = 2}); }), "0 relations"));
  glt::distmult decoder({.num_relations = 2, .columns = 5});
  auto const relations = at::zeros({3}, at::kLong);
  CHECK(glt_test::names(refused([&] { return decoder(at::zeros({4, 2}), pairs, relations); }), "5 columns"));
  CHECK(glt_test::names(refused([&] { return decoder(at::zeros({4, 5}), pairs, pairs); }), "each of 3 pairs"));
}

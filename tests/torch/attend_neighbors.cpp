// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/attend_neighbors.hpp>

#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include "support/errors.hpp"
#include "torch/random_block.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace minimal {

/// Every vertex has an edge to itself and no other.
struct loops {};
at::Tensor attend_neighbors(at::Tensor const& values, at::Tensor const&, at::Tensor const&, loops,
                            glt::neighbor_attention const&) {
  return values;
}

} // namespace minimal

static_assert(glt::detail::attention_graph<minimal::loops>);
static_assert(glt::detail::attention_graph<glt::block_view<glt::memory_space::host>>);
static_assert(glt::detail::attention_graph<glt::dist::sharded_graph<glt::serial_comm, glt::device::cpu>>);
static_assert(!glt::detail::attention_graph<glt::block_view<glt::memory_space::host> const*>);

TEST_CASE("attend_neighbors weighs values by the softmax of leaky scores") {
  std::vector<glt::edge_offset> const offsets{0, 2, 2};
  std::vector<glt::local_id> const row{1, 2};
  std::vector<glt::local_id> const col{0, 0};
  glt::block_view<glt::memory_space::host> const block{.num_sources = 3,
                                                       .num_destinations = 2,
                                                       .offsets = glt::host_view<glt::edge_offset const>(offsets),
                                                       .row = glt::host_view<glt::local_id const>(row),
                                                       .col = glt::host_view<glt::local_id const>(col),
                                                       .edge_ids = {}};
  auto const values = at::tensor({100.0, 1.0, 2.0}, at::kDouble).unsqueeze(1);
  auto const keys = at::tensor({7.0, 1.0, -4.0}, at::kDouble).unsqueeze(1);
  auto const queries = at::tensor({1.0, -9.0, 50.0}, at::kDouble).unsqueeze(1);
  auto const y = glt::attend_neighbors(values, keys, queries, block, {.slope = 0.5, .add_self_loops = false});
  double const first = std::exp(2.0);
  double const second = std::exp(-1.5);
  CHECK(y[0].item<double>() == doctest::Approx((first + 2 * second) / (first + second)));
  CHECK(y[1].item<double>() == 0);
  auto const looped = glt::attend_neighbors(values, keys, queries, block, {.slope = 0.5});
  CHECK(looped[1].item<double>() == doctest::Approx(1));
}

TEST_CASE("attend_neighbors stays finite where exponentials of scores are not") {
  glt_test::random_block const block(23, 9, 4, 3);
  auto const values = at::ones({23, 4}).requires_grad_();
  auto const keys = (at::randn({23, 2}) * 1e4).requires_grad_();
  auto const queries = (at::randn({23, 2}) * 1e4).requires_grad_();
  auto const y = glt::attend_neighbors(values, keys, queries, block.view(), {.heads = 2});
  CHECK((y - 1).abs().max().item<float>() < 1e-5F);
  y.sum().backward();
  for (auto const& rows : {values, keys, queries}) {
    CHECK(rows.grad().isfinite().all().item<bool>());
  }
}

TEST_CASE("equal scores give equal coefficients and gradients, however large they are, with self-loops and without") {
  glt_test::random_block const block(23, 9, 4, 3);
  at::manual_seed(3);
  auto const values = at::randn({23, 4}).requires_grad_();
  auto const weights = at::randn({9, 4});
  for (bool const loops : {false, true}) {
    auto const run = [&](double score) {
      values.mutable_grad().reset();
      auto const keys = at::full({23, 2}, score).requires_grad_();
      auto const queries = at::zeros({23, 2}).requires_grad_();
      auto const y = glt::attend_neighbors(values, keys, queries, block.view(), {.heads = 2, .add_self_loops = loops});
      (y * weights).sum().backward();
      return std::vector{y.detach(), values.grad(), keys.grad(), queries.grad()};
    };
    auto const expected = run(1);
    for (double const score : {1e5, 1e7, 1e8}) {
      auto const made = run(score);
      for (std::size_t i = 0; i < made.size(); ++i) {
        CHECK(at::equal(made[i], expected[i]));
      }
    }
  }
}

TEST_CASE("attentions over the edges and over the self-loops join to the attention over both, forward and backward") {
  glt_test::random_block const block(23, 9, 4, 3);
  glt_test::random_block const no_edges(23, 9, 0, 3);
  glt_test::random_block const some(23, 9, 1, 5);
  at::manual_seed(3);
  auto const weights = at::randn({9, 4}, at::kDouble);
  for (auto const score :
       {glt::neighbor_attention::score_type::additive, glt::neighbor_attention::score_type::dot_product}) {
    auto const width = score == glt::neighbor_attention::score_type::additive ? 2 : 6;
    std::vector<at::Tensor> inputs;
    for (auto const columns : {4, width, width}) {
      inputs.push_back(at::randn({23, columns}, at::kDouble).requires_grad_());
    }
    auto const run = [&](auto attend) {
      for (auto const& input : inputs) {
        input.mutable_grad().reset();
      }
      auto const y = attend([&](glt_test::random_block const& edges, bool loops) {
        return glt::attend_edges(inputs[0], inputs[1], inputs[2], edges.view(),
                                 {.heads = 2, .score = score, .add_self_loops = loops});
      });
      (y * weights).sum().backward();
      return std::vector{y.detach(), inputs[0].grad(), inputs[1].grad(), inputs[2].grad()};
    };
    auto const check = [&](std::vector<at::Tensor> const& made, std::vector<at::Tensor> const& expected) {
      for (std::size_t i = 0; i < made.size(); ++i) {
        CHECK(at::allclose(made[i], expected[i], 1e-9, 1e-9));
      }
    };
    check(
        run([&](auto attend) { return glt::neighbor_attention::join({attend(block, false), attend(no_edges, true)}); }),
        run([&](auto attend) { return attend(block, true).averages; }));
    check(
        run([&](auto attend) { return glt::neighbor_attention::join({attend(some, false), attend(no_edges, false)}); }),
        run([&](auto attend) { return attend(some, false).averages; }));
  }
}

TEST_CASE("a gradient of the logarithms of sums alone is the softmax") {
  glt_test::random_block const block(23, 9, 4, 3);
  auto const keys = at::randn({23, 1}, at::kDouble).requires_grad_();
  auto const sums = glt::attend_edges(at::ones({23, 1}, at::kDouble).requires_grad_(), keys,
                                      at::zeros({9, 1}, at::kDouble), block.view(), {.slope = 1})
                        .log_sums;
  sums.sum().backward(); // self-loops as well
  CHECK(keys.grad().sum().item<double>() == doctest::Approx(9));
  CHECK(sums.exp().sum().item<double>() ==
        doctest::Approx((block.dense().adjacency().mm(keys.exp()) + keys.exp().narrow(0, 0, 9)).sum().item<double>()));
}

TEST_CASE("attend_neighbors refuses rows that do not fit") {
  glt_test::random_block const block(4, 2, 2, 1);
  auto const refuses = [&](at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries,
                           glt::neighbor_attention const& how, auto const&... words) {
    auto const said = glt_test::thrown<glt::precondition_error>(
        [&] { static_cast<void>(glt::attend_neighbors(values, keys, queries, block.view(), how)); });
    INFO(said);
    CHECK(glt_test::names(said, words...));
  };
  auto const rows = at::zeros({4, 2});
  refuses(at::Tensor(), rows, rows, {.heads = 2}, "undefined tensor", "float or double");
  refuses(rows, rows, at::zeros({4, 2}, at::kDouble), {.heads = 2}, "of one type");
  refuses(rows, rows, rows, {.heads = 0}, "in 0 heads");
  refuses(rows, rows, rows, {.heads = 1}, "in 1 heads", "one of keys and queries");
  refuses(at::zeros({4, 3}), rows, rows, {.heads = 2}, "in 2 heads", "[4, 3]");
  refuses(at::zeros({3, 2}), rows, rows, {.heads = 2}, "each of 4 sources");
  refuses(rows, rows, at::zeros({1, 2}), {.heads = 2}, "queries", "each of 2 destinations");
  refuses(rows, rows, at::zeros({4, 4}), {.heads = 2, .score = glt::neighbor_attention::score_type::dot_product},
          "as of queries");
  refuses(rows, at::zeros({4, 3}), at::zeros({4, 3}),
          {.heads = 2, .score = glt::neighbor_attention::score_type::dot_product}, "in 2 heads", "one or more of keys");
  refuses(rows, rows, rows, {.heads = 2, .dropout = -0.5}, "dropout of -0.5");
  refuses(rows, rows, rows, {.heads = 2, .dropout = 0.5}, "vertex ids", "2 destinations");
  refuses(rows, rows, rows, {.heads = 2, .add_self_loops = false, .dropout = 0.5}, "sample with edge_ids");
}

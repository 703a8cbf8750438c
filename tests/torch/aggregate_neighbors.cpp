// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/message_graph.hpp>

#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/graph.hpp>

#include "support/device_parts.hpp"
#include "support/parts.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"
#include "torch/dense_graph.hpp"
#include "torch/random_block.hpp"
#include "torch/slopes.hpp"

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using glt::dist::aggregator;
using glt_test::largest;
using glt_test::on_ranks;

namespace {

constexpr aggregator all_aggregators[] = {aggregator::sum, aggregator::mean, aggregator::max, aggregator::min};

/// The gradient of (y · weights) by x.
at::Tensor gradient_by(at::Tensor const& x, at::Tensor const& y, at::Tensor const& weights) {
  x.mutable_grad().reset();
  ((y * weights).sum() + 0 * x.sum()).backward(); // a graph may have no edges
  return x.grad().clone();
}

} // namespace

TEST_CASE("aggregate_neighbors over a block equals the dense aggregation, forward and backward") {
  struct shape {
    std::int64_t sources, destinations, max_degree, width;
  };
  for (auto const [sources, destinations, max_degree, width] :
       {shape{1, 1, 1, 1}, shape{17, 5, 3, 7}, shape{33, 33, 9, 1}, shape{101, 40, 11, 65}, shape{8, 3, 0, 4},
        shape{9, 0, 2, 3}, shape{6, 2, 4, 0}}) {
    glt_test::random_block const block(sources, destinations, max_degree, 11);
    at::manual_seed(3);
    for (auto const how : all_aggregators) {
      for (auto const type : {at::kFloat, at::kDouble}) {
        INFO(sources, " to ", destinations, ", width ", width, ", aggregator ", static_cast<int>(how));
        auto const x = at::randn({sources, width}, type).requires_grad_();
        auto const weights = at::randn({destinations, width}, type);
        auto const y = glt::aggregate_neighbors(x, block.view(), how);
        auto const expected = block.dense().aggregate(x, how);
        REQUIRE(y.sizes() == at::IntArrayRef({destinations, width}));
        CHECK(largest(y - expected) < 1e-5);
        CHECK(largest(gradient_by(x, y, weights) - gradient_by(x, expected, weights)) < 1e-5);
      }
    }
  }
}

TEST_CASE("the gradient of aggregate_neighbors agrees with finite differences") {
  glt_test::random_block const block(11, 6, 4, 5);
  at::manual_seed(8);
  auto const x = at::randn({11, 3}, at::kDouble).requires_grad_();
  auto const weights = at::randn({6, 3}, at::kDouble);
  for (auto const how : all_aggregators) {
    glt_test::check_slopes(glt::serial_comm(), {x},
                           [&] { return (glt::aggregate_neighbors(x, block.view(), how).pow(2) * weights).sum(); });
  }
}

TEST_CASE("aggregate_neighbors reads tensors of any strides and leaves gradients to those who ask") {
  glt_test::random_block const block(12, 5, 3, 2);
  at::manual_seed(4);
  auto const transposed = at::randn({4, 12}).t();
  auto const mean = glt::aggregate_neighbors(transposed, block.view(), aggregator::mean);
  CHECK(largest(mean - block.dense().aggregate(transposed, aggregator::mean)) < 1e-5);
  CHECK_FALSE(mean.requires_grad());

  auto const x = at::randn({12, 4}).requires_grad_();
  glt::aggregate_neighbors(x, block.view(), aggregator::mean).sum().backward(); // its gradient arrives with strides 0
  auto const again = x.detach().clone().requires_grad_();
  block.dense().aggregate(again, aggregator::mean).sum().backward();
  CHECK(largest(x.grad() - again.grad()) < 1e-5);
}

TEST_CASE(
    "an extreme of aggregate_neighbors passes on what is not a number, and its gradient to one of equal sources") {
  std::vector<glt::edge_offset> const offsets{0, 3, 3};
  std::vector<glt::local_id> const row{0, 1, 2};
  glt::block_view<glt::memory_space::host> const block{.num_sources = 3,
                                                       .num_destinations = 2,
                                                       .offsets = glt::host_view<glt::edge_offset const>(offsets),
                                                       .row = glt::host_view<glt::local_id const>(row),
                                                       .col = {},
                                                       .edge_ids = {}};
  for (auto const how : {aggregator::max, aggregator::min}) {
    auto const x = at::full({3, 2}, 5.0).requires_grad_();
    glt::aggregate_neighbors(x, block, how).sum().backward();
    CHECK(at::equal(x.grad(), at::tensor({1.0F, 1.0F, 0.0F, 0.0F, 0.0F, 0.0F}).view({3, 2})));
    auto invalid = at::zeros({3, 2});
    invalid[1] = std::numeric_limits<float>::quiet_NaN();
    auto const y = glt::aggregate_neighbors(invalid, block, how);
    CHECK(y[0].isnan().all().item<bool>());
    CHECK(at::equal(y[1], at::zeros({2})));
  }
}

TEST_CASE("rows of destinations pass on their gradients, with those of aggregates or alone") {
  glt_test::random_block const block(9, 4, 3, 6);
  at::manual_seed(7);
  auto const x = at::randn({9, 3}, at::kDouble).requires_grad_();
  auto const weights = at::randn({4, 3}, at::kDouble);
  for (auto const how : all_aggregators) {
    auto const [neighbors, own] = glt::detail::aggregate_neighborhoods(x, block.view(), how);
    CHECK(at::equal(own, x.narrow(0, 0, 4)));
    auto const both = gradient_by(x, neighbors + own, weights);
    CHECK(largest(both - gradient_by(x, block.dense().aggregate(x, how) + x.narrow(0, 0, 4), weights)) < 1e-12);
    auto const [unused, alone] = glt::detail::aggregate_neighborhoods(x, block.view(), how);
    CHECK(largest(gradient_by(x, alone, weights) - gradient_by(x, x.narrow(0, 0, 4), weights)) < 1e-12);
  }
}

TEST_CASE("aggregate_neighbors refuses what is not one row of floats per source") {
  glt_test::random_block const block(4, 2, 2, 1);
  auto const refuses = [](at::Tensor const& x, glt::block_view<glt::memory_space::host> graph) {
    CHECK_THROWS_AS(static_cast<void>(glt::aggregate_neighbors(x, graph, aggregator::sum)), glt::precondition_error);
  };
  refuses(at::Tensor(), block.view());
  refuses(at::zeros({4}), block.view());
  refuses(at::zeros({4, 2}, at::kLong), block.view());
  refuses(at::zeros({0, 2}), {}); // a block without offsets
  try {
    static_cast<void>(glt::aggregate_neighbors(at::zeros({3, 2}), block.view(), aggregator::sum));
    FAIL("3 rows for 4 sources were accepted");
  } catch (glt::precondition_error const& refusal) {
    CHECK(std::string(refusal.what()).find("[3, 2]") != std::string::npos);
    CHECK(std::string(refusal.what()).find("[4, F]") != std::string::npos);
  }
}

TEST_CASE("aggregate_neighbors has no second derivatives, and says so") {
  glt_test::random_block const block(4, 2, 2, 1);
  auto const x = at::randn({4, 2}).requires_grad_();
  auto const y = glt::aggregate_neighbors(x, block.view(), aggregator::mean).pow(2).sum();
  CHECK_THROWS_AS(static_cast<void>(torch::autograd::grad({y}, {x}, {}, true, true)), glt::precondition_error);
}

TEST_CASE_TEMPLATE("aggregate_neighbors over ranks equals the dense aggregation of the whole graph", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  auto const list = glt_test::random_graph(101, 999);
  glt_test::dense_graph const whole{list.num_vertices, list.num_vertices, list.sources, list.destinations};
  at::manual_seed(6);
  for (auto const how : all_aggregators) {
    auto const x = at::randn({list.num_vertices, 5}, at::kDouble).requires_grad_();
    auto const weights = at::randn({list.num_vertices, 5}, at::kDouble);
    auto const y = whole.aggregate(x, how);
    auto const gradient = gradient_by(x, y, weights);
    on_ranks([&](auto comm) {
      at::set_num_threads(1);
      glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
      Policy const policy;
      glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
      glt::dist::sharded_graph<decltype(comm), Policy> sharded(comm, graph, {}, policy);
      auto const own = glt::to_tensor(
          divided.names.original.view().subview(divided.names.book.begin(comm.rank()), sharded.num_destinations()));
      auto const own_x = x.detach().index_select(0, own).requires_grad_();
      auto const own_y = glt::aggregate_neighbors(own_x, sharded, how);
      CHECK(largest(own_y - y.index_select(0, own)) < 1e-12);
      (own_y * weights.index_select(0, own)).sum().backward();
      CHECK(largest(own_x.grad() - gradient.index_select(0, own)) < 1e-12);
      CHECK(
          at::equal(glt::source_degrees(sharded).to(at::kDouble), whole.in_degrees().squeeze(1).index_select(0, own)));
      CHECK(glt::detail::favours_narrow_rows(sharded));
      CHECK(sharded.report().passes == 2);
    });
  }
}

TEST_CASE("ranks that aggregate what does not fit fail together, forward and backward") {
  auto const list = glt_test::random_graph(37, 200);
  on_ranks([&](auto comm) {
    at::set_num_threads(1);
    glt_test::divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::sharded_graph<decltype(comm), glt::device::cpu> sharded(comm, graph);
    auto const rows = sharded.num_destinations();
    bool const is_odd = comm.rank() == comm.size() - 1;
    auto const x = at::zeros({rows + (is_odd ? 1 : 0), 2});
    CHECK_THROWS_AS(static_cast<void>(glt::aggregate_neighbors(x, sharded, aggregator::sum)), glt::collective_error);

    if (comm.size() > 1) {
      auto const narrow = at::zeros({rows, 2}).requires_grad_();
      auto const wide = at::zeros({rows, 3}).requires_grad_();
      auto const of_narrow = glt::aggregate_neighbors(narrow, sharded, aggregator::sum).sum();
      auto const of_wide = glt::aggregate_neighbors(wide, sharded, aggregator::sum).sum();
      CHECK_THROWS_AS((is_odd ? of_wide : of_narrow).backward(), glt::collective_error);
    }
    CHECK_THROWS_AS(glt::run_collectively(comm,
                                          [&] {
                                            static_cast<void>(
                                                glt::aggregate_neighbors(is_odd ? at::Tensor() : at::zeros({rows, 2}),
                                                                         sharded, aggregator::sum));
                                          }),
                    glt::collective_error);
  });
}

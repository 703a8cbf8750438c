// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/aggregate_neighbors.hpp>

#include <glt/core/error.hpp>
#include <glt/sample/full_neighborhoods.hpp>
#include <glt/torch/attend_neighbors.hpp>
#include <glt/torch/gine_conv.hpp>
#include <glt/torch/layers.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "torch/dense_graph.hpp"
#include "torch/random_block.hpp"

#include <glt/graph/convert.hpp>

#include <torch/autograd.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

using glt_test::largest;
using offsets_view = glt::host_view<glt::edge_offset const>;

namespace {

using segment_function = std::function<at::Tensor(at::Tensor const&)>;

// The results of `of_segment` for the rows of every segment, one below the other.
at::Tensor naive(at::Tensor const& values, std::vector<glt::edge_offset> const& offsets,
                 segment_function const& of_segment) {
  std::vector<at::Tensor> rows{at::zeros({0, values.size(1)}, values.options())};
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    rows.push_back(of_segment(values.narrow(0, offsets[s] - offsets[0], offsets[s + 1] - offsets[s])));
  }
  return at::cat(rows);
}

at::Tensor gradient_of(at::Tensor const& x, at::Tensor const& y, at::Tensor const& weights) {
  return torch::autograd::grad({(y * weights).sum() + 0 * x.sum()}, {x})[0];
}

} // namespace

TEST_CASE("segments equal operations of LibTorch on every segment, forward and backward") {
  at::manual_seed(4);
  for (std::int64_t const destinations : {0, 1, 9, 40}) {
    for (std::int64_t const columns : {1, 5}) {
      glt_test::random_block const block(50, destinations, destinations == 1 ? 0 : 6, 3);
      auto const offsets = block.view().offsets;
      auto const x = at::randn({block.view().num_edges(), columns}, at::kDouble).requires_grad_();
      auto const check = [&](at::Tensor const& y, segment_function const& of_segment) {
        auto const expected = naive(x, block.offsets, of_segment);
        auto const weights = at::randn(expected.sizes(), at::kDouble);
        REQUIRE(y.sizes() == expected.sizes());
        CHECK(largest(y - expected) < 1e-12);
        CHECK(largest(gradient_of(x, y, weights) - gradient_of(x, expected, weights)) < 1e-12);
      };
      check(glt::aggregate_segments(x, offsets, glt::dist::aggregator::sum),
            [](at::Tensor const& rows) { return rows.sum(0, true); });
      check(glt::aggregate_segments(x, offsets, glt::dist::aggregator::mean),
            [](at::Tensor const& rows) { return rows.size(0) == 0 ? rows.sum(0, true) : rows.mean(0, true); });
      check(glt::aggregate_segments(x, offsets, glt::dist::aggregator::max), [](at::Tensor const& rows) {
        return rows.size(0) == 0 ? rows.sum(0, true) : std::get<0>(rows.max(0, true));
      });
      check(glt::aggregate_segments(x, offsets, glt::dist::aggregator::min), [](at::Tensor const& rows) {
        return rows.size(0) == 0 ? rows.sum(0, true) : std::get<0>(rows.min(0, true));
      });
      check(glt::segment_softmax(x, offsets), [](at::Tensor const& rows) { return rows.softmax(0); });
    }
  }
  std::vector<glt::edge_offset> const offsets{0, 2};
  auto const large = at::tensor({1000.0F, 1001.0F}).view({2, 1});
  CHECK(largest(glt::segment_softmax(large, offsets_view(offsets)) - large.softmax(0)) < 1e-6);
}

TEST_CASE("segments refuse values that are not one row for every edge") {
  std::vector<glt::edge_offset> const offsets{5, 6, 8};
  auto const refused = [&](at::Tensor const& values, offsets_view of) {
    return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(glt::segment_softmax(values, of)); });
  };
  CHECK(glt_test::names(refused(at::zeros({8, 2}), offsets), "segment_softmax over CPUFloatType [8, 2]", "[3, F]"));
  CHECK(glt_test::names(refused(at::zeros({3}), offsets), "[3, F]"));
  CHECK(glt_test::names(refused(at::Tensor(), offsets), "undefined"));
  CHECK(glt_test::names(refused(at::zeros({0, 1}), {}), "no offsets"));
}

TEST_CASE("layers refuse a piece of a row, whose parts aggregate_segments adds up") {
  auto const list = glt_test::random_graph(40, 400);
  auto const graph = glt::make_csr<glt::device::cpu>(list.view());
  at::manual_seed(2);
  auto const x = at::randn({40, 3}, at::kDouble);
  auto sums = at::zeros({40, 3}, at::kDouble);
  glt::sage_conv layer({.in = 3, .out = 2});
  layer->to(at::kDouble);
  std::int64_t pieces = 0;
  for (auto const& batch : glt::full_neighborhoods<glt::device::cpu>(graph.view(), {.limits = {.max_edges = 9}})) {
    auto const block = batch.block();
    auto const nodes = glt::to_tensor(batch.nodes());
    auto const rows = x.index_select(0, nodes);
    sums.index_add_(0, nodes.narrow(0, 0, block.num_destinations),
                    glt::aggregate_segments(rows.index_select(0, glt::to_tensor(block.row)), block.offsets,
                                            glt::dist::aggregator::sum));
    CHECK(block.is_piece == (!batch.rows.first_piece || !batch.rows.last_piece));
    pieces += block.is_piece ? 1 : 0;
    if (!block.is_piece) {
      CHECK(layer(rows, block).size(0) == block.num_destinations);
      continue;
    }
    for (std::function<at::Tensor()> const& pass :
         {std::function<at::Tensor()>([&] { return layer(rows, block); }),
          std::function<at::Tensor()>([&] { return glt::attend_neighbors(rows, rows, rows, block, {.heads = 3}); }),
          std::function<at::Tensor()>([&] {
            return glt::detail::sum_edge_relu(rows, at::zeros({block.num_edges(), 3}, at::kDouble), block);
          })}) {
      CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(pass()); }), "piece",
                            "max_edges", "aggregate_segments"));
    }
  }
  CHECK(pieces > 4);
  glt_test::dense_graph const whole{40, 40, list.sources, list.destinations};
  CHECK(largest(sums - whole.aggregate(x, glt::dist::aggregator::sum)) < 1e-12);
}

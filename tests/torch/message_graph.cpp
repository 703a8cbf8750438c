// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/message_graph.hpp>

#include <glt/comm/serial.hpp>
#include <glt/torch/layers.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace minimal {

/// Every vertex has an edge to itself and no other.
struct loops {
  std::int64_t num_vertices;
};
at::Tensor aggregate_neighbors(at::Tensor const& x, loops, glt::dist::aggregator) {
  return x;
}
at::Tensor source_degrees(loops graph) {
  return at::ones({graph.num_vertices});
}

/// The same, with another way to map rows: every map is doubled.
struct doubling_loops : loops {};
at::Tensor map_rows(at::Tensor const& x, at::Tensor const& weight, at::Tensor const&, doubling_loops const&) {
  return 2 * x.mm(weight.t());
}

} // namespace minimal

static_assert(glt::message_graph<minimal::loops>);
static_assert(glt::message_graph<glt::block_view<glt::memory_space::host>>);
static_assert(glt::message_graph<glt::dist::sharded_graph<glt::serial_comm, glt::device::cpu>>);
static_assert(!glt::message_graph<glt::block_view<glt::memory_space::host> const*>);

TEST_CASE("layers work on whatever models a message graph") {
  minimal::loops const graph{4};
  auto const x = at::randn({4, 3});
  CHECK(glt::sage_conv({.in = 3, .out = 2})(x, graph).sizes() == at::IntArrayRef({4, 2}));
  CHECK(glt::gin_conv({.in = 3, .out = 2})(x, graph).sizes() == at::IntArrayRef({4, 2}));
  glt::gcn_conv gcn({.in = 3, .out = 2, .add_self_loops = false});
  auto const parameters = gcn->named_parameters();
  CHECK((gcn(x, graph) - x.mm(parameters["linear.weight"].t()) - parameters["bias"]).abs().max().item<float>() < 1e-6F);
}

TEST_CASE("rows join a product by a map, by the map of the graph, or as they are, and so do their gradients") {
  for (std::int64_t const count : {0, 1, 5}) {
    auto const made = [&](std::int64_t rows, std::int64_t columns) {
      return at::randn({rows, columns}, at::kDouble).requires_grad_();
    };
    auto const check = [&](auto graph, at::Tensor const& weight, double factor) {
      auto const y = made(count, 2);
      auto const x = made(count, weight.defined() ? 3 : 2);
      auto const sum = glt::detail::add_mapped_rows(graph, y * 1, x, weight);
      auto const brought = weight.defined() ? factor * x.mm(weight.t()) : x;
      CHECK((sum - y - brought).abs().sum().template item<double>() < 1e-12);
      auto const gradient = at::randn({count, 2}, at::kDouble);
      sum.backward(gradient);
      CHECK(y.grad().equal(gradient));
      auto const by_x = weight.defined() ? factor * gradient.mm(weight) : gradient;
      CHECK((x.grad() - by_x).abs().sum().template item<double>() < 1e-12);
      if (weight.defined()) {
        auto const by_weight = factor * gradient.t().mm(x);
        CHECK((weight.grad() - by_weight).abs().sum().template item<double>() < 1e-12);
      }
    };
    check(minimal::loops{count}, made(2, 3), 1);
    check(minimal::loops{count}, {}, 1);
    check(minimal::doubling_loops{{count}}, made(2, 3), 2);
  }
}

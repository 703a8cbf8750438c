// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/message_graph.hpp>

#include <glt/comm/serial.hpp>
#include <glt/torch/gcn_conv.hpp>
#include <glt/torch/gin_conv.hpp>
#include <glt/torch/sage_conv.hpp>

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
bool favours_narrow_rows(loops) {
  return true;
}
at::Tensor source_degrees(loops graph) {
  return at::ones({graph.num_vertices});
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

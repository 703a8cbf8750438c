// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/detail/parts_assembly.hpp>

#include <type_traits>
#include <utility>

using namespace glt;

static_assert(std::is_nothrow_move_constructible_v<io::detail::part_edges>);

TEST_CASE("a part holds nothing before it is filled, and hands over what it holds") {
  io::detail::part_content made;
  CHECK(made.nodes.empty());
  CHECK(made.edges.empty());
  made.edges.emplace_back().weights = buffer<device::cpu, float>(3);
  made.nodes.emplace_back();
  auto const taken = std::move(made);
  CHECK(taken.edges[0].weights.size() == 3);
  CHECK(taken.edges[0].halo.empty());
  CHECK(taken.nodes[0].labels.shape().empty());
}

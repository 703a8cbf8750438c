// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/subgraph.hpp>

#include <type_traits>
#include <vector>

TEST_CASE("a block is a small value that kernels can take") {
  using block = glt::block_view<glt::memory_space::device>;
  static_assert(std::is_trivially_copyable_v<block>);
  CHECK(block{}.num_edges() == 0);
  std::vector<glt::local_id> const row{0, 2, 1};
  glt::block_view<glt::memory_space::host> three;
  three.row = row;
  CHECK(three.num_edges() == 3);
}

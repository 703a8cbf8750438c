// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/types.hpp>

#include <cstdint>
#include <string>

static_assert(sizeof(glt::global_id) == 8 && sizeof(glt::local_id) == 4);
static_assert(sizeof(glt::edge_offset) == 8 && sizeof(glt::edge_id) == 8);

TEST_CASE("vertices are numbered by signed 32- and 64-bit integers") {
  CHECK(glt::vertex_id<glt::local_id>);
  CHECK(glt::vertex_id<glt::global_id>);
  CHECK_FALSE(glt::vertex_id<std::uint32_t>);
  CHECK_FALSE(glt::vertex_id<std::int16_t>);
  CHECK_FALSE(glt::vertex_id<float>);
}

TEST_CASE("what may be copied as bytes") {
  struct pair {
    int a;
    double b;
  };
  CHECK(glt::bytes_copyable<pair>);
  CHECK(glt::bytes_copyable<float>);
  CHECK_FALSE(glt::bytes_copyable<std::string>);
  CHECK_FALSE(glt::bytes_copyable<int const>);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/input_file.hpp>

#include <array>
#include <cstddef>

using namespace glt;
using namespace glt_test;

static_assert(io::detail::byte_source<io::detail::memory_source>);
static_assert(io::detail::byte_source<io::detail::input_file>);
static_assert(!io::detail::byte_source<int>);

TEST_CASE("bytes in memory are read in order, and not beyond their end") {
  std::array const bytes{std::byte{1}, std::byte{2}, std::byte{3}};
  io::detail::memory_source source(bytes, "there");
  CHECK(source.size() == 3);
  std::array<std::byte, 2> two{};
  source.read(two.data(), 2);
  CHECK(two[1] == std::byte{2});
  CHECK(source.position() == 2);
  CHECK(names(thrown<io_error>([&] { source.read(two.data(), 2); }), "there (at byte 3): ends 1 bytes early"));
  CHECK(source.position() == 2);
  source.read(two.data(), 1);
  CHECK(two[0] == std::byte{3});
  source.read(nullptr, 0);
  CHECK(names(thrown<io_error>([&] { source.fail(7, "is odd"); }), "there (at byte 7): is odd"));
}

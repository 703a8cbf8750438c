// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/shared/detail/shared_tensors.hpp>

#include <glt/comm/threads_node.hpp>

#include "support/errors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using glt::detail::shared_arrays;

TEST_CASE("arrays of any length, empty ones included, come back from a block as they went in, on lines of their own") {
  glt::threads_node<glt::serial_comm> node({});
  for (std::size_t const length : {0U, 1U, 8U, 63U, 1000U}) {
    std::vector<std::int16_t> shorts(length);
    std::vector<double> doubles(2 * length + 1);
    for (std::size_t i = 0; i < length; ++i) {
      shorts[i] = static_cast<std::int16_t>(i);
      doubles[i] = 0.5 * static_cast<double>(i);
    }
    shared_arrays<3> const layout(
        {static_cast<std::int64_t>(2 * length), 0, static_cast<std::int64_t>(8 * doubles.size())});
    auto const blocks = node.share(layout.bytes(), [&](std::span<std::byte> block) {
      layout.write(block, {shorts.data(), nullptr, doubles.data()});
    });
    auto const block = *blocks.of_rank[0];
    auto const read = shared_arrays<3>::of(block);
    CHECK(read.bytes() == layout.bytes());
    auto const first = read.view<std::int16_t>(block, 0);
    auto const last = read.view<double>(block, 2);
    CHECK(std::vector(first.begin(), first.end()) == shorts);
    CHECK(read.view<float>(block, 1).empty());
    CHECK(std::vector(last.begin(), last.end()) == doubles);
    CHECK(reinterpret_cast<std::uintptr_t>(last.data()) % 64 == 0);
  }
}

TEST_CASE("a block that is not as long as its lengths say is refused") {
  shared_arrays<2> const layout({100, 20});
  std::vector<std::byte> block(static_cast<std::size_t>(layout.bytes()));
  std::vector<std::byte> const any(100);
  layout.write(block, {any.data(), any.data()});
  auto const refused = [](std::span<std::byte const> bytes) {
    return glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(shared_arrays<2>::of(bytes)); });
  };
  CHECK(glt_test::names(refused(std::span(block).first(block.size() - 1)), "block of 255 bytes", "256"));
  CHECK(glt_test::names(refused(std::span(block).first(3)), "block of 3 bytes"));
  CHECK_FALSE(glt_test::names(refused(block), "block of"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/reply_layout.hpp>

#include "support/distant_policy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

using glt::detail::reply_layout;

TEST_CASE("counts are as narrow as the fanout allows, and survive") {
  struct expectation {
    std::int64_t fanout;
    std::int64_t count_bytes;
  };
  for (auto const [fanout, count_bytes] : {expectation{1, 1}, {255, 1}, {256, 2}, {65535, 2}, {65536, 4}, {-1, 4}}) {
    CHECK(glt::detail::count_bytes_of(fanout) == count_bytes);
    std::array<std::byte, 12> counts{};
    for (std::int64_t row = 0; row < 3; ++row) {
      glt::detail::write_count(counts.data(), count_bytes, row, row == 1 ? 0 : 0x12345678 >> (32 - 8 * count_bytes));
    }
    CHECK(glt::detail::read_count(counts.data(), count_bytes, 0) == 0x12345678 >> (32 - 8 * count_bytes));
    CHECK(glt::detail::read_count(counts.data(), count_bytes, 1) == 0);
    CHECK(glt::detail::read_count(counts.data(), count_bytes, 2) == 0x12345678 >> (32 - 8 * count_bytes));
  }
}

TEST_CASE("messages of hosts have no gaps, and those of others aligned parts") {
  for (std::int64_t counts = 0; counts < 10; ++counts) {
    for (std::int64_t edges = 0; edges < (counts > 0 ? 4 : 1); ++edges) {
      for (bool const ids : {false, true}) {
        reply_layout<glt::device::cpu, std::int32_t> const host{counts, edges, ids};
        CHECK(host.bytes() == counts + edges * (ids ? 12 : 4));
        auto const again = decltype(host)::of_size(host.bytes(), counts, ids);
        CHECK(again.num_edges == edges);
        CHECK(again.bytes() == host.bytes());
        reply_layout<glt_test::distant_policy<>, std::int32_t> const device{counts, edges, ids};
        CHECK(device.ids() % 8 == 0);
        CHECK(device.sources() % 4 == 0);
        CHECK(decltype(device)::of_size(device.bytes(), counts, ids).num_edges == edges);
        CHECK(device.bytes() - host.bytes() < 8);
        CHECK(device.bytes() >= host.bytes());
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/sample_reply.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

TEST_CASE_TEMPLATE("counts, sources and ids lie one after the other, counts as narrow as the fanout allows", Vertex,
                   std::int32_t, std::int64_t) {
  std::vector<glt::edge_offset> const offsets{5, 7, 7, 8};
  std::vector<Vertex> const sources{0, 0, 0, 0, 0, 11, 12, 13};
  std::vector<glt::edge_id> const ids{0, 0, 0, 0, 0, 101, 102, 103};
  struct expectation {
    std::int64_t fanout;
    std::int64_t count_bytes;
  };
  for (auto const [fanout, count_bytes] : {expectation{1, 1}, {255, 1}, {256, 2}, {65535, 2}, {65536, 4}, {-1, 4}}) {
    for (bool const with_ids : {false, true}) {
      glt::dist::sample_reply_layout<Vertex> const layout(fanout, with_ids);
      CHECK(layout.count_bytes() == count_bytes);
      auto const vertex_bytes = static_cast<std::int64_t>(sizeof(Vertex));
      auto const bytes = layout.bytes(3, 3);
      CHECK(bytes == 3 * count_bytes + 3 * vertex_bytes + (with_ids ? 24 : 0));
      std::vector<std::byte> reply(static_cast<std::size_t>(bytes));
      layout.pack(offsets, sources.data(), ids.data(), reply.data());
      CHECK(layout.count(reply.data(), 0) == 2);
      CHECK(layout.count(reply.data(), 1) == 0);
      CHECK(layout.count(reply.data(), 2) == 1);
      std::vector<Vertex> read(3);
      std::memcpy(read.data(), reply.data() + 3 * count_bytes, 3 * sizeof(Vertex));
      CHECK(read == std::vector<Vertex>{11, 12, 13});
      if (with_ids) {
        std::vector<glt::edge_id> read_ids(3);
        std::memcpy(read_ids.data(), reply.data() + 3 * (count_bytes + vertex_bytes), 24);
        CHECK(read_ids == std::vector<glt::edge_id>{101, 102, 103});
      }
    }
  }
}

TEST_CASE("a count of four bytes survives") {
  glt::dist::sample_reply_layout<std::int32_t> const layout(-1, false);
  std::vector<std::byte> reply{std::byte{0x78}, std::byte{0x56}, std::byte{0x34}, std::byte{0x12}};
  CHECK(layout.count(reply.data(), 0) == 0x12345678);
}

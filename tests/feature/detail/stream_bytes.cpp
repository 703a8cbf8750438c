// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/feature/detail/convert_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;

TEST_CASE("bytes are copied between any places, and nothing beside them") {
  alignas(64) std::byte from[1024];
  for (std::size_t i = 0; i < sizeof(from); ++i) {
    from[i] = static_cast<std::byte>(i * 7 % 251);
  }
  for (std::size_t const in : {0U, 1U, 8U, 64U}) {
    for (std::size_t const out : {0U, 1U, 16U, 64U}) {
      for (std::size_t const bytes : {0U, 1U, 63U, 64U, 65U, 128U, 192U, 512U}) {
        alignas(64) std::byte to[1024] = {};
        detail::stream_bytes(to + out, from + in, static_cast<std::int64_t>(bytes));
        detail::finish_streams();
        std::vector<std::byte> expected(sizeof(to));
        for (std::size_t i = 0; i < bytes; ++i) {
          expected[out + i] = from[in + i];
        }
        CHECK(std::vector(to, to + sizeof(to)) == expected);
      }
    }
  }
  CHECK_NOTHROW(detail::stream_bytes(nullptr, nullptr, 0));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/memory/policy.hpp>

#include "support/sanitized.hpp"
#include "support/usage.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>

TEST_CASE("freed memory stays with the process, and the next allocation takes it") {
  bool const is_kept = glt::keep_freed_memory();
#if defined(GLT_TEST_SANITIZED) // which has an allocator of its own
  REQUIRE_FALSE(is_kept);
#elif defined(__GLIBC__)
  REQUIRE(is_kept);
#endif
  if (is_kept && glt_test::knows_memory) {
    constexpr std::size_t size = 64 << 20;
    auto const use = [] {
      auto const block = std::make_unique_for_overwrite<char[]>(size);
      std::memset(block.get(), 1, size);
      return block[size / 2];
    };
    CHECK(use() == 1);
    auto const once = glt_test::own_usage();
    CHECK(once.kilobytes > static_cast<std::int64_t>(size / 1024));
    CHECK(use() == 1);
    CHECK(glt_test::own_usage().kilobytes < once.kilobytes + 1024);
  }
}

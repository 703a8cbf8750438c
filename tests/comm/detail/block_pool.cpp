// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/allocations.hpp"
#include "support/errors.hpp"

#include <glt/comm/detail/mailbox.hpp>
#include <glt/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("blocks have their size, are aligned, and are used again") {
  detail::block_pool pool;
  for (std::int64_t const bytes : {0, 1, 64, 1000, 5000, 3'000'000}) {
    CAPTURE(bytes);
    auto block = pool.take(bytes);
    auto const* const address = block.data();
    CHECK(block.size() == bytes);
    CHECK(block.bytes().size() == static_cast<std::size_t>(bytes));
    CHECK(reinterpret_cast<std::uintptr_t>(address) % 64 == 0);
    std::memset(block.data(), 7, static_cast<std::size_t>(bytes));
    auto const other = pool.take(bytes);
    CHECK(other.data() != address);
    block = {};
    CHECK(pool.take(bytes).data() == address);
    CHECK(pool.take(bytes - bytes / 8).data() == address);           // a little smaller
    CHECK((bytes <= 256 || pool.take(bytes / 4).data() != address)); // would waste it
  }
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(pool.take(-1)); }), "-1 bytes"));
}

TEST_CASE("a block comes back when its last keeper has gone, on any thread, with or without the pool") {
  std::optional<detail::block_pool> pool(std::in_place);
  auto block = pool->take(100);
  auto const* const address = block.data();
  auto keeper = block.keeper();
  block = {};
  CHECK(pool->take(100).data() != address);
  std::thread([last = std::exchange(keeper, nullptr)]() mutable { last.reset(); }).join();
  auto again = pool->take(100);
  auto const other = pool->take(100);
  CHECK((again.data() == address || other.data() == address));
  pool.reset();
  again.bytes()[99] = std::byte{1};
  again = {};
}

TEST_CASE("a pool keeps no more idle bytes than it may") {
  detail::block_pool pool(1000);
  std::vector<detail::byte_block> blocks;
  for (int i = 0; i < 100; ++i) {
    blocks.push_back(pool.take(100)); // of 128
  }
  blocks.clear();
  auto const before = num_allocations();
  for (int i = 0; i < 7; ++i) {
    blocks.push_back(pool.take(100));
  }
  auto const known = num_allocations() - before;
  blocks.push_back(pool.take(100));
  CHECK(num_allocations() - before > known + 1); // a block, and who keeps it
}

TEST_CASE("an allocation that fails leaves the pool as it was") {
  detail::block_pool pool;
  for (std::int64_t number = 1;; ++number) {
    failing_allocation const scarce(number);
    try {
      auto const block = pool.take(200);
      CHECK(block.size() == 200);
      if (!scarce.has_failed()) {
        break;
      }
    } catch (std::bad_alloc const&) {
    }
  }
  CHECK(pool.take(200).data() != nullptr);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/exec/threaded.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include <atomic>
#include <cstdint>
#include <set>
#include <stdexcept>

namespace {

struct scratch {
  int uses = 0;
  std::atomic<int> users{0};
};

} // namespace

TEST_CASE("one piece of work after the other borrows the same scratch memory") {
  glt::detail::scratch_pool<scratch> pool;
  scratch* first = nullptr;
  pool.borrow([&](scratch& own) { first = &own; });
  pool.borrow([&](scratch& own) { CHECK(&own == first); });
}

TEST_CASE("nobody shares scratch memory, and it is kept") {
  glt::detail::thread_pool threads(3);
  glt::detail::scratch_pool<scratch> pool;
  std::atomic<int> shared{0};
  std::atomic<int> calls{0};
  for (int round = 0; round < 20; ++round) {
    glt::exec::threaded(threads).for_ranges(50, 1, [&](std::int64_t, std::int64_t) {
      pool.borrow([&](scratch& own) {
        shared += own.users++ == 0 ? 0 : 1;
        ++own.uses;
        ++calls;
        --own.users;
      });
    });
  }
  CHECK(shared == 0);
  // Nested borrowing takes out all that there are: at most one per thread was ever made.
  std::set<scratch*> all;
  int uses = 0;
  pool.borrow([&](scratch& a) {
    pool.borrow([&](scratch& b) {
      pool.borrow([&](scratch& c) {
        all = {&a, &b, &c};
        uses = a.uses + b.uses + c.uses;
      });
    });
  });
  CHECK(all.size() == 3);
  CHECK(uses == calls);
}

TEST_CASE("a copy starts empty, and an error of the work leaves") {
  glt::detail::scratch_pool<scratch> pool;
  scratch* first = nullptr;
  pool.borrow([&](scratch& own) { first = &own; });
  auto copy = pool;
  copy.borrow([&](scratch& own) { CHECK(&own != first); });
  CHECK_THROWS_AS(pool.borrow([](scratch&) { throw std::runtime_error("no"); }), std::runtime_error);
}

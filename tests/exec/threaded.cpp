// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/exec/threaded.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace glt;

TEST_CASE("much work is shared, little work stays in the calling thread") {
  glt::detail::thread_pool pool(3);
  exec::threaded const ex(pool);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  auto const remember = [&](std::int64_t) {
    std::scoped_lock const lock(mutex);
    ids.insert(std::this_thread::get_id());
  };
  ex.for_each(100, remember);
  CHECK(ids == std::set{std::this_thread::get_id()});
  // A thread that wakes late may find nothing to do, so wait inside the work until a second one has come.
  std::set<std::thread::id> seen;
  ex.for_each(50'000, [&](std::int64_t) {
    for (bool alone = true; alone; std::this_thread::yield()) {
      std::scoped_lock const lock(mutex);
      seen.insert(std::this_thread::get_id());
      alone = seen.size() < 2;
    }
  });
  CHECK(seen.size() >= 2);
}

TEST_CASE("rows of very different cost are all done") {
  glt::detail::thread_pool pool(3);
  std::vector<std::int64_t> sums(10'001, 0);
  exec::threaded(pool).for_each(10'001, [&](std::int64_t i) {
    for (std::int64_t j = 0; j < (i % 5000 == 0 ? 100'000 : 3); ++j) {
      sums[static_cast<std::size_t>(i)] += j;
    }
  });
  CHECK(sums[0] == 4'999'950'000);
  CHECK(sums[1] == 3);
  CHECK(sums[10'000] == 4'999'950'000);
}

TEST_CASE("a reduction to bool loses no worker's part") {
  glt::detail::thread_pool pool(2);
  exec::threaded const ex(pool);
  constexpr std::int64_t n = 2048;
  std::int64_t wrong = 0;
  for (std::int64_t round = 0; round < 2'000; ++round) {
    std::atomic<int> finished{0};
    auto const all_hold = ex.reduce(
        n, true,
        [&](std::int64_t i) {
          if (i == n / 2 - 1 || i == n - 1) { // so that both workers hand in their parts at once
            for (++finished; finished < 2;) {
              std::this_thread::yield();
            }
          }
          return i != 0; // the first worker alone finds what changes the result
        },
        [](bool a, bool b) { return a && b; });
    wrong += all_hold ? 1 : 0;
  }
  CHECK(wrong == 0);
}

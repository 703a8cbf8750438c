// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/exec/threaded.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace glt;

TEST_CASE("much work is shared, little work stays in the calling thread") {
  exec::thread_pool pool(3);
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
  exec::thread_pool pool(3);
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

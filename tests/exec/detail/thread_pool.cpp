// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/exec/threaded.hpp>

#include <atomic>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("every worker runs the task once, round after round; the caller is worker 0") {
  for (int const threads : {1, 2, 7}) {
    glt::detail::thread_pool pool(threads);
    CHECK(pool.size() == threads);
    std::vector<int> runs(static_cast<std::size_t>(threads), 0);
    std::vector<std::thread::id> ids(runs.size());
    for (int round = 0; round < 500; ++round) {
      pool.run([&](int worker) {
        ++runs[static_cast<std::size_t>(worker)];
        ids[static_cast<std::size_t>(worker)] = std::this_thread::get_id();
      });
    }
    CHECK(runs == std::vector<int>(runs.size(), 500));
    CHECK(ids[0] == std::this_thread::get_id());
    CHECK(std::set<std::thread::id>(ids.begin(), ids.end()).size() == ids.size());
  }
}

TEST_CASE("the exception of the lowest worker is rethrown after all have ended, and then forgotten") {
  glt::detail::thread_pool pool(4);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ended{0};
    auto const text = thrown<std::runtime_error>([&] {
      pool.run([&](int worker) {
        ++ended;
        if (worker >= 2) {
          throw std::runtime_error("worker " + std::to_string(worker));
        }
      });
    });
    CHECK(text == "worker 2");
    CHECK(ended == 4);
    CHECK_NOTHROW(pool.run([](int) {}));
  }
}

TEST_CASE("several callers take turns") {
  glt::detail::thread_pool pool(3);
  std::atomic<int> inside{0};
  std::atomic<int> overlaps{0};
  std::atomic<int> runs{0};
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 100; ++round) {
        pool.run([&](int worker) {
          if (worker == 0) {
            inside = caller;
          }
          ++runs;
          overlaps += worker == 0 && inside != caller ? 1 : 0;
        });
      }
    });
  }
  callers.clear();
  CHECK(runs == 4 * 100 * 3);
  CHECK(overlaps == 0);
}

TEST_CASE("a pool without threads is refused") {
  CHECK(names(thrown<precondition_error>([] { glt::detail::thread_pool{0}; }), "0 threads"));
  CHECK(names(thrown<precondition_error>([] { glt::detail::thread_pool{-3}; }), "-3 threads"));
}

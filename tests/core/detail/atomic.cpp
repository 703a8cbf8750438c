// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/core/detail/processor.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

namespace {

template <class F>
void in_threads(int count, F f) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back(f, i);
  }
}

} // namespace

TEST_CASE_TEMPLATE("atomic operations return what was there and change it", T, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t) {
  T object = 7;
  CHECK(glt::detail::atomic_load(&object) == 7);
  CHECK(glt::detail::atomic_add(&object, T{5}) == 7);
  CHECK(object == 12);
  CHECK(glt::detail::atomic_min(&object, T{20}) == 12);
  CHECK(object == 12);
  CHECK(glt::detail::atomic_min(&object, T{3}) == 12);
  CHECK(object == 3);
  CHECK(glt::detail::atomic_compare_exchange(&object, T{4}, T{9}) == 3);
  CHECK(object == 3);
  CHECK(glt::detail::atomic_compare_exchange(&object, T{3}, T{9}) == 3);
  CHECK(object == 9);
  object = std::numeric_limits<T>::max();
  CHECK(glt::detail::atomic_min(&object, std::numeric_limits<T>::min()) == std::numeric_limits<T>::max());
  CHECK(object == std::numeric_limits<T>::min());
}

TEST_CASE_TEMPLATE("threads lose no change", T, std::int32_t, std::uint64_t) {
  constexpr int threads = 4;
  constexpr T rounds = 5000;
  T sum = 0;
  T smallest = std::numeric_limits<T>::max();
  T taken = 0;
  in_threads(threads, [&](int me) {
    for (T i = 0; i < rounds; ++i) {
      glt::detail::atomic_add(&sum, T{2});
      glt::detail::atomic_min(&smallest, static_cast<T>(static_cast<T>(me + 1) + (rounds - i) * threads));
      for (T seen = glt::detail::atomic_load(&taken);;) {
        T const before = glt::detail::atomic_compare_exchange(&taken, seen, static_cast<T>(seen + 1));
        if (before == seen) {
          break;
        }
        seen = before;
      }
    }
  });
  CHECK(sum == 2 * threads * rounds);
  CHECK(smallest == 1 + threads);
  CHECK(taken == threads * rounds);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/detail/ordering.hpp>
#include <glt/core/random.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace {

// Random numbers with many equal ones among them.
std::vector<int> some_values(std::int64_t size, std::uint64_t range) {
  glt::random_stream draws(glt::random_key(3), static_cast<std::uint64_t>(size));
  std::vector<int> values;
  for (std::int64_t i = 0; i < size; ++i) {
    values.push_back(static_cast<int>(draws.below(range)));
  }
  return values;
}

constexpr std::array<int, 5> sorted_when_compiling() {
  std::array<int, 5> values{3, 1, 4, 1, 5};
  glt::detail::heap_sort(values.data(), 5, std::less<>());
  return values;
}
static_assert(sorted_when_compiling() == std::array<int, 5>{1, 1, 3, 4, 5});

} // namespace

TEST_CASE("heaps are heaps, and sorted is sorted, in any order") {
  for (std::int64_t const size : {0, 1, 2, 3, 4, 7, 8, 15, 64, 1001}) {
    for (std::uint64_t const range : {1U, 5U, 1'000'000U}) {
      CAPTURE(size);
      CAPTURE(range);
      auto const values = some_values(size, range);
      auto heap = values;
      glt::detail::make_heap(heap.data(), size, std::less<>());
      CHECK(std::ranges::is_heap(heap));
      CHECK(std::ranges::is_permutation(heap, values));
      auto ascending = values;
      glt::detail::heap_sort(ascending.data(), size, std::less<>());
      auto expected = values;
      std::ranges::sort(expected);
      CHECK(ascending == expected);
      glt::detail::heap_sort(ascending.data(), size, std::greater<>());
      std::ranges::sort(expected, std::greater<>());
      CHECK(ascending == expected);
    }
  }
}

TEST_CASE("replacing the first element keeps a heap one") {
  auto values = some_values(37, 1000);
  glt::detail::make_heap(values.data(), 37, std::less<>());
  for (int const replacement : {500, 0, 999, 3, 3}) {
    values[0] = replacement;
    glt::detail::sift_down(values.data(), 37, 0, std::less<>());
    CHECK(std::ranges::is_heap(values));
  }
}

TEST_CASE("the smallest are found, the first of equal ones, in order of position") {
  for (std::int64_t const size : {1, 2, 7, 64, 1001}) {
    for (std::int64_t count = 1; count <= size; count += 1 + count / 2) {
      for (std::uint64_t const range : {1U, 5U, 1'000'000U}) {
        auto const values = some_values(size, range);
        auto const value_of = [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
        std::vector<int> expected(static_cast<std::size_t>(size));
        std::iota(expected.begin(), expected.end(), 0);
        std::ranges::stable_sort(expected, {}, value_of);
        expected.resize(static_cast<std::size_t>(count));
        std::ranges::sort(expected);
        std::vector<int> picked(static_cast<std::size_t>(count));
        glt::detail::pick_smallest(value_of, size, count, picked.data());
        CHECK(picked == expected);
      }
    }
  }
}

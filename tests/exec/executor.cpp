// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/executors.hpp"

#include <glt/core/random.hpp>
#include <glt/exec/executor.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(executor<exec::sequential> && executor<exec::threaded>);
static_assert(reaches<exec::sequential, memory_space::host> && reaches<exec::threaded, memory_space::pinned>);
static_assert(!reaches<exec::sequential, memory_space::device> && !reaches<exec::threaded, memory_space::device>);
static_assert(!executor<int>);

namespace {

std::int64_t scrambled(std::int64_t i) {
  return static_cast<std::int64_t>(random_stream(random_key(11), static_cast<std::uint64_t>(i)).below(1000)) - 500;
}

std::vector<std::int64_t> scrambled_values(std::int64_t n) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = scrambled(static_cast<std::int64_t>(i));
  }
  return values;
}

struct plus {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct larger {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::max(a, b); }
};

} // namespace

TEST_CASE("for_each visits every index once") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (auto const n : bulk_sizes()) {
      CAPTURE(name);
      CAPTURE(n);
      std::vector<int> visits(static_cast<std::size_t>(n), 0);
      ex.for_each(n, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
      CHECK(std::ranges::count(visits, 1) == n);
    }
  });
}

TEST_CASE("for_ranges covers every index once, in ranges that are not empty") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (auto const n : bulk_sizes()) {
      for (std::int64_t const smallest : {0, 1, 500}) {
        CAPTURE(name);
        CAPTURE(n);
        std::vector<int> visits(static_cast<std::size_t>(n), 0);
        std::atomic<int> empty{0};
        ex.for_ranges(n, smallest, [&](std::int64_t first, std::int64_t last) {
          empty += first < last ? 0 : 1;
          for (std::int64_t i = first; i < last; ++i) {
            ++visits[static_cast<std::size_t>(i)];
          }
        });
        CHECK(std::ranges::count(visits, 1) == n);
        CHECK(empty == 0);
      }
    }
  });
}

TEST_CASE("reduce combines the initial value with all others") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (auto const n : bulk_sizes()) {
      CAPTURE(name);
      CAPTURE(n);
      auto const values = scrambled_values(n);
      CHECK(ex.reduce(n, std::int64_t{7}, scrambled, plus{}) ==
            std::accumulate(values.begin(), values.end(), std::int64_t{7}));
      auto const largest = n == 0 ? -9999 : std::ranges::max(values);
      CHECK(ex.reduce(n, std::int64_t{-9999}, scrambled, larger{}) == largest);
    }
  });
}

TEST_CASE("exclusive_scan sums what came before, also in place, and ends with the total if there is room") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (auto const n : bulk_sizes()) {
      CAPTURE(name);
      CAPTURE(n);
      auto values = scrambled_values(n);
      std::vector<std::int64_t> expected(values.size() + 1, 0);
      std::partial_sum(values.begin(), values.end(), expected.begin() + 1);
      std::vector<std::int64_t> with_total(values.size() + 1, -1);
      ex.exclusive_scan(host_view<std::int64_t const>(values), host_view<std::int64_t>(with_total));
      CHECK(with_total == expected);
      std::vector<std::int64_t> of_function(values.size() + 1, -1);
      ex.exclusive_scan(
          n, [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; }, host_view<std::int64_t>(of_function));
      CHECK(of_function == expected);
      ex.exclusive_scan(host_view<std::int64_t const>(values), host_view<std::int64_t>(values));
      expected.pop_back();
      CHECK(values == expected);
    }
  });
}

TEST_CASE("exclusive_scan adds in the type of its result") {
  for_each_executor([](std::string const& name, auto const& ex) {
    CAPTURE(name);
    std::vector<std::int32_t> const values(4099, 2'000'000'000);
    std::vector<std::int64_t> sums(4100);
    ex.exclusive_scan(host_view<std::int32_t const>(values), host_view<std::int64_t>(sums));
    CHECK(sums.back() == 4099 * std::int64_t{2'000'000'000});
  });
}

TEST_CASE("exclusive_scan refuses a result of another size") {
  for_each_executor([](std::string const& name, auto const& ex) {
    CAPTURE(name);
    for (std::int64_t const n : {3, 5000}) {
      std::vector<std::int64_t> values(static_cast<std::size_t>(n), 1);
      std::vector<std::int64_t> shorter(values.size() - 1, -1);
      std::vector<std::int64_t> longer(values.size() + 2, -1);
      CHECK_THROWS_AS(ex.exclusive_scan(host_view<std::int64_t>(values), host_view<std::int64_t>(shorter)),
                      precondition_error);
      CHECK_THROWS_AS(ex.exclusive_scan(host_view<std::int64_t>(values), host_view<std::int64_t>(longer)),
                      precondition_error);
      CHECK(std::ranges::count(longer, -1) == n + 2);
    }
  });
}

TEST_CASE("sort_by_key is a stable ascending sort") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (auto const n : bulk_sizes()) {
      CAPTURE(name);
      CAPTURE(n);
      auto keys = scrambled_values(n);
      std::vector<std::int64_t> places(keys.size());
      std::iota(places.begin(), places.end(), std::int64_t{0});
      std::vector<std::pair<std::int64_t, std::int64_t>> expected;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        expected.emplace_back(keys[i], places[i]);
      }
      std::ranges::stable_sort(expected, {}, [](auto const& pair) { return pair.first; });
      ex.sort_by_key(host_view<std::int64_t>(keys), host_view<std::int64_t>(places));
      bool equal = true;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        equal = equal && expected[i] == std::pair(keys[i], places[i]);
      }
      CHECK(equal);
    }
  });
}

TEST_CASE("select_if writes the chosen indices in order and returns their number") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (auto const n : bulk_sizes()) {
      CAPTURE(name);
      CAPTURE(n);
      auto const check = [&](auto const& predicate) {
        std::vector<std::int64_t> expected;
        for (std::int64_t i = 0; i < n; ++i) {
          if (predicate(i)) {
            expected.push_back(i);
          }
        }
        std::vector<std::int64_t> chosen(static_cast<std::size_t>(n), -1);
        auto const count = ex.select_if(n, predicate, host_view<std::int64_t>(chosen));
        CHECK(count == static_cast<std::int64_t>(expected.size()));
        chosen.resize(static_cast<std::size_t>(count));
        CHECK(chosen == expected);
      };
      check([](std::int64_t i) { return scrambled(i) % 3 == 0; });
      check([](std::int64_t) { return true; });
      check([](std::int64_t) { return false; });
    }
  });
}

TEST_CASE("an exception inside bulk work reaches the caller, and the executor works on") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (std::int64_t const n : {1, 100'003}) {
      CAPTURE(name);
      CAPTURE(n);
      for (std::int64_t const bad : {std::int64_t{0}, n / 2, n - 1}) {
        auto const fail = [bad](std::int64_t i) {
          if (i == bad) {
            throw std::runtime_error("at " + std::to_string(i));
          }
        };
        auto const expected = "at " + std::to_string(bad);
        CHECK_THROWS_WITH_AS(ex.for_each(n, fail), expected.c_str(), std::runtime_error);
        auto const value = [&](std::int64_t i) { return fail(i), i; };
        CHECK_THROWS_AS(static_cast<void>(ex.reduce(n, std::int64_t{0}, value, plus{})), std::runtime_error);
        std::vector<std::int64_t> chosen(static_cast<std::size_t>(n));
        auto const predicate = [&](std::int64_t i) { return fail(i), true; };
        CHECK_THROWS_AS(ex.select_if(n, predicate, host_view<std::int64_t>(chosen)), std::runtime_error);
      }
      auto const one = [](std::int64_t) { return std::int64_t{1}; };
      CHECK(ex.reduce(n, std::int64_t{0}, one, plus{}) == n);
    }
  });
}

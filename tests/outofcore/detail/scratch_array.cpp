// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/memory_plan.hpp>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <csignal>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

TEST_CASE("an array that grew in a file is the buffer that it would have been in memory") {
  glt_test::scratch_folder const scratch;
  for (std::int64_t const pieces : {0, 1, 7}) {
    glt::io::detail::scratch_array<std::int64_t> growing(scratch / "array");
    std::vector<std::int64_t> expected;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      std::vector<std::int64_t> values(static_cast<std::size_t>(piece * 500));
      std::iota(values.begin(), values.end(), piece);
      growing.append(values);
      expected.insert(expected.end(), values.begin(), values.end());
    }
    CHECK(growing.size() == static_cast<std::int64_t>(expected.size()));
    auto taken = std::move(growing).take();
    CHECK(scratch.num_entries() == 0);
    CHECK(std::vector<std::int64_t>(taken.begin(), taken.end()) == expected);
    taken.resize(taken.size() + 1); // own memory from here on
    taken[taken.size() - 1] = 5;
    CHECK(std::vector<std::int64_t>(taken.begin(), taken.end() - 1) == expected);
  }
}

TEST_CASE("elements may be put anywhere") {
  glt_test::scratch_folder const scratch;
  glt::io::detail::scratch_array<int> growing(scratch / "array");
  growing.write(5, std::vector<int>{1, 2});
  growing.write(0, std::vector<int>{3});
  growing.write(1, std::vector<int>{4});
  growing.append(std::vector<int>{6});
  auto const taken = std::move(growing).take();
  CHECK(std::vector<int>(taken.begin(), taken.end()) == std::vector<int>{3, 4, 0, 0, 0, 1, 2, 6});
}

TEST_CASE("it is the same however few elements wait in memory, and where they were put") {
  glt_test::scratch_folder const scratch;
  for (std::int64_t const waiting : {0, 9, 100, 1 << 16}) {
    glt::io::detail::scratch_array<int> growing(scratch / "array", waiting);
    std::vector<int> expected(300, 0);
    for (int i = 0; i < 200; ++i) {
      int const place = i % 2 == 0 ? i : 297 - i % 11;
      std::vector<int> const pair{i, -i};
      growing.write(place, pair);
      std::copy(pair.begin(), pair.end(), expected.begin() + place);
      if (i % 50 == 0) {
        growing.flush();
      }
    }
    growing.write(299, std::vector<int>{7});
    expected[299] = 7;
    auto moved = std::move(growing);
    auto const taken = std::move(moved).take();
    CHECK(std::vector<int>(taken.begin(), taken.end()) == expected);
  }
  CHECK(scratch.num_entries() == 0);
}

TEST_CASE("more arrays grow than a process may have open files") {
  glt_test::scratch_folder const scratch;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit few = before;
  few.rlim_cur = 40;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  {
    std::vector<glt::io::detail::scratch_array<int>> arrays;
    for (int i = 0; i < 60; ++i) {
      arrays.emplace_back(scratch / ("array" + std::to_string(i)), 8);
    }
    for (int i = 0; i < 600; ++i) {
      arrays[static_cast<std::size_t>(i % 60)].append(std::vector<int>{i});
    }
    auto const last = std::move(arrays.back()).take();
    CHECK(last.size() == 10);
    CHECK(last[9] == 599);
  }
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(scratch.num_entries() == 0);
}

TEST_CASE("a full disk is an error that says what to do") {
  glt_test::scratch_folder const scratch;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto const signal_before = std::signal(SIGXFSZ, SIG_IGN);
  glt::io::detail::scratch_array<int> growing(scratch / "array", 1000);
  rlimit small = before;
  small.rlim_cur = 2000;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  auto const fault = glt_test::thrown<glt::io_error>([&] {
    for (int i = 0; i < 1000; ++i) {
      growing.append(std::vector<int>{i});
    }
  });
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, signal_before);
  CHECK(glt_test::names(fault, "array", "cannot be written", "make room"));
}

TEST_CASE("an array that nobody took leaves no file, and one that cannot be made says where") {
  glt_test::scratch_folder const scratch;
  {
    glt::io::detail::scratch_array<float> growing(scratch / "array");
    growing.append(std::vector<float>{1, 2});
    CHECK(scratch.num_entries() == 1);
  }
  CHECK(scratch.num_entries() == 0);
  CHECK(glt_test::names(glt_test::thrown<glt::io_error>(
                            [&] { glt::io::detail::scratch_array<float>(scratch.path() / "missing" / "array"); }),
                        "missing/array", "make room"));
}

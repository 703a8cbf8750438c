// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/scratch_array.hpp>

#include "../support/errors.hpp"
#include "../support/scratch.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

TEST_CASE("an array that grew in a file is the buffer that it would have been in memory") {
  glt_test::scratch_folder const scratch;
  for (std::int64_t const pieces : {0, 1, 7}) {
    glt::io::scratch_array<std::int64_t> growing(scratch / "array");
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
  glt::io::scratch_array<int> growing(scratch / "array");
  growing.put(5, std::vector<int>{1, 2});
  growing.put(0, std::vector<int>{3});
  growing.put(1, std::vector<int>{4});
  growing.append(std::vector<int>{6});
  auto const taken = std::move(growing).take();
  CHECK(std::vector<int>(taken.begin(), taken.end()) == std::vector<int>{3, 4, 0, 0, 0, 1, 2, 6});
}

TEST_CASE("an array that nobody took leaves no file, and one that cannot be made says where") {
  glt_test::scratch_folder const scratch;
  {
    glt::io::scratch_array<float> growing(scratch / "array");
    growing.append(std::vector<float>{1, 2});
    CHECK(scratch.num_entries() == 1);
  }
  CHECK(scratch.num_entries() == 0);
  CHECK(glt_test::names(
      glt_test::thrown<glt::io_error>([&] { glt::io::scratch_array<float>(scratch.path() / "missing" / "array"); }),
      "missing/array", "make room"));
}

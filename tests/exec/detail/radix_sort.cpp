// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/core/random.hpp>
#include <glt/exec/sequential.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class Key>
void check_sorted_like_the_standard_library(std::vector<Key> keys) {
  std::vector<std::uint16_t> values(keys.size());
  std::vector<std::pair<Key, std::uint16_t>> expected;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    values[i] = static_cast<std::uint16_t>(i);
    expected.emplace_back(keys[i], values[i]);
  }
  std::ranges::stable_sort(expected, {}, [](auto const& pair) { return pair.first; });
  detail::radix_sort_by_key(host_view<Key>(keys), host_view<std::uint16_t>(values));
  std::vector<std::pair<Key, std::uint16_t>> sorted;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    sorted.emplace_back(keys[i], values[i]);
  }
  CHECK(sorted == expected);
}

} // namespace

TEST_CASE_TEMPLATE("keys of every width sort like in the standard library", Key, std::int8_t, std::uint8_t,
                   std::int16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  using limits = std::numeric_limits<Key>;
  check_sorted_like_the_standard_library<Key>({});
  check_sorted_like_the_standard_library<Key>({5});
  check_sorted_like_the_standard_library<Key>({5, 5, 5});
  check_sorted_like_the_standard_library<Key>({limits::max(), 0, limits::min(), 1, limits::max(), limits::min()});
  for (std::size_t const n : {2U, 257U, 5003U}) {
    for (int const bits : {3, 8, 11, 12, 31, 64}) {
      std::vector<Key> keys(n);
      random_stream draws(random_key(n), 0);
      for (auto& key : keys) {
        key = static_cast<Key>(draws.next64() >> (64 - bits));
      }
      check_sorted_like_the_standard_library(keys);
    }
  }
}

TEST_CASE("keys and values of different lengths are refused") {
  std::vector<int> keys{3, 1, 2};
  std::vector<int> values{0, 1};
  auto const text =
      thrown<precondition_error>([&] { detail::radix_sort_by_key(host_view<int>(keys), host_view<int>(values)); });
  CHECK(names(text, "3 keys", "2 values"));
  CHECK(keys == std::vector<int>{3, 1, 2});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/induced_edges.hpp>

#include <glt/core/random.hpp>

#include <cstdint>
#include <vector>

TEST_CASE("no vertex of a set is missed, and few others seem to belong to it") {
  glt::detail::vertex_filter<std::int64_t> filter; // reused: nothing of the last set may shine through
  CHECK(filter.perhaps(0) == 0);
  glt::random_stream draws(glt::random_key(6), 0);
  for (int const size : {1000, 0, 1, 64, 65, 513, 70000, 3}) {
    std::vector<std::int64_t> set;
    for (int i = 0; i < size; ++i) {
      set.push_back(static_cast<std::int64_t>(draws.next64() >> 1U));
    }
    filter.fill(glt::host_view<std::int64_t const>(set));
    std::int64_t found = 0;
    for (auto const vertex : set) {
      found += filter.perhaps(vertex);
    }
    CHECK(found == size);
    std::int64_t seeming = 0;
    for (int i = 0; i < 10000; ++i) {
      seeming += filter.perhaps(static_cast<std::int64_t>(draws.next64() >> 1U));
    }
    CHECK(seeming < 1400); // one in 8, and five standard deviations
  }
}

TEST_CASE("consecutive numbers, as those of a part, spread as well as random ones") {
  std::vector<std::int32_t> set;
  for (std::int32_t v = 5000; v < 15000; ++v) {
    set.push_back(v);
  }
  glt::detail::vertex_filter<std::int32_t> filter;
  filter.fill(glt::host_view<std::int32_t const>(set));
  std::int64_t seeming = 0;
  for (std::int32_t v = 15000; v < 25000; ++v) {
    seeming += filter.perhaps(v);
  }
  CHECK(seeming < 2000);
}

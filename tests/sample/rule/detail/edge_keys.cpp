// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/pick/smallest_keys.hpp>

#include "support/weighted.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

using glt::detail::arrives_earlier;
using glt::detail::keyed_edge;
constexpr auto host = glt::memory_space::host;

} // namespace

TEST_CASE("the earlier key comes first, of equal keys the one of the first position") {
  keyed_edge const first{2.0, 3};
  CHECK(arrives_earlier{}(first, {2.0, 4}));
  CHECK(!arrives_earlier{}({2.0, 4}, first));
  CHECK(!arrives_earlier{}(first, first));
  CHECK(arrives_earlier{}({1.0, 9}, first));
  CHECK(!arrives_earlier{}(first, {1.0, 9}));
}

TEST_CASE("the key of an edge is its variate over its weight, whoever asks for it") {
  auto const weights = glt_test::random_weights(41);
  glt::random_stream words(glt::random_key(4), 5);
  glt::detail::edge_keys<glt::host_view<float const>> const keys{words, weights};
  for (std::int64_t position = 0; position < 41; ++position) {
    auto const weight = static_cast<double>(weights[static_cast<std::size_t>(position)]);
    auto const word = words.next64();
    if (weight > 0) {
      CHECK(keys(position).key == static_cast<double>(glt::detail::minus_log2(word)) / weight);
      CHECK(keys(position).position == position);
      CHECK(keys.key(position, word).key == keys(position).key);
    }
  }
}

TEST_CASE("heaps with and without keys keep the same edges in the same order") {
  std::vector<float> const weights(300, 2.0F);
  glt::detail::edge_keys<glt::host_view<float const>> const keys{glt::random_stream(glt::random_key(8), 1), weights};
  for (std::int64_t const size : {1, 2, 7, 31, 32}) {
    std::vector<std::int64_t> with(static_cast<std::size_t>(size));
    std::iota(with.begin(), with.end(), 0);
    auto without = with;
    glt::detail::heap_with_keys<glt::host_view<float const>, std::int64_t> stored{keys, with.data()};
    glt::detail::heap_without_keys<glt::host_view<float const>, std::int64_t> computed{keys, without.data()};
    stored.order(size);
    computed.order(size);
    for (std::int64_t position = size; position < 300; ++position) {
      CHECK(stored.latest() == computed.latest());
      if (keys(position).key < stored.latest()) {
        stored.replace_latest(size, keys(position));
        computed.replace_latest(size, keys(position));
      }
    }
    stored.sort(size);
    computed.sort(size);
    CHECK(with == without);
  }
}

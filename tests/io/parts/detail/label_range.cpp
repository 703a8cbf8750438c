// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/manifest.hpp>

#include <cstdint>
#include <limits>
#include <vector>

using namespace glt;
using io::detail::label_range;

namespace {

template <class T>
io::array labels_of(std::vector<T> const& values) {
  return io::array::of<T>(host_view<T const>(values));
}

} // namespace

TEST_CASE("labels have as many classes as the highest of them says, and negative ones count down") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  CHECK(io::detail::range_of(labels_of<std::int64_t>({3, 0, 6})) == label_range{0, 7});
  CHECK(io::detail::range_of(labels_of<std::int8_t>({3, -1, 127})) == label_range{-1, 128});
  CHECK(io::detail::range_of(labels_of<std::uint8_t>({255})) == label_range{0, 256});
  CHECK(io::detail::range_of(labels_of<std::int64_t>({most, least})) == label_range{least, std::uint64_t{1} << 63});
  CHECK(io::detail::range_of(labels_of<std::int32_t>({})) == label_range{0, 0});
  CHECK_FALSE(io::detail::range_of(labels_of<float>({1})));
}

TEST_CASE("the first label outside is found, and ranges of parts become one") {
  label_range range{0, 7};
  auto const find = [&](auto const& labels) { return io::detail::find_outside(labels, range); };
  CHECK_FALSE(find(labels_of<std::int64_t>({0, 6})));
  for (std::int64_t const bad : {std::int64_t{-1}, std::int64_t{7}, std::int64_t{1} << 40}) {
    auto const found = find(labels_of<std::int64_t>({0, 6, bad, -2}));
    REQUIRE(found);
    CHECK(found->place == 2);
    CHECK(found->value == bad);
  }
  range.add({-1, 3});
  CHECK(range == label_range{-1, 7});
  CHECK_FALSE(find(labels_of<std::int32_t>({-1})));
  CHECK(find(labels_of<std::int32_t>({-2})));
  CHECK_FALSE(find(labels_of<double>({1e300})));
}

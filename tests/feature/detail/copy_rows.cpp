// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/executors.hpp"

#include <glt/core/random.hpp>
#include <glt/feature/detail/convert_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

constexpr std::size_t rows = 301;

// Distinct rows in random order.
std::vector<std::int64_t> shuffled(std::uint64_t number) {
  std::vector<std::int64_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  random_stream draws(random_key(3), number);
  for (std::size_t i = rows; i > 1; --i) {
    std::swap(order[i - 1], order[draws.below(i)]);
  }
  return order;
}

template <class Writes>
void check_copies(std::string const& name, auto const& ex, std::size_t row_bytes) {
  CAPTURE(name);
  CAPTURE(row_bytes);
  std::vector<std::byte> in(rows * row_bytes + 1);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<std::byte>(i * 13 % 251);
  }
  auto const from = shuffled(1);
  auto const to = shuffled(2);
  for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, rows}) {
    auto const n = static_cast<std::int64_t>(count);
    auto const bytes = static_cast<std::int64_t>(row_bytes);
    std::vector<std::byte> out(in.size());
    auto expected = out;
    auto const expect = [&](auto source, auto place) {
      std::ranges::fill(out, std::byte{0});
      std::ranges::fill(expected, std::byte{0});
      for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(in.begin() + source(i) * bytes, row_bytes, expected.begin() + place(i) * bytes);
      }
    };
    auto const listed = [](std::vector<std::int64_t> const& list) {
      return [&list](std::size_t i) { return list[i]; };
    };
    auto const in_order = [](std::size_t i) { return static_cast<std::int64_t>(i); };

    expect(listed(from), listed(to));
    ex.for_ranges(n, detail::copied_rows_per_range,
                  detail::copy_rows<detail::rows_listed<std::int64_t>, detail::rows_listed<std::int64_t>, Writes>{
                      in.data(), out.data(), bytes, {from.data()}, {to.data()}});
    CHECK(out == expected);

    expect(listed(from), in_order);
    ex.for_ranges(n, detail::copied_rows_per_range,
                  detail::copy_rows<detail::rows_listed<std::int64_t>, detail::rows_in_order, Writes>{
                      in.data(), out.data(), bytes, {from.data()}, {}});
    CHECK(out == expected);

    expect(in_order, listed(to));
    ex.for_ranges(n, detail::copied_rows_per_range,
                  detail::copy_rows<detail::rows_in_order, detail::rows_listed<std::int64_t>, Writes>{
                      in.data(), out.data(), bytes, {}, {to.data()}});
    CHECK(out == expected);
  }
}

} // namespace

TEST_CASE("rows of any length go from their places to their places, and nothing beside them") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (std::size_t const row_bytes : {0U, 1U, 12U, 64U, 512U, 1000U}) {
      check_copies<detail::cached_writes>(name, ex, row_bytes);
      check_copies<detail::streamed_writes>(name, ex, row_bytes);
    }
  });
}

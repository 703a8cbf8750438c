// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/executors.hpp"

#include <glt/core/random.hpp>
#include <glt/feature/detail/transfer_rows.hpp>

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

    auto const copy = [&](auto source, auto place) {
      using read = detail::rows_at<std::byte const, decltype(source)>;
      using written = detail::rows_at<std::byte, decltype(place)>;
      ex.for_ranges(n, detail::copied_rows_per_range,
                    detail::transfer_row_range<read, written, Writes>{
                        {in.data(), bytes, source}, {out.data(), bytes, place}, {bytes}});
      CHECK(out == expected);
    };
    using ids = detail::rows_listed<std::int64_t>;
    expect(listed(from), listed(to));
    copy(ids{from.data()}, ids{to.data()});
    expect(listed(from), in_order);
    copy(ids{from.data()}, detail::rows_in_order{});
    expect(in_order, listed(to));
    copy(detail::rows_in_order{}, ids{to.data()});
  }
}

// Items that the rows of a copy are asked for.
struct recorded {
  std::byte const* rows;
  std::int64_t row_bytes;
  std::vector<std::int64_t>* seen;
  std::byte const* operator()(std::int64_t i) const {
    seen->push_back(i);
    return rows + i * row_bytes;
  }
};

} // namespace

TEST_CASE("rows are in order or where a list says") {
  std::vector<std::int32_t> const list{5, 0, 5};
  CHECK(detail::rows_in_order{}(7) == 7);
  CHECK(detail::rows_listed<std::int32_t>{list.data()}(0) == 5);
  CHECK(detail::rows_listed<std::int32_t>{list.data()}(1) == 0);
}

TEST_CASE("rows are asked for ahead, but none after the last one") {
  for (std::int64_t const row_bytes : {0, 1, 64, 4096}) {
    std::vector<std::byte> const rows_of(static_cast<std::size_t>(12 * row_bytes), std::byte{3});
    std::vector<std::byte> out(rows_of.size());
    std::vector<std::int64_t> seen;
    detail::transfer_row_range<recorded, detail::rows_at<std::byte, detail::rows_in_order>>{
        {rows_of.data(), row_bytes, &seen}, {out.data(), row_bytes, {}}, {row_bytes}}(2, 12);
    CHECK(seen == std::vector<std::int64_t>{10, 2, 11, 3, 11, 4, 11, 5, 11, 6, 11, 7, 11, 8, 11, 9, 11, 10, 11, 11});
    CHECK(std::equal(out.begin() + 2 * row_bytes, out.end(), rows_of.begin() + 2 * row_bytes));
  }
}

TEST_CASE("rows of any length go from their places to their places, and nothing beside them") {
  for_each_executor([](std::string const& name, auto const& ex) {
    for (std::size_t const row_bytes : {0U, 1U, 12U, 64U, 512U, 1000U}) {
      check_copies<detail::cached_writes>(name, ex, row_bytes);
      check_copies<detail::streamed_writes>(name, ex, row_bytes);
    }
  });
}

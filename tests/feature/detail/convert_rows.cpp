// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/executors.hpp"

#include <glt/core/element_type.hpp>
#include <glt/core/random.hpp>
#include <glt/feature/detail/transfer_rows.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(detail::element<float16> && detail::element<std::uint8_t> && !detail::element<char> &&
              !detail::element<bool> && !detail::element<std::uint64_t>);
static_assert(detail::converts_to<std::int64_t, float> && detail::converts_to<double, float> &&
              detail::converts_to<bfloat16, double>);
static_assert(detail::converts_to<float, bfloat16> && !detail::converts_to<double, float16> &&
              !detail::converts_to<float, std::int8_t>);
static_assert(!detail::converts_to<float, float> && detail::gathers_as<float, float> &&
              !detail::gathers_as<std::int32_t, std::int64_t>);

namespace {

// The bits of an element, so that NaNs compare as well.
template <class T>
std::vector<std::byte> bytes_of(std::vector<T> const& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

template <class From, class To>
struct pair {
  using from = From;
  using to = To;
};

template <class From>
From any_element(random_stream& draws) {
  auto const bits = draws.below(std::uint64_t{1} << 62);
  if constexpr (std::is_same_v<From, float16> || std::is_same_v<From, bfloat16>) {
    return From::of_bits(static_cast<std::uint16_t>(bits));
  } else if constexpr (std::is_floating_point_v<From>) {
    return static_cast<From>(bits % 2'000'003) / From{7} - From{1000};
  } else {
    return static_cast<From>(bits);
  }
}

// What the element is in the other type, by C++ alone.
template <class To, class From>
To expected_of(From value) {
  if constexpr (std::is_same_v<From, float16> || std::is_same_v<From, bfloat16>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return To(value);
  }
}

template <class From, class To, class Writes, class Expected>
void check_conversion(float const* scales, std::int64_t columns, Expected expected_at) {
  CAPTURE(columns);
  constexpr std::int64_t rows = 23;
  random_stream draws(random_key(8), static_cast<std::uint64_t>(columns));
  std::vector<From> in(static_cast<std::size_t>(rows * columns));
  std::ranges::generate(in, [&] { return any_element<From>(draws); });
  for (std::size_t const shift : {0U, 1U}) { // rows of messages begin at any byte
    std::vector<std::byte> raw(in.size() * sizeof(From) + shift);
    std::ranges::copy(bytes_of(in), raw.begin() + static_cast<std::ptrdiff_t>(shift));
    for (std::int64_t const count : {0, 1, 300}) {
      std::vector<std::int64_t> from(static_cast<std::size_t>(count));
      std::vector<std::int32_t> to(from.size());
      std::vector<To> out(static_cast<std::size_t>((count + 1) * columns), To{});
      auto expected = out;
      for (std::int64_t i = 0; i < count; ++i) {
        from[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(draws.below(rows));
        to[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(count - 1 - i);
        for (std::int64_t c = 0; c < columns; ++c) {
          auto const value = in[static_cast<std::size_t>(from[static_cast<std::size_t>(i)] * columns + c)];
          expected[static_cast<std::size_t>((count - 1 - i) * columns + c)] = expected_at(value, c);
        }
      }
      for_each_executor([&](std::string const& name, auto const& ex) {
        CAPTURE(name);
        std::ranges::fill(out, To{});
        using listed = detail::rows_at<std::byte const, detail::rows_listed<std::int64_t>>;
        using places = detail::rows_at<std::byte, detail::rows_listed<std::int32_t>>;
        auto const transfer = detail::row_transfer::of<From, To, Writes>(columns, scales);
        ex.for_ranges(
            count, detail::copied_rows_per_range,
            detail::transfer_row_range<listed, places, Writes>{{raw.data() + shift, transfer.row_bytes, {from.data()}},
                                                               {reinterpret_cast<std::byte*>(out.data()),
                                                                columns * static_cast<std::int64_t>(sizeof(To)),
                                                                {to.data()}},
                                                               transfer});
        CHECK(bytes_of(out) == bytes_of(expected));
      });
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("rows are converted element by element, whatever their width and place", Pair, pair<float16, float>,
                   pair<bfloat16, float>, pair<std::int8_t, float>, pair<std::uint8_t, float>,
                   pair<std::int16_t, float>, pair<std::int32_t, float>, pair<std::int64_t, float>, pair<double, float>,
                   pair<float16, double>, pair<std::int64_t, double>, pair<float, double>, pair<float, float16>,
                   pair<float, bfloat16>) {
  using from = typename Pair::from;
  using to = typename Pair::to;
  for (std::int64_t const columns : {0, 1, 3, 127, 128, 130}) {
    auto const cast = [](from value, std::int64_t) { return expected_of<to>(value); };
    check_conversion<from, to, detail::cached_writes>(nullptr, columns, cast);
    check_conversion<from, to, detail::streamed_writes>(nullptr, columns, cast);
  }
}

TEST_CASE("integers are multiplied by the scale of their column") {
  for (std::int64_t const columns : {1, 3, 128, 130}) {
    std::vector<float> scales;
    for (std::int64_t c = 0; c < columns; ++c) {
      scales.push_back(static_cast<float>(c) / 7 + 0.25F);
    }
    auto const scaled = [&](auto value, std::int64_t c) {
      return static_cast<float>(value) * scales[static_cast<std::size_t>(c)];
    };
    check_conversion<std::int8_t, float, detail::cached_writes>(scales.data(), columns, scaled);
    check_conversion<std::int16_t, float, detail::streamed_writes>(scales.data(), columns, scaled);
    check_conversion<std::int8_t, double, detail::cached_writes>(
        scales.data(), columns, [&](std::int8_t value, std::int64_t c) {
          return static_cast<double>(value) * static_cast<double>(scales[static_cast<std::size_t>(c)]);
        });
  }
}

TEST_CASE_TEMPLATE("all 65536 patterns of 16 bits become the same in rows as one by one", Half, float16, bfloat16) {
  std::vector<Half> in;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    in.push_back(Half::of_bits(static_cast<std::uint16_t>(bits)));
  }
  std::vector<float> out(in.size());
  auto const transfer = detail::row_transfer::of<Half, float, detail::cached_writes>(128, nullptr);
  for (std::size_t row = 0; row < 512; ++row) {
    transfer.convert(reinterpret_cast<std::byte const*>(in.data() + row * 128),
                     reinterpret_cast<std::byte*>(out.data() + row * 128), transfer.columns, transfer.scales);
  }
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto const one = static_cast<float>(in[i]);
    bool const same = std::isnan(one) ? std::isnan(out[i]) : detail::bits_of(one) == detail::bits_of(out[i]);
    wrong += same ? 0 : 1;
  }
  CHECK(wrong == 0);
}

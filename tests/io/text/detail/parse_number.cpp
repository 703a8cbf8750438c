// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/random.hpp>
#include <glt/io/text/detail/text_cursor.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

using namespace glt;

namespace {

template <class T>
struct parsed {
  io::detail::number_fault fault;
  T value;
  std::size_t length; // of the text that was taken
};

template <class T>
parsed<T> parse(std::string_view text) {
  T value = T{77};
  auto const* at = text.data();
  io::detail::number_fault fault{};
  if constexpr (std::integral<T>) {
    fault = io::detail::parse_integer(at, text.data() + text.size(), value);
  } else {
    fault = io::detail::parse_real(at, text.data() + text.size(), value);
  }
  return {fault, value, static_cast<std::size_t>(at - text.data())};
}

template <class T>
bool reads(std::string_view text, T value, std::size_t length) {
  auto const got = parse<T>(text);
  return got.fault == io::detail::number_fault::none && got.value == value && got.length == length;
}

template <class T>
bool faults(std::string_view text, io::detail::number_fault fault) {
  auto const got = parse<T>(text);
  return got.fault == fault && got.value == T{77} && got.length == 0;
}

constexpr auto missing = io::detail::number_fault::missing;
constexpr auto out_of_range = io::detail::number_fault::out_of_range;

} // namespace

TEST_CASE("integers of every length are read wherever the text ends") {
  random_stream draws(random_key(1), 0);
  for (int i = 0; i < 20'000; ++i) {
    auto const value = static_cast<std::int64_t>(draws.below(std::uint64_t{1} << 63) >> draws.below(63)) *
                       (draws.below(2) == 0 ? 1 : -1);
    auto const text = std::string(draws.below(4) == 0 ? 3 : 0, '0') + std::to_string(std::abs(value));
    auto const number = (value < 0 ? "-" : "") + text;
    for (char const* behind : {"", "\n", " 123456789", "a", "/", ":", "\xB9\x80 9", ".5"}) {
      CAPTURE(number + behind);
      REQUIRE(reads<std::int64_t>(number + behind, value, number.size()));
    }
  }
}

TEST_CASE("integers at the limits of their type, and behind them") {
  CHECK(reads<std::int64_t>("9223372036854775807", std::numeric_limits<std::int64_t>::max(), 19));
  CHECK(reads<std::int64_t>("-9223372036854775808", std::numeric_limits<std::int64_t>::min(), 20));
  CHECK(reads<std::int64_t>(std::string(40, '0') + "12", 12, 42));
  for (char const* text : {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
                           "18446744073709551617", "99999999999999999999999999"}) {
    CHECK(faults<std::int64_t>(text, out_of_range));
  }
  CHECK(reads<std::int32_t>("2147483647", 2147483647, 10));
  CHECK(reads<std::int8_t>("-128", std::int8_t{-128}, 4));
  CHECK(faults<std::int32_t>("2147483648", out_of_range));
  CHECK(faults<std::uint8_t>("256", out_of_range));
  CHECK(faults<std::uint8_t>("-1", out_of_range));
}

TEST_CASE("what is no integer is left alone") {
  for (char const* text : {"", "-", "+1", " 1", "a", "--1", "-a2345678", "/2345678", ":2345678", ".5", "\n"}) {
    CAPTURE(text);
    CHECK(faults<std::int64_t>(text, missing));
  }
}

TEST_CASE("numbers with fraction and exponent") {
  CHECK(reads<float>("0.5", 0.5F, 3));
  CHECK(reads<double>("-1.25e3,", -1250.0, 7));
  CHECK(reads<float>("+7 ", 7.0F, 2));
  CHECK(reads<double>("0.1", 0.1, 3));
  CHECK(reads<float>("3.4028235e38", std::numeric_limits<float>::max(), 12));
  CHECK(std::isnan(parse<float>("nan").value));
  CHECK(reads<double>("-inf", -std::numeric_limits<double>::infinity(), 4));
  random_stream draws(random_key(2), 0);
  for (int i = 0; i < 2'000; ++i) {
    auto const value = std::ldexp(static_cast<double>(draws.below(1U << 30)), static_cast<int>(draws.below(100)) - 50);
    auto const text = std::to_string(value);
    REQUIRE(reads<double>(text + "\t", std::stod(text), text.size()));
  }
}

TEST_CASE("numbers that are too small become 0 or subnormal, those too large are refused") {
  CHECK(reads<float>("1e-60", 0.0F, 5));
  CHECK(reads<float>("1e-40", 1e-40F, 5));
  CHECK(reads<double>("1e-400", 0.0, 6));
  CHECK(reads<double>("-1E-99999", 0.0, 9));
  for (char const* text : {"1e39", "-1e39", "1e400", "1e99999", "-1e99999"}) {
    CAPTURE(text);
    CHECK(faults<float>(text, out_of_range));
  }
  CHECK(faults<double>("1e400", out_of_range));
  for (char const* text : {"", "+", "+-1", "-", ".", "e5", "x", " 1", ","}) {
    CAPTURE(text);
    CHECK(faults<float>(text, missing));
    CHECK(faults<double>(text, missing));
  }
}

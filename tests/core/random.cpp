// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/statistics.hpp"

#include <glt/core/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <type_traits>
#include <vector>

using glt::random_key;
using glt::random_stream;
using glt_test::chi_square_deviation;

static_assert(std::is_trivially_copyable_v<random_key> && std::is_trivially_copyable_v<random_stream>);

namespace {

/// Draws from [0, bound), counted in `outcomes` groups by group(value).
template <class Group>
std::vector<std::int64_t> count(std::uint64_t bound, std::size_t outcomes, std::int64_t draws, Group const& group) {
  std::vector<std::int64_t> counts(outcomes, 0);
  auto const key = random_key(2025).fold(bound);
  random_stream stream(key, 0);
  bool in_range = true;
  for (std::int64_t i = 0; i < draws; ++i) {
    if (i % 1000 == 0) {
      stream = random_stream(key, static_cast<std::uint64_t>(i));
    }
    auto const value = stream.below(bound);
    in_range = in_range && value < bound;
    ++counts.at(static_cast<std::size_t>(group(value)));
  }
  CHECK(in_range);
  return counts;
}

std::vector<std::uint32_t> words(random_stream stream, int count) {
  std::vector<std::uint32_t> drawn;
  for (int i = 0; i < count; ++i) {
    drawn.push_back(stream.next());
  }
  return drawn;
}

} // namespace

TEST_CASE("philox gives the known answers of Random123") {
  using words = std::array<std::uint32_t, 4>;
  CHECK(glt::detail::philox({0, 0}, {0, 0, 0, 0}) == words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(glt::detail::philox({~0U, ~0U}, {~0U, ~0U, ~0U, ~0U}) == words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(glt::detail::philox({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
        words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  static_assert(glt::detail::philox({0, 0}, {0, 0, 0, 0})[0] == 0x6627e8d5, "usable at compile time");
}

TEST_CASE("a stream is made of consecutive philox blocks of its subject") {
  auto const key = random_key(7).fold(3);
  std::uint64_t const subject = 0x0123456789abcdefULL;
  std::array<std::uint32_t, 2> const halves{static_cast<std::uint32_t>(key.bits()),
                                            static_cast<std::uint32_t>(key.bits() >> 32)};
  auto const drawn = words(random_stream(key, subject), 11);
  for (std::uint32_t i = 0; i < 11; ++i) {
    CHECK(drawn[i] == glt::detail::philox(halves, {0x89abcdef, 0x01234567, i / 4, 0})[i % 4]);
  }
}

TEST_CASE("a draw depends on key, subject and number of the draw alone") {
  auto const key = random_key(11).fold(0).fold(5);
  auto const first = words(random_stream(key, 1), 9);
  auto const second = words(random_stream(key, 2), 9);
  random_stream a(key, 1);
  random_stream b(key, 2);
  for (std::size_t i = 0; i < 9; ++i) { // interleaved
    CHECK(b.next() == second[i]);
    CHECK(a.next() == first[i]);
  }
  auto copy = a;
  CHECK(copy.next() == a.next());
  CHECK(first != second);
}

TEST_CASE("keys differ by seed, by value and by order of what was folded in") {
  std::set<std::uint64_t> bits;
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    bits.insert(random_key(seed).bits());
    ++made;
    for (std::uint64_t i = 0; i < 20; ++i) {
      bits.insert(random_key(seed).fold(i).bits());
      ++made;
      for (std::uint64_t j = 0; j < 20; ++j) {
        bits.insert(random_key(seed).fold(i).fold(j).bits());
        ++made;
      }
    }
  }
  CHECK(bits.size() == made);
  CHECK(random_key(4).fold(9).bits() == random_key(4).fold(9).bits());
  CHECK(random_key(~0ULL).fold(~0ULL).bits() != random_key(~0ULL).bits());
}

TEST_CASE("next64 joins two words, low one first; next_unit takes its upper 53 bits") {
  auto const key = random_key(1);
  auto const drawn = words(random_stream(key, 8), 4);
  random_stream stream(key, 8);
  CHECK(stream.next64() == (drawn[0] | (std::uint64_t{drawn[1]} << 32)));
  CHECK(stream.next_unit() ==
        static_cast<double>((drawn[2] | (std::uint64_t{drawn[3]} << 32)) >> 11) / 9007199254740992.0);
}

TEST_CASE("next_unit is uniform in [0, 1)") {
  std::vector<std::int64_t> counts(101, 0);
  random_stream stream(random_key(99), 4);
  bool in_range = true;
  for (int i = 0; i < 100'003; ++i) {
    auto const value = stream.next_unit();
    in_range = in_range && value >= 0 && value < 1;
    ++counts.at(static_cast<std::size_t>(value * 101));
  }
  CHECK(in_range);
  CHECK(chi_square_deviation(counts) < 4);
}

TEST_CASE("below(1) is 0 and below covers its range") {
  random_stream stream(random_key(0), 0);
  for (int i = 0; i < 10; ++i) {
    CHECK(stream.below(1) == 0);
  }
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 200; ++i) {
    seen.insert(stream.below(7));
  }
  CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("below is uniform for small and for hub-sized ranges") {
  for (std::uint64_t const bound : {2U, 3U, 10U, 255U, 256U, 1000U, 40'000U}) {
    CAPTURE(bound);
    auto const counts =
        count(bound, bound, static_cast<std::int64_t>(50 * bound + 10'000), [](std::uint64_t value) { return value; });
    CHECK(chi_square_deviation(counts) < 4);
    CHECK(chi_square_deviation(counts) > -4);
  }
}

TEST_CASE("below is uniform where a plain product would not be") {
  // Without rejection every third value of [0, 3·2^30) would come twice as often.
  CHECK(chi_square_deviation(count(3ULL << 30, 3, 60'001, [](std::uint64_t value) { return value % 3; })) < 4);
  CHECK(chi_square_deviation(count(3ULL << 30, 3, 60'001, [](std::uint64_t value) { return value >> 30; })) < 4);
}

TEST_CASE("below is uniform around and above 2^32") {
  for (std::uint64_t const bound : {(1ULL << 32) - 1, 1ULL << 32, (1ULL << 32) + 1, 97ULL * 123'456'789, 3ULL << 62}) {
    CAPTURE(bound);
    auto const width = bound / 97 + 1;
    auto const counts = count(bound, 97, 97'003, [&](std::uint64_t value) { return value / width; });
    CHECK(chi_square_deviation(counts) < 4);
    auto const low = count(bound, 64, 64'003, [](std::uint64_t value) { return value % 64; });
    CHECK(chi_square_deviation(low) < 4);
  }
}

TEST_CASE("first draws of neighbouring subjects, seeds and parts are uniform together") {
  std::vector<std::int64_t> by_subject(64, 0), by_seed(64, 0), by_part(64, 0), by_pair(256, 0);
  for (std::uint64_t i = 0; i < 20'011; ++i) {
    ++by_subject[random_stream(random_key(3), i).below(64)];
    ++by_seed[random_stream(random_key(i), 3).below(64)];
    ++by_part[random_stream(random_key(3).fold(i), 3).below(64)];
    auto const here = random_stream(random_key(3), i).below(16);
    auto const next = random_stream(random_key(3), i + 1).below(16);
    ++by_pair[here * 16 + next];
  }
  for (auto const& counts : {by_subject, by_seed, by_part, by_pair}) {
    CHECK(chi_square_deviation(counts) < 4);
  }
}

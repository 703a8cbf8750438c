// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/random_lanes.hpp>
#include <glt/core/random.hpp>

#include <cstddef>
#include <cstdint>

#if defined(GLT_HAS_LANES)

namespace glt::detail {

// Says whether two of 4 · Vectors numbers are equal.
template <std::size_t Vectors>
bool any_equal(__m128i const (&numbers)[Vectors]) noexcept {
  auto found = _mm_setzero_si128();
  auto const compare = [&](__m128i a, __m128i b) { found = _mm_or_si128(found, _mm_cmpeq_epi32(a, b)); };
  for (std::size_t i = 0; i < Vectors; ++i) {
    auto const by_one = _mm_shuffle_epi32(numbers[i], _MM_SHUFFLE(0, 3, 2, 1));
    auto const by_two = _mm_shuffle_epi32(numbers[i], _MM_SHUFFLE(1, 0, 3, 2));
    auto const by_three = _mm_shuffle_epi32(numbers[i], _MM_SHUFFLE(2, 1, 0, 3));
    compare(numbers[i], by_one);
    compare(numbers[i], by_two);
    for (std::size_t j = 0; j < i; ++j) {
      compare(numbers[j], numbers[i]);
      compare(numbers[j], by_one);
      compare(numbers[j], by_two);
      compare(numbers[j], by_three);
    }
  }
  return _mm_movemask_epi8(found) != 0;
}

// Floyd's sampling once all draws are known: a pick that was taken before becomes the last position of its draw.
inline void replace_repeated(std::int64_t degree, int count, std::int32_t* picks) noexcept {
  auto const last = [&](int i) { return static_cast<std::int32_t>(degree - count + i); };
  if (degree <= 64) { // a bit for every position
    std::uint64_t taken = 0;
    for (int i = 0; i < count; ++i) {
      picks[i] = (taken >> picks[i] & 1) != 0 ? last(i) : picks[i];
      taken |= std::uint64_t{1} << picks[i];
    }
    return;
  }
  for (int i = 1; i < count; ++i) {
    int taken = 0;
    for (int j = 0; j < i; ++j) {
      taken |= picks[j] == picks[i];
    }
    picks[i] = taken != 0 ? last(i) : picks[i];
  }
}

// `pick_distinct_at_once` for at most 4 · Vectors picks.
template <std::size_t Vectors>
bool pick_distinct_in_lanes(random_stream const& stream, std::int64_t degree, int count, std::int32_t* picks) noexcept {
  auto const all = [](std::int64_t value) { return _mm_set1_epi32(static_cast<int>(value)); };
  auto const sign = all(std::int64_t{1} << 31); // turns unsigned comparisons into signed ones
  auto const first_bound = all(degree - count + 1);
  __m128i kept[Vectors];
  auto rejected = _mm_setzero_si128();
  auto const keep = [&](std::size_t vector, __m128i numbers, __m128i fractions) {
    auto const draws = _mm_add_epi32(_mm_set_epi32(3, 2, 1, 0), all(static_cast<std::int64_t>(4 * vector)));
    auto const used = _mm_cmpgt_epi32(all(count), draws);
    auto const bounds = _mm_add_epi32(first_bound, draws);
    auto const maybe = _mm_cmpgt_epi32(_mm_xor_si128(bounds, sign), _mm_xor_si128(fractions, sign));
    rejected = _mm_or_si128(rejected, _mm_and_si128(used, maybe));
    // Places that are not used hold different negative numbers, equal to nothing.
    kept[vector] = _mm_or_si128(_mm_and_si128(used, numbers), _mm_andnot_si128(used, _mm_sub_epi32(all(-1), draws)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(picks) + vector, kept[vector]);
  };
  for (std::size_t vector = 0; vector < Vectors; vector += 2) {
    auto lanes = block_lanes(stream, vector, vector + 1);
    for (int j = 0; j < 4; ++j) {
      auto const draw = static_cast<int>(4 * vector) + j; // of lane 0; that of lane 1 is four later
      auto const bounds = _mm_add_epi32(first_bound, _mm_set_epi32(0, draw + 4, 0, draw));
      lanes.words[j] = _mm_mul_epu32(lanes.words[j], bounds);
    }
    auto const numbers = upper_halves(lanes);
    auto const fractions = lower_halves(lanes);
    keep(vector, numbers.first, fractions.first);
    if (vector + 1 < Vectors) {
      keep(vector + 1, numbers.second, fractions.second);
    }
  }
  if (_mm_movemask_epi8(rejected) != 0) {
    return false;
  }
  // On short rows equal picks are too frequent to hope for none.
  if (degree <= 64 || any_equal(kept)) {
    replace_repeated(degree, count, picks);
  }
  return true;
}

/// Picks at most 16 distinct positions as `pick_distinct` does: all draws in vector registers, and a look for equal
/// ones afterwards. False, with `picks` unfinished, in the rare case that a draw may have to be rejected.
///
/// @shape  picks [16], of which the first `count` are written
/// @pre    0 < count <= 16, and count < degree < 2³¹; not checked
inline bool pick_distinct_at_once(random_stream const& stream, std::int64_t degree, int count,
                                  std::int32_t* picks) noexcept {
  switch ((count + 3) / 4) {
  case 1: return pick_distinct_in_lanes<1>(stream, degree, count, picks);
  case 2: return pick_distinct_in_lanes<2>(stream, degree, count, picks);
  case 3: return pick_distinct_in_lanes<3>(stream, degree, count, picks);
  default: return pick_distinct_in_lanes<4>(stream, degree, count, picks);
  }
}

} // namespace glt::detail

#endif

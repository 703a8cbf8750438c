// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/random_lanes.hpp>
#include <glt/sample/options.hpp>

#if defined(GLT_HAS_LANES)

namespace glt::detail {

// True if two of 4 · Vectors numbers are equal.
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

// Ends Floyd's sampling after all draws: a pick that was taken before becomes the last position of its draw.
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

// Does the work of `pick_distinct_at_once` for at most 4 · Vectors picks, on any processor.
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
    // Unused places hold distinct negative numbers, which are equal to no pick.
    kept[vector] = _mm_or_si128(_mm_and_si128(used, numbers), _mm_andnot_si128(used, _mm_sub_epi32(all(-1), draws)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(picks) + vector, kept[vector]);
  };
  for (std::size_t vector = 0; vector < Vectors; vector += 2) {
    auto lanes = block_lanes(stream, vector, vector + 1);
    for (int j = 0; j < 4; ++j) {
      auto const draw = static_cast<int>(4 * vector) + j; // of lane 0; the draw of lane 1 is four later
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
  // On short rows, equal picks are frequent.
  if (degree <= 64 || any_equal(kept)) {
    replace_repeated(degree, count, picks);
  }
  return true;
}

// On processors with 32-byte registers (checked at run time), four blocks side by side are all words of 16 picks.
#if defined(__GNUC__) && defined(__x86_64__)
#define GLT_HAS_FOUR_LANES 1

[[nodiscard]] inline bool has_four_lanes() noexcept {
  return __builtin_cpu_supports("avx2") != 0;
}

// Does the work of `pick_distinct_at_once` on processors with `has_four_lanes()`.
[[gnu::target("avx2")]] inline bool pick_distinct_in_four_lanes(random_stream const& stream, std::int64_t degree,
                                                                int count, std::int32_t* picks) noexcept {
  __m256i c[4] = {_mm256_set1_epi64x(static_cast<std::int64_t>(stream.subject())),
                  _mm256_set1_epi64x(static_cast<std::int64_t>(stream.subject() >> 32)), _mm256_set_epi64x(3, 2, 1, 0),
                  _mm256_setzero_si256()};
  auto key0 = _mm256_set1_epi32(static_cast<int>(stream.key()[0]));
  auto key1 = _mm256_set1_epi32(static_cast<int>(stream.key()[1]));
  auto const factor0 = _mm256_set1_epi64x(philox_factors[0]);
  auto const factor1 = _mm256_set1_epi64x(philox_factors[1]);
  auto const step0 = _mm256_set1_epi32(static_cast<int>(philox_steps[0]));
  auto const step1 = _mm256_set1_epi32(static_cast<int>(philox_steps[1]));
  for (int round = 0; round < philox_rounds; ++round) {
    auto const product0 = _mm256_mul_epu32(c[0], factor0);
    auto const product1 = _mm256_mul_epu32(c[2], factor1);
    c[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product1, 32), c[1]), key0);
    c[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product0, 32), c[3]), key1);
    c[1] = product1;
    c[3] = product0;
    key0 = _mm256_add_epi32(key0, step0);
    key1 = _mm256_add_epi32(key1, step1);
  }
  auto bounds = _mm256_add_epi64(_mm256_set1_epi64x(degree - count + 1), _mm256_set_epi64x(12, 8, 4, 0));
  auto accepted = _mm256_set1_epi32(-1);
  for (auto& word : c) { // of draws j, j + 4, j + 8, j + 12; an unused draw may cause a needless rejection
    word = _mm256_mul_epu32(word, bounds);
    accepted = _mm256_and_si256(accepted, _mm256_cmpeq_epi32(_mm256_max_epu32(word, bounds), word));
    bounds = _mm256_add_epi64(bounds, _mm256_set1_epi64x(1));
  }
  if (_mm256_movemask_epi8(accepted) != -1) {
    return false;
  }
  auto const even = _mm256_blend_epi32(_mm256_srli_epi64(c[0], 32), c[1], 0xAA); // draws 0, 1, 4, 5, …
  auto const odd = _mm256_blend_epi32(_mm256_srli_epi64(c[2], 32), c[3], 0xAA);  // draws 2, 3, 6, 7, …
  auto const low = _mm256_unpacklo_epi64(even, odd);
  auto const high = _mm256_unpackhi_epi64(even, odd);
  __m256i numbers[2] = {_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31)};
  auto draws = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  for (int half = 0; half < 2; ++half) { // unused places hold distinct negative numbers, which are equal to no pick
    auto const used = _mm256_cmpgt_epi32(_mm256_set1_epi32(count), draws);
    numbers[half] = _mm256_blendv_epi8(_mm256_sub_epi32(_mm256_set1_epi32(-1), draws), numbers[half], used);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(picks) + half, numbers[half]);
    draws = _mm256_add_epi32(draws, _mm256_set1_epi32(8));
  }
  __m128i const kept[4] = {_mm256_castsi256_si128(numbers[0]), _mm256_extracti128_si256(numbers[0], 1),
                           _mm256_castsi256_si128(numbers[1]), _mm256_extracti128_si256(numbers[1], 1)};
  __m128i const kept_of_8[2] = {kept[0], kept[1]};
  if (degree <= 64 || (count <= 8 ? any_equal(kept_of_8) : any_equal(kept))) {
    replace_repeated(degree, count, picks);
  }
  return true;
}
#endif

// Does the same on any processor.
inline bool pick_distinct_in_two_lanes(random_stream const& stream, std::int64_t degree, int count,
                                       std::int32_t* picks) noexcept {
  switch ((count + 3) / 4) {
  case 1:
    return pick_distinct_in_lanes<1>(stream, degree, count, picks);
  case 2:
    return pick_distinct_in_lanes<2>(stream, degree, count, picks);
  case 3:
    return pick_distinct_in_lanes<3>(stream, degree, count, picks);
  default:
    return pick_distinct_in_lanes<4>(stream, degree, count, picks);
  }
}

/// Picks at most 16 distinct positions as `pick_distinct` does: all draws in vector registers, then a search for equal
/// ones. Returns false, with `picks` unfinished, in the rare case that a draw may have to be rejected.
///
/// @shape  picks [16], of which the first `count` are written
/// @pre    0 < count <= 16, and count < degree < 2³¹; not checked
inline bool pick_distinct_at_once(random_stream const& stream, std::int64_t degree, int count,
                                  std::int32_t* picks) noexcept {
#if defined(GLT_HAS_FOUR_LANES)
  if (has_four_lanes()) {
    return pick_distinct_in_four_lanes(stream, degree, count, picks);
  }
#endif
  return pick_distinct_in_two_lanes(stream, degree, count, picks);
}

} // namespace glt::detail

#endif

namespace glt::detail {

// Most distinct positions that are picked at once.
inline constexpr std::int64_t most_at_once = 16;

/// Returns the number of edges that a row of `degree` edges gives. Without replacement a row of at most `fanout` edges
/// gives all of them; other rows give `fanout`.
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_picked(std::int64_t degree, hop_options options) noexcept {
  bool const whole_row = options.fanout < 0 || (!options.replace && degree <= options.fanout);
  return whole_row || degree == 0 ? degree : options.fanout;
}

template <class Position>
GLT_HOST_DEVICE constexpr void pick_any(random_stream stream, std::int64_t degree, std::int64_t count,
                                        Position* out) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<Position>(stream.below(static_cast<std::uint64_t>(degree)));
  }
}

// Floyd's sampling: draw i is below degree − count + i + 1. A number that was drawn before is replaced by the largest
// number of its draw.
template <class Position>
GLT_HOST_DEVICE constexpr void pick_distinct(random_stream stream, std::int64_t degree, std::int64_t count,
                                             Position* out) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t const last = degree - count + i;
    auto pick = static_cast<Position>(stream.below(static_cast<std::uint64_t>(last) + 1));
    bool taken = false;
    for (std::int64_t j = 0; j < i; ++j) {
      taken |= out[j] == pick;
    }
    out[i] = taken ? static_cast<Position>(last) : pick;
  }
}

// Picks at most `Width` positions, faster: all random words at once, in loops with constant trip counts and places, so
// that devices keep `picks` in registers. Returns false, with nothing written, in the rare case that a draw may have to
// be rejected.
template <int Width, class Position>
GLT_HOST_DEVICE constexpr bool pick_distinct_portably(random_stream const& stream, std::int64_t degree, int count,
                                                      Position* out) noexcept {
  std::int32_t picks[Width] = {};
  auto const bound = [&](int i) { return static_cast<std::uint32_t>(degree - count + i + 1); };
  bool maybe_rejected = false;
  for (int first = 0; first < Width; first += 4) {
    if (first < count) {
      auto const words = stream.block(static_cast<std::uint64_t>(first / 4));
      for (int i = 0; i < 4; ++i) {
        std::uint64_t const product = std::uint64_t{words[static_cast<std::size_t>(i)]} * bound(first + i);
        maybe_rejected |= first + i < count && static_cast<std::uint32_t>(product) < bound(first + i);
        picks[first + i] = static_cast<std::int32_t>(product >> 32);
      }
    }
  }
  if (maybe_rejected) {
    return false;
  }
  for (int i = 0; i < Width; ++i) {
    bool taken = false;
    for (int j = 0; j < i; ++j) {
      taken |= picks[j] == picks[i];
    }
    picks[i] = taken ? static_cast<std::int32_t>(bound(i) - 1) : picks[i];
  }
  for (int i = 0; i < Width; ++i) {
    if (i < count) {
      out[i] = static_cast<Position>(picks[i]);
    }
  }
  return true;
}

// Uses the faster of the two ways to pick up to 16 positions.
template <class Position>
GLT_HOST_DEVICE constexpr bool pick_at_once(random_stream const& stream, std::int64_t degree, int count,
                                            Position* out) noexcept {
#if defined(GLT_HAS_LANES)
  if (!std::is_constant_evaluated()) {
    std::int32_t picks[16] = {};
    bool const done = pick_distinct_at_once(stream, degree, count, picks);
    for (int i = 0; done && i < count; ++i) {
      out[i] = static_cast<Position>(picks[i]);
    }
    return done;
  }
#endif
  return count <= 8 ? pick_distinct_portably<8>(stream, degree, count, out)
                    : pick_distinct_portably<16>(stream, degree, count, out);
}

/// Picks edges of a row by their position in it: the whole row in order, or a uniform draw.
///
/// Without replacement every set of `fanout` positions is equally likely; their order is not uniform.
///
/// @shape  out [num_picked(degree, options)], written
/// @units  positions in [0, degree)
/// @pre    degree fits `Position`, and the stream is unused; not checked
/// @cost   one random number a pick; without replacement O(fanout²) comparisons over the picks, 8 or 16 at once
///         for fanouts up to 16; no memory beside out
/// @source Floyd's sampling, Bentley & Floyd, CACM 30(9), 1987
template <class Position>
GLT_HOST_DEVICE constexpr void pick_positions(random_stream const& stream, std::int64_t degree, hop_options options,
                                              Position* out) noexcept {
  std::int64_t const count = num_picked(degree, options);
  if (options.replace) {
    pick_any(stream, degree, count, out);
    return;
  }
  if (count == degree) {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(i);
    }
    return;
  }
  if (count > most_at_once || degree > std::numeric_limits<std::int32_t>::max() ||
      !pick_at_once(stream, degree, static_cast<int>(count), out)) {
    pick_distinct(stream, degree, count, out);
  }
}

} // namespace glt::detail

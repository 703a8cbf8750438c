// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/random_lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(GLT_HAS_LANES)
namespace glt::detail {

/// Says whether two of 4 · Vectors numbers are equal, without order or branches.
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

/// `pick_distinct` for at most 4 · Vectors picks: draws all of them at once and looks for equal ones afterwards,
/// which is rarely needed on long rows. False, with `out` unfinished, if a draw may have to be rejected.
///
/// @shape  out [4 · Vectors], of which the first `count` are picks
template <std::size_t Vectors>
bool pick_distinct_in_lanes(random_stream const& stream, std::int64_t degree, int count, std::int32_t* out) noexcept {
  constexpr std::size_t pairs = (Vectors + 1) / 2;
  auto const sign = _mm_set1_epi32(static_cast<int>(0x80000000U));
  auto const order = _mm_set_epi32(3, 2, 1, 0);
  auto const wanted = _mm_set1_epi32(count);
  auto const first_bound = _mm_set1_epi32(static_cast<int>(degree - count + 1));
  auto const halves = [](__m128i a, __m128i b, auto which) {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), decltype(which)::value));
  };
  using lower = std::integral_constant<int, _MM_SHUFFLE(2, 0, 2, 0)>;
  using upper = std::integral_constant<int, _MM_SHUFFLE(3, 1, 3, 1)>;
  __m128i picks[Vectors];
  auto rejected = _mm_setzero_si128();
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    auto [products] = two_blocks(stream, static_cast<std::uint32_t>(2 * pair));
    for (int j = 0; j < 4; ++j) {
      // Lane 0 is draw 8 · pair + j, lane 1 is four draws later.
      auto const draw = static_cast<int>(8 * pair) + j;
      auto const bound = _mm_add_epi32(first_bound, _mm_set_epi32(0, draw + 4, 0, draw));
      products[j] = _mm_mul_epu32(products[j], bound);
    }
    auto const keep = [&](std::size_t vector, auto lane) {
      auto const draws = _mm_add_epi32(order, _mm_set1_epi32(static_cast<int>(4 * vector)));
      auto const used = _mm_cmpgt_epi32(wanted, draws);
      auto const bound = _mm_add_epi32(first_bound, draws);
      auto const gather = [&](auto which) {
        return halves(halves(products[0], products[1], which), halves(products[2], products[3], which), lane);
      };
      auto const below_bound = _mm_cmpgt_epi32(_mm_xor_si128(bound, sign), _mm_xor_si128(gather(lower{}), sign));
      rejected = _mm_or_si128(rejected, _mm_and_si128(used, below_bound));
      // Lanes that are not used hold different negative numbers, equal to nothing.
      picks[vector] = _mm_or_si128(_mm_and_si128(used, gather(upper{})), _mm_andnot_si128(used, _mm_xor_si128(draws, _mm_set1_epi32(-1))));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out) + vector, picks[vector]);
    };
    keep(2 * pair, lower{});
    if (2 * pair + 1 < Vectors) {
      keep(2 * pair + 1, upper{});
    }
  }
  if (_mm_movemask_epi8(rejected) != 0) {
    return false;
  }
  if (degree <= 64) { // a bit for every position; equal picks are too frequent here to guess that there are none
    std::uint64_t taken = 0;
    for (int i = 0; i < count; ++i) {
      std::int32_t const pick = (taken >> out[i] & 1) != 0 ? static_cast<std::int32_t>(degree - count + i) : out[i];
      taken |= std::uint64_t{1} << pick;
      out[i] = pick;
    }
  } else if (any_equal(picks)) {
    for (int i = 1; i < count; ++i) {
      int taken = 0;
      for (int j = 0; j < i; ++j) {
        taken |= out[j] == out[i];
      }
      out[i] = taken != 0 ? static_cast<std::int32_t>(degree - count + i) : out[i];
    }
  }
  return true;
}

} // namespace glt::detail
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

// Two blocks of random words in the two lanes of a vector register; device code uses only the portable version.
#if defined(__SSE2__) && !defined(__CUDACC__)
#define GLT_HAS_LANES 1
#include <immintrin.h>
#endif

namespace glt::detail {

#if defined(GLT_HAS_LANES)

/// Four words of two blocks. Word j of the first block is the lower half of lane 0 of words[j]; word j of the second
/// block is the lower half of lane 1. The upper halves mean nothing.
struct word_lanes {
  __m128i words[4];
};

/// Two vectors of four words.
struct word_vectors {
  __m128i first;
  __m128i second;
};

/// Returns the lower halves of all lanes 0 in order, and the lower halves of all lanes 1.
[[nodiscard]] inline word_vectors lower_halves(word_lanes const& lanes) noexcept {
  auto const [w] = lanes;
  auto const pick = [](__m128i a, __m128i b, auto elements) {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), decltype(elements)::value));
  };
  using even = std::integral_constant<int, _MM_SHUFFLE(2, 0, 2, 0)>;
  using odd = std::integral_constant<int, _MM_SHUFFLE(3, 1, 3, 1)>;
  auto const begin = pick(w[0], w[1], even{});
  auto const end = pick(w[2], w[3], even{});
  return {pick(begin, end, even{}), pick(begin, end, odd{})};
}

/// Returns the upper halves in the same order.
[[nodiscard]] inline word_vectors upper_halves(word_lanes const& lanes) noexcept {
  auto const [w] = lanes;
  auto const down = [](__m128i a) { return _mm_srli_epi64(a, 32); };
  return lower_halves({{down(w[0]), down(w[1]), down(w[2]), down(w[3])}});
}

/// Returns two blocks of a random stream, computed side by side.
///
/// @cost   less than half the instructions of two calls of `random_stream::block`
[[nodiscard]] inline word_lanes block_lanes(random_stream const& stream, std::uint64_t first,
                                            std::uint64_t second) noexcept {
  auto const lanes = [](std::uint64_t a, std::uint64_t b) {
    return _mm_set_epi32(0, static_cast<int>(b), 0, static_cast<int>(a));
  };
  auto const both = [](std::uint64_t word) { return _mm_set1_epi32(static_cast<int>(word)); };
  auto c0 = both(stream.subject());
  auto c1 = both(stream.subject() >> 32);
  auto c2 = lanes(first, second);
  auto c3 = lanes(first >> 32, second >> 32);
  auto key0 = both(stream.key()[0]);
  auto key1 = both(stream.key()[1]);
  for (int round = 0; round < philox_rounds; ++round) {
    auto const product0 = _mm_mul_epu32(c0, both(philox_factors[0]));
    auto const product1 = _mm_mul_epu32(c2, both(philox_factors[1]));
    c0 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(product1, 32), c1), key0);
    c2 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(product0, 32), c3), key1);
    c1 = product1;
    c3 = product0;
    key0 = _mm_add_epi32(key0, both(philox_steps[0]));
    key1 = _mm_add_epi32(key1, both(philox_steps[1]));
  }
  return {{c0, c1, c2, c3}};
}

#endif

/// Returns two blocks of a random stream, one after the other. With vector registers, it is faster than two calls of
/// `random_stream::block`.
[[nodiscard]] GLT_HOST_DEVICE constexpr std::array<std::uint32_t, 8>
two_blocks(random_stream const& stream, std::uint64_t first, std::uint64_t second) noexcept {
  std::array<std::uint32_t, 8> words{};
#if defined(GLT_HAS_LANES)
  if (!std::is_constant_evaluated()) {
    auto const blocks = lower_halves(block_lanes(stream, first, second));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(words.data()), blocks.first);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(words.data() + 4), blocks.second);
    return words;
  }
#endif
  auto const one = stream.block(first);
  auto const other = stream.block(second);
  for (std::size_t j = 0; j < 4; ++j) {
    words[j] = one[j];
    words[j + 4] = other[j];
  }
  return words;
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>

#include <cstdint>

// Compilers for devices see the portable way alone.
#if defined(__SSE2__) && !defined(__CUDACC__)
#define GLT_HAS_LANES 1
#include <emmintrin.h>

namespace glt::detail {

/// Four words of two blocks: word j of one in the lower half of lane 0 of element j, that of the other in the
/// lower half of lane 1; the upper halves mean nothing.
struct word_lanes {
  __m128i words[4];
};

/// A block of a random stream and the next one, computed side by side.
///
/// @pre    index + 1 < 2³²; not checked
/// @cost   less than half the instructions of two calls of `random_stream::block`
inline word_lanes two_blocks(random_stream const& stream, std::uint32_t index) noexcept {
  auto const everywhere = [](std::uint64_t word) { return _mm_set1_epi32(static_cast<int>(word)); };
  auto c0 = everywhere(stream.subject());
  auto c1 = everywhere(stream.subject() >> 32);
  auto c2 = _mm_add_epi32(everywhere(index), _mm_set_epi32(0, 1, 0, 0));
  auto c3 = _mm_setzero_si128();
  auto key0 = everywhere(stream.key()[0]);
  auto key1 = everywhere(stream.key()[1]);
  for (int round = 0; round < philox_rounds; ++round) {
    auto const first = _mm_mul_epu32(c0, everywhere(philox_factors[0]));
    auto const second = _mm_mul_epu32(c2, everywhere(philox_factors[1]));
    c0 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(second, 32), c1), key0);
    c2 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(first, 32), c3), key1);
    c1 = second;
    c3 = first;
    key0 = _mm_add_epi32(key0, everywhere(philox_steps[0]));
    key1 = _mm_add_epi32(key1, everywhere(philox_steps[1]));
  }
  return {{c0, c1, c2, c3}};
}

} // namespace glt::detail
#endif

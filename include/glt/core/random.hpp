// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>

#include <array>
#include <cstdint>

namespace glt {

namespace detail {

// Finaliser of SplitMix64: a bijection of 64-bit words in which every input bit reaches every output bit.
GLT_HOST_DEVICE constexpr std::uint64_t mix64(std::uint64_t word) noexcept {
  word += 0x9e3779b97f4a7c15ULL;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

// Constants of Philox4x32-10.
inline constexpr int philox_rounds = 10;
inline constexpr std::uint32_t philox_factors[] = {0xD2511F53U, 0xCD9E8D57U};
inline constexpr std::uint32_t philox_steps[] = {0x9E3779B9U, 0xBB67AE85U};

/// Returns four 32-bit words that depend only on `key` and `counter`.
///
/// @cost   10 rounds of two 32 x 32-bit multiplications
/// @source Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011 (Philox4x32-10)
GLT_HOST_DEVICE constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 2> key,
                                                              std::array<std::uint32_t, 4> counter) noexcept {
  // Scalars, not elements of the arrays: those cost calls and checks in programs that are not optimised.
  auto [c0, c1, c2, c3] = counter;
  auto [k0, k1] = key;
  constexpr std::uint64_t factors[] = {philox_factors[0], philox_factors[1]};
  constexpr std::uint32_t steps[] = {philox_steps[0], philox_steps[1]};
  for (int round = 0; round < philox_rounds; ++round) {
    std::uint64_t const first = factors[0] * c0;
    std::uint64_t const second = factors[1] * c2;
    c0 = static_cast<std::uint32_t>(second >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(second);
    c2 = static_cast<std::uint32_t>(first >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(first);
    k0 += steps[0];
    k1 += steps[1];
  }
  return {c0, c1, c2, c3};
}

/// Returns word i of a block. Devices select it with conditions: an array with a run-time index would lie in memory
/// there.
GLT_HOST_DEVICE constexpr std::uint32_t word_at(std::array<std::uint32_t, 4> const& words, std::uint32_t i) noexcept {
#if defined(__CUDA_ARCH__)
  auto const even = (i & 2U) != 0 ? words[2] : words[0];
  auto const odd = (i & 2U) != 0 ? words[3] : words[1];
  return (i & 1U) != 0 ? odd : even;
#else
  return words[i];
#endif
}

} // namespace detail

/// Name of a family of random streams: fold in seed, epoch, step, hop, … one after the other.
///
/// Two keys made from different sequences give unrelated streams (up to a 64-bit hash).
///
/// Concurrent calls: const members may run concurrently; a small value, copied at will.
class random_key {
public:
  GLT_HOST_DEVICE constexpr explicit random_key(std::uint64_t seed) noexcept : bits_(detail::mix64(seed)) {}

  /// Returns the key of this family's member `part`.
  [[nodiscard]] GLT_HOST_DEVICE constexpr random_key fold(std::uint64_t part) const noexcept {
    random_key next = *this;
    // The odd factor prevents that a part cancels an equal part that was folded in before.
    next.bits_ = detail::mix64(bits_ * 0xD1342543DE82EF95ULL + detail::mix64(part));
    return next;
  }

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t bits() const noexcept { return bits_; }

private:
  std::uint64_t bits_;
};

/// Random numbers of one subject (a vertex, an edge, an index) under a key, in order of draw.
///
/// They are a pure function of (key, subject, draw): the rank, the device and the order of the draws do not matter.
///
/// Concurrent calls: none on one object, because draws advance it; copies are independent.
///
/// @cost   one Philox call per four 32-bit words
class random_stream {
public:
  GLT_HOST_DEVICE constexpr random_stream(random_key key, std::uint64_t subject) noexcept
      : key_{static_cast<std::uint32_t>(key.bits()), static_cast<std::uint32_t>(key.bits() >> 32)}, subject_(subject) {}

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::array<std::uint32_t, 2> key() const noexcept { return key_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t subject() const noexcept { return subject_; }

  /// Returns the four words from draw 4 · index on, whatever was drawn before: for variates that are cheaper to draw
  /// again than to keep.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::array<std::uint32_t, 4> block(std::uint64_t index) const noexcept {
    return detail::philox(key_, {static_cast<std::uint32_t>(subject_), static_cast<std::uint32_t>(subject_ >> 32),
                                 static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)});
  }

  /// Returns the next 32 uniform bits.
  GLT_HOST_DEVICE constexpr std::uint32_t next() noexcept {
    if (used_ == 4) {
      words_ = block(block_);
      ++block_;
      used_ = 0;
    }
    return detail::word_at(words_, static_cast<std::uint32_t>(used_++));
  }

  /// Returns the next 64 uniform bits.
  GLT_HOST_DEVICE constexpr std::uint64_t next64() noexcept {
    std::uint64_t const low = next();
    return low | (std::uint64_t{next()} << 32);
  }

  /// Returns the next double in [0, 1), of 53 bits.
  GLT_HOST_DEVICE constexpr double next_unit() noexcept { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }

  /// Returns the next number in [0, bound); every value is equally likely.
  ///
  /// @pre    bound > 0; not checked
  /// @source Lemire, "Fast random integer generation in an interval", TOMACS 29(1), 2019
  GLT_HOST_DEVICE constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    if (bound > 0xFFFFFFFFULL) {
      return below_wide(bound);
    }
    auto const narrow_bound = static_cast<std::uint32_t>(bound);
    std::uint64_t product = std::uint64_t{next()} * narrow_bound;
    if (static_cast<std::uint32_t>(product) < narrow_bound) {
      std::uint32_t const rejected = (0U - narrow_bound) % narrow_bound;
      while (static_cast<std::uint32_t>(product) < rejected) {
        product = std::uint64_t{next()} * narrow_bound;
      }
    }
    return product >> 32;
  }

private:
  // Rejects values below the next power of two: at most two tries on average.
  GLT_HOST_DEVICE constexpr std::uint64_t below_wide(std::uint64_t bound) noexcept {
    std::uint64_t mask = bound - 1;
    for (int shift = 1; shift < 64; shift *= 2) {
      mask |= mask >> shift;
    }
    std::uint64_t value = next64() & mask;
    while (value >= bound) {
      value = next64() & mask;
    }
    return value;
  }

  std::array<std::uint32_t, 2> key_;
  std::uint64_t subject_;
  std::uint64_t block_ = 0;
  int used_ = 4;
  std::array<std::uint32_t, 4> words_{};
};

} // namespace glt

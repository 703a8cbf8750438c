// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Returns the upper 64 bits of a product of 128.
[[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<wide>(a) * b) >> 64);
#else
  constexpr std::uint64_t low = 0xFFFFFFFFU;
  std::uint64_t const first = (a & low) * (b & low);
  std::uint64_t const second = (a >> 32) * (b & low) + (first >> 32);
  std::uint64_t const third = (a & low) * (b >> 32) + (second & low);
  return (a >> 32) * (b >> 32) + (second >> 32) + (third >> 32);
#endif
}

/// Returns the number of zeros above the highest bit that is set; 64 for 0.
///
/// `std::countl_zero` of libstdc++ compiles for GPUs without a word and returns 64 for every number there (CUDA 13.0).
[[nodiscard]] GLT_HOST_DEVICE constexpr int leading_zeros(std::uint64_t number) noexcept {
#if defined(__CUDA_ARCH__)
  return ::__clzll(static_cast<long long>(number));
#else
  return std::countl_zero(number);
#endif
}

/// Returns a · b, rounded before anything is added to it. Otherwise compilers fuse the two if the processor can, and
/// the last bit depends on the machine.
[[nodiscard]] GLT_HOST_DEVICE inline double rounded_product(double a, double b) noexcept {
#if defined(__CUDA_ARCH__)
  return ::__dmul_rn(a, b);
#elif defined(__FP_FAST_FMA)
  double volatile const product = a * b;
  return product;
#else
  return a * b;
#endif
}

// The uniform number u = (word | 1) / 2⁶⁴ as 2^−halvings · (1 − t / 2⁶⁴) with t in (0, 2⁶³]. If u is next to 1 and the
// logarithm small, t keeps all its bits.
struct split_unit {
  int halvings;
  std::uint64_t t;

  GLT_HOST_DEVICE constexpr explicit split_unit(std::uint64_t word) noexcept
      : halvings(leading_zeros(word | 1)), t(0 - ((word | 1) << halvings)) {}

  // Returns −log₂ u; `ratio` is −log₂(1 − t) / t in units of 2⁻³⁰.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t minus_log2(std::uint64_t ratio) const noexcept {
    std::uint64_t const fraction = (t >> 32) * ratio + (((t & 0xFFFFFFFFU) * ratio) >> 32);
    return (static_cast<std::int64_t>(halvings) << 56) + static_cast<std::int64_t>(fraction >> 6);
  }
};

/// Returns −log₂ u of the uniform number u = (word | 1) / 2⁶⁴, which is never 0 or 1: an exponential variate.
///
/// Computed in integers alone, because the variate decides between edges and must be the same on every machine and
/// device. `std::log` differs in the last bits between mathematics libraries, and compilers fuse floating-point
/// operations.
///
/// @units  2⁻⁵⁶; in [0, 2⁶²]; the error is below 5 · 10⁻⁹ of the value plus one unit
/// @cost   12 multiplications
/// @source interpolation at the Chebyshev points of [0, 1/2]: −log₂(1 − t) / t in powers of t − 1/4
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t minus_log2(std::uint64_t word) noexcept {
  constexpr std::int64_t coefficients[] = {0xA01195FF, 0x851CCD62, 0x5707B932, 0x4AF632DC, 0x435DF89E,
                                           0x3D06141A, 0x39B4F95A, 0x3A86E637, 0x437106B3, 0x6A3FE5CC};
  split_unit const unit(word);
  std::int64_t const s = static_cast<std::int64_t>(unit.t >> 32) - (std::int64_t{1} << 30);
  std::int64_t ratio = 0;
  for (auto const coefficient : coefficients) {
    ratio = coefficient + ((ratio * s) >> 32);
  }
  return unit.minus_log2(static_cast<std::uint64_t>(ratio));
}

/// Returns a number that is never above `minus_log2(word)`, and not below 0.72 of it.
///
/// @units  2⁻⁵⁶
/// @cost   2 multiplications
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t minus_log2_at_least(std::uint64_t word) noexcept {
  return split_unit(word).minus_log2(0x5C550000); // just below 1 / ln 2, the least value of the ratio
}

/// Returns the 64-bit words 2 · index and 2 · index + 1 of a stream, whatever was drawn before.
[[nodiscard]] GLT_HOST_DEVICE constexpr std::array<std::uint64_t, 2> word_pair(random_stream const& stream,
                                                                               std::uint64_t index) noexcept {
  auto const words = stream.block(index);
  return {words[0] | (std::uint64_t{words[1]} << 32), words[2] | (std::uint64_t{words[3]} << 32)};
}

} // namespace glt::detail

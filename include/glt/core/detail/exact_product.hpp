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

} // namespace glt::detail

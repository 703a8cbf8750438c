// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Returns true if `run_wide` may be called: the CPU has vector registers that the compiler does not use by itself.
[[nodiscard]] inline bool has_wide_registers() noexcept {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__) && !defined(__AVX2__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

/// Calls kernel.run(i), which is compiled for registers of 32 bytes; its functions are to be inlined. Products are not
/// fused with sums, so the result is the same.
///
/// @pre    has_wide_registers(); not checked
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__) && !defined(__AVX2__)
template <class Kernel>
[[gnu::target("avx2")]] void run_wide(Kernel const& kernel, std::int64_t i) {
  kernel.run(i);
}
#else
template <class Kernel>
GLT_HOST_DEVICE void run_wide(Kernel const& kernel, std::int64_t i) {
  kernel.run(i);
}
#endif

/// Calls kernel.run(i) in the widest registers that the CPU has.
template <class Kernel>
struct wide_kernel {
  Kernel kernel;
  bool is_wide = has_wide_registers();
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { is_wide ? run_wide(kernel, i) : kernel.run(i); }
};
template <class Kernel>
wide_kernel(Kernel) -> wide_kernel<Kernel>;

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

// Prefetches the cache line of an address that will be read soon; any address is allowed. Does nothing on the device,
// or if the compiler has no such hint.
GLT_HOST_DEVICE inline void prefetch([[maybe_unused]] void const* address) noexcept {
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDA_ARCH__)
  __builtin_prefetch(address);
  asm volatile(""); // GCC otherwise removes calls of a function that only prefetches
#endif
}

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

/// An integer that hosts and devices change in one step.
template <class T>
concept atomic_integer = std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);

// The type of the same size for which devices have every atomic operation.
template <class T>
struct device_word {
  using type = int;
};
template <class T>
  requires(sizeof(T) == 4 && std::unsigned_integral<T>)
struct device_word<T> {
  using type = unsigned int;
};
template <class T>
  requires(sizeof(T) == 8 && std::signed_integral<T>)
struct device_word<T> {
  using type = long long;
};
template <class T>
  requires(sizeof(T) == 8 && std::unsigned_integral<T>)
struct device_word<T> {
  using type = unsigned long long;
};

/// Returns the current value while other threads may change it; no order with other memory.
template <atomic_integer T>
[[nodiscard]] GLT_HOST_DEVICE inline T atomic_load(T const* object) noexcept {
#if defined(__CUDA_ARCH__)
  return *static_cast<T const volatile*>(object);
#else
  return __atomic_load_n(object, __ATOMIC_RELAXED);
#endif
}

/// Adds to the object; returns the value before.
template <atomic_integer T>
GLT_HOST_DEVICE inline T atomic_add(T* object, T value) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) { // for 64-bit sums there is only the unsigned type; the bits are the same
    return static_cast<T>(
        ::atomicAdd(reinterpret_cast<unsigned long long*>(object), static_cast<unsigned long long>(value)));
  } else {
    using word = typename device_word<T>::type;
    return static_cast<T>(::atomicAdd(reinterpret_cast<word*>(object), static_cast<word>(value)));
  }
#else
  return __atomic_fetch_add(object, value, __ATOMIC_RELAXED);
#endif
}

/// Sets the object to the smaller of itself and the value; returns the value before.
template <atomic_integer T>
GLT_HOST_DEVICE inline T atomic_min(T* object, T value) noexcept {
#if defined(__CUDA_ARCH__)
  using word = typename device_word<T>::type;
  return static_cast<T>(::atomicMin(reinterpret_cast<word*>(object), static_cast<word>(value)));
#else
  T before = __atomic_load_n(object, __ATOMIC_RELAXED);
  while (value < before &&
         !__atomic_compare_exchange_n(object, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
#endif
}

/// Sets the object to `desired` if it equals `expected`; returns the value before, `expected` if it succeeded.
template <atomic_integer T>
GLT_HOST_DEVICE inline T atomic_compare_exchange(T* object, T expected, T desired) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(::atomicCAS(reinterpret_cast<unsigned long long*>(object),
                                      static_cast<unsigned long long>(expected),
                                      static_cast<unsigned long long>(desired)));
  } else {
    return static_cast<T>(::atomicCAS(reinterpret_cast<unsigned int*>(object), static_cast<unsigned int>(expected),
                                      static_cast<unsigned int>(desired)));
  }
#else
  __atomic_compare_exchange_n(object, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <ATen/Parallel.h>

#if __has_include(<dlfcn.h>)
#include <dlfcn.h>
#endif

#include <string_view>

namespace glt {

namespace detail {

/// Returns a function of OpenBLAS, or null if it is not loaded.
template <class Function>
[[nodiscard]] Function* openblas_function([[maybe_unused]] char const* name) {
#if __has_include(<dlfcn.h>)
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
#else
  return nullptr;
#endif
}

} // namespace detail

/// Sets the number of threads for operations of LibTorch, for layers over blocks, and for products of matrices.
///
/// `at::set_num_threads` does not reach an OpenBLAS with separate threads, such as Debian's `libopenblas0-pthread`.
/// Each rank then takes all cores for every product. This function tells OpenBLAS as well, if it is loaded.
/// `libopenblas0-openmp` takes the threads of LibTorch instead. Layers divide the rows of their products over the
/// threads of LibTorch themselves; the number of OpenBLAS counts for other products.
///
/// Concurrent calls: none with operations of LibTorch.
///
/// @throws precondition_error  if threads < 1
inline void set_torch_threads(int threads) {
  if (threads < 1) {
    throw precondition_error(detail::message(threads, " threads for LibTorch; ask for 1 or more"));
  }
  at::set_num_threads(threads);
  if (auto* const set = detail::openblas_function<void(int)>("openblas_set_num_threads")) {
    set(threads);
  }
}

/// Returns advice if products of matrices and other operations have several threads each, which disturb each other;
/// else an empty text. Programs that set more than one thread print it once.
///
/// Threads of OpenMP spin while they wait for work, and take the cores from the separate threads of an OpenBLAS.
[[nodiscard]] inline std::string_view torch_threads_advice() {
  constexpr int separate_threads = 1;
  auto* const parallel = detail::openblas_function<int()>("openblas_get_parallel");
  if (at::get_num_threads() > 1 && parallel != nullptr && parallel() == separate_threads) {
    return "OpenBLAS has threads beside those of LibTorch, and they disturb each other: install libopenblas0-openmp, "
           "or "
           "set OMP_WAIT_POLICY=passive";
  }
  return {};
}

} // namespace glt

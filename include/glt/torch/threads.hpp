// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <ATen/Parallel.h>

#if __has_include(<dlfcn.h>)
#include <dlfcn.h>
#endif

namespace glt {

namespace detail {

/// Returns a function of a library by its C name, or null if no such library is loaded.
template <class Function>
[[nodiscard]] Function* loaded_function([[maybe_unused]] char const* name) {
#if __has_include(<dlfcn.h>)
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
#else
  return nullptr;
#endif
}

/// Returns true if OpenBLAS is loaded and has separate threads, which LibTorch does not share.
[[nodiscard]] inline bool openblas_has_threads() {
  constexpr int separate_threads = 1;                                            // an OpenBLAS of OpenMP says 2
  static auto* const parallel = loaded_function<int()>("openblas_get_parallel"); // searches all libraries
  return parallel != nullptr && parallel() == separate_threads;
}

/// Returns advice if LibTorch has several threads that layers cannot use, or OpenBLAS has separate ones; else an empty
/// text.
///
/// Loops over LibTorch's threads are in its headers. If a file is compiled without OpenMP, they have one thread there.
/// Threads of OpenMP spin while they wait for work, and take the cores from the separate threads of an OpenBLAS.
[[nodiscard]] inline std::string_view torch_threads_advice() {
#if AT_PARALLEL_OPENMP && !defined(_OPENMP)
  if (at::get_num_threads() > 1) {
    return "layers run in one thread, since this file is compiled without OpenMP; compile with -fopenmp, or install "
           "OpenMP for the compiler, which glt::torch then links";
  }
#endif
  if (at::get_num_threads() > 1 && openblas_has_threads()) {
    return "threads of LibTorch and OpenBLAS slow each other down; set OMP_WAIT_POLICY=passive, or install "
           "libopenblas0-openmp";
  }
  return {};
}

} // namespace detail

/// Sets the number of threads for operations of LibTorch, for layers over blocks, and for products of matrices.
///
/// `at::set_num_threads` does not reach an OpenBLAS with separate threads, such as Debian's `libopenblas0-pthread`.
/// Each rank then takes all cores for every product. This function tells OpenBLAS as well, if it is loaded.
/// `libopenblas0-openmp` takes the threads of LibTorch instead. Layers divide the rows of their products over the
/// threads of LibTorch. The number of threads of OpenBLAS counts for other products.
///
/// Concurrent calls: none with operations of LibTorch.
///
/// @return advice for a user if these threads are of no use or slow each other down, else an empty text; programs that
///         set more than one thread print it once
/// @throws precondition_error  if threads < 1
inline std::string_view set_torch_threads(int threads) {
  if (threads < 1) {
    throw precondition_error(detail::message(threads, " threads for LibTorch; ask for 1 or more"));
  }
  at::set_num_threads(threads);
  if (auto* const set = detail::loaded_function<void(int)>("openblas_set_num_threads")) {
    set(threads);
  }
  return detail::torch_threads_advice();
}

} // namespace glt

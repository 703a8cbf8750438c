// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <ATen/Parallel.h>

#if __has_include(<dlfcn.h>)
#include <dlfcn.h>
#endif

namespace glt {

/// Sets the number of threads for operations of LibTorch, for layers over blocks, and for products of matrices.
///
/// `at::set_num_threads` does not reach an OpenBLAS with separate threads, such as Debian's `libopenblas0-pthread`.
/// Each rank then takes all cores for every product. This function tells OpenBLAS as well, if it is loaded.
/// `libopenblas0-openmp` takes the threads of LibTorch instead.
///
/// Concurrent calls: none with operations of LibTorch.
///
/// @throws precondition_error  if threads < 1
inline void set_torch_threads(int threads) {
  if (threads < 1) {
    throw precondition_error(detail::message(threads, " threads for LibTorch; ask for 1 or more"));
  }
  at::set_num_threads(threads);
#if __has_include(<dlfcn.h>)
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) {
    reinterpret_cast<void (*)(int)>(symbol)(threads);
  }
#endif
}

} // namespace glt

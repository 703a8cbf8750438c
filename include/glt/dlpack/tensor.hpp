// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>

#elif __has_include(<ATen/dlpack.h>) // LibTorch ships the same header
#include <ATen/dlpack.h>
#else
#include <missing for glt::dlpack: DLPack or LibTorch: install libdlpack-dev and link glt::dlpack, or link glt::torch> // an error that ends the compilation
#endif

#include <memory>
#include <string>

namespace glt {

namespace detail {

/// Hands a tensor of DLPack back to the library that made it.
struct release_dlpack {
  void operator()(DLManagedTensor* tensor) const noexcept {
    if (tensor->deleter != nullptr) {
      tensor->deleter(tensor);
    }
  }
};

} // namespace detail

/// Owner of a tensor in the exchange format of array libraries, DLPack. Pass `release()` to functions that take a raw
/// pointer.
///
///     at::fromDLPack(glt::to_dlpack(std::move(ids)).release());
using dlpack_tensor = std::unique_ptr<DLManagedTensor, detail::release_dlpack>;

namespace detail {

/// A tensor of a batch and its name.
struct named_dlpack {
  std::string name;
  dlpack_tensor tensor;
};

} // namespace detail

} // namespace glt

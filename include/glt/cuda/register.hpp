// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/error.hpp>
#include <glt/cuda/policy.hpp>
#include <glt/memory/buffer.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace glt {

/// How memory that is there already is opened to a GPU.
struct register_options {
  bool read_only = true; ///< kernels only read it: pages of a mapped file are then locked as they are, not copied
};

namespace detail {

/// Memory that stays page-locked and visible to GPUs for as long as it lives; keeps the keeper of the memory as well.
class registration {
public:
  registration(void* data, std::size_t bytes, std::shared_ptr<void const> keeper, register_options options,
               device::zero_copy policy)
      : data_(data), policy_(std::move(policy)), keeper_(std::move(keeper)) {
    on_device const here(policy_.device());
    unsigned flags = cudaHostRegisterMapped | cudaHostRegisterPortable;
    int read_only = 0;
    check_cuda(cudaDeviceGetAttribute(&read_only, cudaDevAttrHostRegisterReadOnlySupported, policy_.device()),
               "cudaDeviceGetAttribute");
    if (options.read_only && read_only != 0) {
      flags |= cudaHostRegisterReadOnly;
    }
    check_cuda(cudaHostRegister(data, bytes, flags), message("cudaHostRegister of ", bytes, " bytes"));
    void* seen = nullptr;
    auto const code = cudaHostGetDevicePointer(&seen, data, 0);
    if (code != cudaSuccess || seen != data) {
      forget_cuda(cudaHostUnregister(data));
      check_cuda(code, "cudaHostGetDevicePointer");
      throw cuda_error("use of host addresses on the GPU", cudaErrorNotSupported);
    }
  }
  registration(registration const&) = delete;
  registration& operator=(registration const&) = delete;
  ~registration() {
    try {
      policy_.gpu().queue().synchronize_device();
    } catch (...) { // nothing runs any more that reads the memory
    }
    forget_cuda(cudaHostUnregister(data_));
  }

private:
  void* data_;
  device::zero_copy policy_;
  std::shared_ptr<void const> keeper_;
};

} // namespace detail

/// A buffer of elements that are in ordinary memory, such as a mapped file, which a GPU reads in place from now on;
/// nothing is copied, and `keeper` lives at least as long as the buffer.
///
/// Pages are locked whole: register neighbouring arrays, which share a page, at once. Letting go of the memory waits for
/// all streams of the policy's GPU; kernels of other GPUs that read it are to be done by then.
///
/// @shape  data [size] → buffer [size]
/// @throws precondition_error  if size is negative, there are elements without an address, or no keeper
/// @throws cuda_error          if the pages cannot be locked: they are already, the system limits locked memory, or its
///                             files cannot be locked; read the elements into a buffer of device::zero_copy then
/// @cost   reads the pages that are not in memory
template <bytes_copyable T>
[[nodiscard]] buffer<device::zero_copy, T> register_memory(T* data, std::int64_t size,
                                                           std::shared_ptr<void const> keeper,
                                                           device::zero_copy policy = {},
                                                           register_options options = {}) {
  using made = buffer<device::zero_copy, T>;
  if (size <= 0 || data == nullptr || keeper == nullptr) { // nothing to lock, or refused there
    return made::adopt(data, size, std::move(keeper), std::move(policy));
  }
  if (size > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T))) {
    throw precondition_error(detail::message("registration of ", size, " elements of ", sizeof(T),
                                             " bytes; their size in bytes does not fit 64 bits"));
  }
  auto lock = std::make_shared<detail::registration>(data, static_cast<std::size_t>(size) * sizeof(T),
                                                     std::move(keeper), options, policy);
  return made::adopt(data, size, std::move(lock), std::move(policy));
}

} // namespace glt

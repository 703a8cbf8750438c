// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/error.hpp>

#include <cuda_runtime_api.h>

namespace glt::detail {

/// Memory that stays page-locked and visible to GPUs during its lifetime; keeps the keeper of the memory as well. The
/// destructor waits for all streams of the GPU.
class registration {
public:
  registration(void* data, std::size_t bytes, std::shared_ptr<void const> keeper, bool read_only, int device)
      : data_(data), device_(device), keeper_(std::move(keeper)) {
    on_device const here(device_);
    unsigned flags = cudaHostRegisterMapped | cudaHostRegisterPortable;
    int can_be_read_only = 0;
    check_cuda(cudaDeviceGetAttribute(&can_be_read_only, cudaDevAttrHostRegisterReadOnlySupported, device_),
               "cudaDeviceGetAttribute");
    if (read_only && can_be_read_only != 0) {
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
      cuda_queue{.device = device_}.synchronize_device();
    } catch (...) { // no running work reads the memory any more
    }
    forget_cuda(cudaHostUnregister(data_));
  }

private:
  void* data_;
  int device_;
  std::shared_ptr<void const> keeper_;
};

} // namespace glt::detail

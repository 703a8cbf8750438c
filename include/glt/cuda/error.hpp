// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#if !__has_include(<cuda_runtime_api.h>)
#include <missing for glt::cuda: a CUDA toolkit: link glt::cuda, or compile by nvcc> // an error that ends the compilation
#endif
#include <cuda_runtime_api.h>

#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace glt {

/// Error of a failed call of the CUDA runtime or a failed kernel launch; carries the text of the call, CUDA's code and
/// its name.
///
/// The failure may come from earlier work: kernels report at a later call. The error that CUDA remembers is cleared, so
/// that later calls do not report it again.
class cuda_error : public error {
public:
  cuda_error(std::string call, cudaError_t code, std::source_location where = std::source_location::current())
      : cuda_error(call, code, std::string(way_out(code)), where) {}

  [[nodiscard]] std::string const& call() const noexcept { return call_; }
  [[nodiscard]] cudaError_t code() const noexcept { return code_; }
  /// Returns the name of the code, such as "cudaErrorNoDevice".
  [[nodiscard]] std::string name() const { return cudaGetErrorName(code_); }

protected:
  cuda_error(std::string call, cudaError_t code, std::string const& addition, std::source_location where)
      : error(detail::message(call, " failed with ", cudaGetErrorName(code), " (", static_cast<int>(code),
                              "): ", cudaGetErrorString(code), addition),
              where),
        call_(std::move(call)), code_(code) {}

private:
  static char const* way_out(cudaError_t code) noexcept {
    switch (code) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorStubLibrary:
      return "; this needs a GPU and a driver as new as the CUDA runtime, and device::cpu needs neither";
    case cudaErrorNoKernelImageForDevice:
      return "; compile for this GPU, or with PTX of an older one (CMAKE_CUDA_ARCHITECTURES)";
    case cudaErrorUnsupportedPtxVersion:
      return "; the driver is older than the CUDA compiler: compile for this GPU (CMAKE_CUDA_ARCHITECTURES)";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
      return "; the process cannot use this GPU any more, and compute-sanitizer shows the place";
    default:
      return "";
    }
  }

  std::string call_;
  cudaError_t code_;
};

/// Error of a call that asked for more memory than the GPU and the pool have. Allocated memory stays as it is, and
/// smaller requests still succeed.
class cuda_memory_error : public cuda_error {
public:
  cuda_memory_error(std::string call, std::size_t bytes, std::size_t free, std::size_t total,
                    std::source_location where = std::source_location::current())
      : cuda_error(std::move(call), cudaErrorMemoryAllocation,
                   detail::message("; asked for ", bytes, " bytes, and ", free, " of the GPU's ", total,
                                   " are free: make batches smaller, or keep data in host memory by device::zero_copy"),
                   where),
        bytes_(bytes), free_(free), total_(total) {}

  /// Returns the number of requested bytes.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Returns the bytes of the GPU that were free then (`free`), or all its bytes (`total`).
  [[nodiscard]] std::size_t free() const noexcept { return free_; }
  [[nodiscard]] std::size_t total() const noexcept { return total_; }

private:
  std::size_t bytes_;
  std::size_t free_;
  std::size_t total_;
};

namespace detail {

/// Clears an error, for destructors: throws nothing, and the next call does not see it.
inline void forget_cuda(cudaError_t code) noexcept {
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
}

/// Throws if a CUDA call did not return cudaSuccess, and clears the error that CUDA remembers.
///
/// @throws cuda_error  if `code` is not cudaSuccess
inline void check_cuda(cudaError_t code, std::string_view call,
                       std::source_location where = std::source_location::current()) {
  if (code != cudaSuccess) {
    forget_cuda(code);
    throw cuda_error(std::string(call), code, where);
  }
}

/// Throws if the kernel launched just now was refused: for hand-written launches, `check_cuda_launch("my_kernel")`.
///
/// @throws cuda_error  if the launch failed
inline void check_cuda_launch(std::string_view kernel, std::source_location where = std::source_location::current()) {
  if (auto const code = cudaGetLastError(); code != cudaSuccess) {
    throw cuda_error(message("launch of ", kernel), code, where);
  }
}

} // namespace detail

} // namespace glt

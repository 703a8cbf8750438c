// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/error.hpp>
#include <glt/memory/memory.hpp>

#include <cuda_runtime_api.h>

namespace glt::detail {

/// Throws an error that a GPU does not have as much memory as requested, and how much it has.
///
/// @throws cuda_memory_error  always
[[noreturn]] inline void throw_no_memory(char const* call, std::size_t bytes) {
  forget_cuda(cudaErrorMemoryAllocation);
  std::size_t free = 0;
  std::size_t total = 0;
  forget_cuda(cudaMemGetInfo(&free, &total));
  throw cuda_memory_error(call, bytes, free, total);
}

/// Memory of a GPU in the order of a stream: work that was enqueued before the memory is freed may still use it. The
/// next allocation takes it over without a call of the driver's allocator.
///
/// @source "Stream-ordered memory allocator", CUDA C++ Programming Guide
class cuda_resource {
public:
  explicit cuda_resource(cuda_queue queue) noexcept : queue_(queue) {}

  /// @throws cuda_memory_error  if there is not as much memory, even after the pool has given back its free memory
  [[nodiscard]] void* allocate(std::size_t bytes) const {
    on_device const here(queue_.device);
    auto const size = std::max<std::size_t>(bytes, 1);
    void* data = nullptr;
    if (!queue_.pooled) {
      auto const code = cudaMalloc(&data, size);
      if (code == cudaErrorMemoryAllocation) {
        throw_no_memory("cudaMalloc", bytes);
      }
      check_cuda(code, "cudaMalloc");
      return data;
    }
    auto* const pool = pool_of();
    auto code = cudaMallocFromPoolAsync(&data, size, pool, queue_.stream);
    if (code == cudaErrorMemoryAllocation) { // kept memory may be in pieces, or freed by work under way
      forget_cuda(code);
      check_cuda(cudaStreamSynchronize(queue_.stream), "cudaStreamSynchronize");
      check_cuda(cudaMemPoolTrimTo(pool, 0), "cudaMemPoolTrimTo");
      code = cudaMallocFromPoolAsync(&data, size, pool, queue_.stream);
    }
    if (code == cudaErrorMemoryAllocation) {
      throw_no_memory("cudaMallocFromPoolAsync", bytes);
    }
    check_cuda(code, "cudaMallocFromPoolAsync");
    return data;
  }

  void deallocate(void* pointer, std::size_t /*bytes*/) const noexcept {
    try {
      on_device const here(queue_.device);
      forget_cuda(queue_.pooled ? cudaFreeAsync(pointer, queue_.stream) : cudaFree(pointer)); // the latter waits
    } catch (...) { // the driver is gone, and the memory with it
    }
  }

  void copy(void* to, void const* from, std::size_t bytes) const { enqueue(to, from, bytes); }

  void copy_in(void* to, void const* from, std::size_t bytes) const {
    enqueue(to, from, bytes);
    if (is_read_later(from)) {
      queue_.synchronize();
    }
  }

  void copy_out(void* to, void const* from, std::size_t bytes) const {
    enqueue(to, from, bytes);
    queue_.synchronize();
  }

private:
  // Returns whether the driver may read `from` after a copy has returned: yes for page-locked memory, and for all
  // memory if the GPU walks the page tables of the host.
  [[nodiscard]] bool is_read_later(void const* from) const {
    int shares_tables = 0;
    check_cuda(cudaDeviceGetAttribute(&shares_tables, cudaDevAttrPageableMemoryAccessUsesHostPageTables, queue_.device),
               "cudaDeviceGetAttribute");
    cudaPointerAttributes source{};
    check_cuda(cudaPointerGetAttributes(&source, from), "cudaPointerGetAttributes");
    return shares_tables != 0 || source.type != cudaMemoryTypeUnregistered;
  }

  [[nodiscard]] cudaMemPool_t pool_of() const {
    auto* const pool = pool_handle(queue_);
    if (queue_.pool == nullptr) {
      auto everything = UINT64_MAX; // otherwise each synchronisation would give free memory back to the system
      check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything),
                 "cudaMemPoolSetAttribute");
    }
    return pool;
  }

  void enqueue(void* to, void const* from, std::size_t bytes) const {
    on_device const here(queue_.device);
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue_.stream), "cudaMemcpyAsync");
  }

  cuda_queue queue_;
};

static_assert(memory_resource<cuda_resource>);

} // namespace glt::detail

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

/// Allocates page-locked memory that every GPU reads in place.
///
/// @throws cuda_memory_error  if the system does not have as much memory that it can lock
[[nodiscard]] inline void* allocate_pinned(std::size_t bytes) {
  void* data = nullptr;
  auto const code = cudaHostAlloc(&data, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
  if (code == cudaErrorMemoryAllocation) {
    throw_no_memory("cudaHostAlloc", bytes);
  }
  check_cuda(code, "cudaHostAlloc");
  return data;
}

/// Pool of freed page-locked memory, because locking pages costs milliseconds and unlocking them waits for the whole
/// GPU. Before it hands memory out again, the pool waits for all streams of its GPU once: one of them may still read
/// the old bytes. This is rare if buffers keep their memory, as the buffers of batches do.
class pinned_pool {
public:
  explicit pinned_pool(cuda_queue queue) : queue_(queue) {}
  pinned_pool(pinned_pool const&) = delete;
  pinned_pool& operator=(pinned_pool const&) = delete;
  ~pinned_pool() { give_back(); }

  [[nodiscard]] void* allocate(std::size_t bytes) {
    auto const size = size_class(bytes);
    on_device const here(queue_.device);
    if (auto* const kept = take(size); kept != nullptr) {
      return kept;
    }
    try {
      return allocate_pinned(size);
    } catch (cuda_memory_error const&) {
      if (!give_back()) {
        throw;
      }
    }
    return allocate_pinned(size);
  }

  void deallocate(void* pointer, std::size_t bytes) noexcept {
    auto const size = size_class(bytes);
    try {
      on_device const here(queue_.device);
      if (keep(pointer, size)) {
        return;
      }
      queue_.synchronize_device();
    } catch (...) { // without a driver or memory for a note
    }
    forget_cuda(cudaFreeHost(pointer));
  }

private:
  struct block {
    void* data;
    std::size_t size;
    bool in_use; // possibly, by work that was enqueued before it was freed
  };

  static constexpr std::size_t kept_at_most = std::size_t{1} << 30;

  // Eight sizes between powers of two: a request seldom wastes more than an eighth, and similar requests share memory.
  [[nodiscard]] static std::size_t size_class(std::size_t bytes) noexcept {
    constexpr std::size_t page = 4096;
    auto const step = std::max(page, std::bit_floor(bytes) / 8);
    return (std::max<std::size_t>(bytes, 1) + step - 1) / step * step;
  }

  [[nodiscard]] void* take(std::size_t size) {
    std::lock_guard const lock(mutex_);
    auto const kept = std::ranges::find(free_, size, &block::size);
    if (kept == free_.end()) {
      return nullptr;
    }
    if (kept->in_use) {
      queue_.synchronize_device();
      for (auto& each : free_) {
        each.in_use = false;
      }
    }
    auto* const data = kept->data;
    free_.erase(kept);
    kept_ -= size;
    return data;
  }

  // Returns false if there is no room for it.
  [[nodiscard]] bool keep(void* pointer, std::size_t size) {
    std::lock_guard const lock(mutex_);
    if (size > kept_at_most - kept_) {
      return false;
    }
    free_.push_back({pointer, size, true});
    kept_ += size;
    return true;
  }

  // Gives all kept memory back to the system; false if there was none.
  bool give_back() noexcept {
    std::vector<block> all;
    {
      std::lock_guard const lock(mutex_);
      all.swap(free_);
      kept_ = 0;
    }
    if (all.empty()) {
      return false;
    }
    try {
      queue_.synchronize_device();
    } catch (...) { // no running work reads the memory any more
    }
    for (auto const& each : all) {
      forget_cuda(cudaFreeHost(each.data));
    }
    return true;
  }

  cuda_queue queue_;
  std::mutex mutex_;
  std::vector<block> free_;
  std::size_t kept_ = 0;
};

/// Page-locked memory, from a pool or, without one, from the system. The host copies: it waits for enqueued work first.
class pinned_resource {
public:
  explicit pinned_resource(cuda_queue queue, pinned_pool* pool) noexcept : queue_(queue), pool_(pool) {}

  [[nodiscard]] void* allocate(std::size_t bytes) const {
    if (pool_ != nullptr) {
      return pool_->allocate(bytes);
    }
    on_device const here(queue_.device);
    return allocate_pinned(std::max<std::size_t>(bytes, 1));
  }

  void deallocate(void* pointer, std::size_t bytes) const noexcept {
    if (pool_ != nullptr) {
      pool_->deallocate(pointer, bytes);
      return;
    }
    try {
      queue_.synchronize_device();
    } catch (...) { // the failure is or will be reported; no running work reads the memory any more
    }
    forget_cuda(cudaFreeHost(pointer));
  }

  void copy(void* to, void const* from, std::size_t bytes) const { copy_now(to, from, bytes); }
  void copy_in(void* to, void const* from, std::size_t bytes) const { copy_now(to, from, bytes); }
  void copy_out(void* to, void const* from, std::size_t bytes) const { copy_now(to, from, bytes); }

private:
  void copy_now(void* to, void const* from, std::size_t bytes) const {
    queue_.synchronize();
    std::memcpy(to, from, bytes);
  }

  cuda_queue queue_;
  pinned_pool* pool_;
};

static_assert(memory_resource<pinned_resource>);

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/error.hpp>

#include <cuda_runtime_api.h>

namespace glt::detail {

/// Scope in which a GPU is the calling thread's current one.
class on_device {
public:
  explicit on_device(int device) : device_(device) {
    check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ != device_) {
      check_cuda(cudaSetDevice(device_), "cudaSetDevice");
    }
  }
  on_device(on_device const&) = delete;
  on_device& operator=(on_device const&) = delete;
  ~on_device() {
    if (before_ != device_) {
      forget_cuda(cudaSetDevice(before_));
    }
  }

private:
  int device_;
  int before_ = 0;
};

/// Returns the calling thread's current GPU.
///
/// @throws cuda_error  if there is none, with the driver's answer
inline int current_device() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

/// Returns the number of GPUs.
///
/// @throws cuda_error  if there is none, with the driver's answer
inline int device_count() {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

/// GPU, a stream of it, and the pool of its stream-ordered memory; a small value that owns none of them.
struct cuda_queue {
  int device = 0;
  cudaStream_t stream = cudaStreamLegacy;
  cudaMemPool_t pool = nullptr; // null: the GPU's default pool
  bool pooled = true;           // if false, memory comes from cudaMalloc, which other processes can map

  bool operator==(cuda_queue const&) const = default;

  /// Waits for all enqueued work.
  ///
  /// @throws cuda_error  if something enqueued failed
  void synchronize() const {
    on_device const here(device);
    check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// Waits for all work that was enqueued on any stream of the GPU.
  ///
  /// @throws cuda_error  if something enqueued failed
  void synchronize_device() const {
    on_device const here(device);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
};

[[nodiscard]] inline cudaMemPool_t pool_handle(cuda_queue const& queue) {
  auto* pool = queue.pool;
  if (pool == nullptr) {
    check_cuda(cudaDeviceGetDefaultMemPool(&pool, queue.device), "cudaDeviceGetDefaultMemPool");
  }
  return pool;
}

// Returns the location of a GPU, for access to a pool.
[[nodiscard]] inline cudaMemLocation location_of(int device) noexcept {
  cudaMemLocation location{};
  location.type = cudaMemLocationTypeDevice;
  location.id = device;
  return location;
}

/// Returns true if kernels of another GPU may access memory of the queue's pool.
[[nodiscard]] inline bool can_read_pool(cuda_queue const& owner, int reader) {
  auto location = location_of(reader);
  auto flags = cudaMemAccessFlagsProtNone;
  check_cuda(cudaMemPoolGetAccess(&flags, pool_handle(owner), &location),
             message("cudaMemPoolGetAccess of GPU ", owner.device, " for GPU ", reader));
  return flags != cudaMemAccessFlagsProtNone;
}

/// Event without time stamps.
class cuda_event {
public:
  cuda_event() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  cuda_event(cuda_event const&) = delete;
  cuda_event& operator=(cuda_event const&) = delete;
  ~cuda_event() { forget_cuda(cudaEventDestroy(event_)); }

  [[nodiscard]] cudaEvent_t handle() const noexcept { return event_; }

private:
  cudaEvent_t event_ = nullptr;
};

/// Makes work enqueued on `later` from now on wait for the work enqueued on `earlier`; the host does not wait.
inline void order_after(cuda_queue const& later, cuda_queue const& earlier) {
  if (later.device == earlier.device && later.stream == earlier.stream) {
    return;
  }
  on_device const here(earlier.device);
  cuda_event const event;
  check_cuda(cudaEventRecord(event.handle(), earlier.stream), "cudaEventRecord");
  on_device const there(later.device);
  check_cuda(cudaStreamWaitEvent(later.stream, event.handle(), 0), "cudaStreamWaitEvent");
}

/// Owner of a stream, which does not wait for the default stream, and of a pool that keeps freed memory.
class owned_queue {
public:
  explicit owned_queue(int device) : device_(device) {
    if (auto const count = device_count(); device < 0 || device >= count) {
      throw precondition_error(message("GPU ", device, "; this process sees ", count, ", and they count from 0"));
    }
    on_device const here(device);
    int pools = 0;
    check_cuda(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device), "cudaDeviceGetAttribute");
    if (pools == 0) {
      throw cuda_error(message("memory pool on GPU ", device), cudaErrorNotSupported);
    }
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    try {
      make_pool();
    } catch (...) {
      release();
      throw;
    }
  }
  owned_queue(owned_queue const&) = delete;
  owned_queue& operator=(owned_queue const&) = delete;
  ~owned_queue() { release(); }

  [[nodiscard]] cuda_queue queue() const noexcept { return {device_, stream_, pool_}; }

private:
  void make_pool() {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = location_of(device_);
    check_cuda(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
    auto everything = UINT64_MAX;
    check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &everything), "cudaMemPoolSetAttribute");
  }

  // Work under way is not disturbed: both calls wait for it themselves, and memory in use goes back when it is freed.
  void release() noexcept {
    if (pool_ != nullptr) {
      forget_cuda(cudaMemPoolDestroy(pool_));
    }
    if (stream_ != nullptr) {
      forget_cuda(cudaStreamDestroy(stream_));
    }
  }

  int device_;
  cudaStream_t stream_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
};

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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/detail/resource.hpp>
#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/detail/system.hpp>
#include <glt/memory/memory.hpp>
#include <glt/thrust/executor.hpp>

#include <cuda_runtime_api.h>

namespace glt::device {

class zero_copy;

/// Memory of a GPU; its threads work on it in the order of a stream. Freed memory is kept for the next allocation.
///
/// Copies share the stream and the pool. Work of different streams has no order: call `wait_for` before one stream uses
/// a result of another.
///
/// Concurrent calls: const members may run concurrently; work that several threads enqueue has no order among them.
class cuda {
public:
  static constexpr memory_space space = memory_space::device;

  /// Uses the calling thread's current GPU, with its default stream and its default pool. It is as cheap as an integer,
  /// and the work of all policies made this way has one order.
  ///
  /// It sets the default pool to keep freed memory.
  ///
  /// @throws cuda_error  if there is no GPU, with the driver's answer
  cuda() : shared_{detail::current_device(), nullptr} {}

  /// Makes a separate stream and a separate pool on a GPU: for work beside other streams, and for threads that are
  /// ranks.
  ///
  /// @throws cuda_error          if there is no GPU, with the driver's answer
  /// @throws precondition_error  if there is no GPU of that number
  explicit cuda(int device) : shared_{device, std::make_shared<detail::owned_queue>(device)} {}

  [[nodiscard]] int device() const noexcept { return shared_.device; }
  [[nodiscard]] cudaStream_t stream() const noexcept { return queue().stream; }

  /// Borrows stream and pool, so the policy must outlive the resource.
  [[nodiscard]] detail::cuda_resource resource() const noexcept { return detail::cuda_resource(queue()); }
  /// Borrows stream and pool, so the policy must outlive the executor.
  [[nodiscard]] exec::thrust_executor<detail::thrust_cuda> executor() const noexcept {
    return exec::thrust_executor<detail::thrust_cuda>(detail::thrust_cuda(queue()));
  }
  [[nodiscard]] detail::cuda_queue queue() const noexcept {
    auto made = shared_.owned ? shared_.owned->queue() : detail::cuda_queue{.device = shared_.device};
    made.pooled = shared_.pooled;
    return made;
  }

  /// Waits for all enqueued work.
  ///
  /// @throws cuda_error  if something enqueued failed
  void synchronize() const { queue().synchronize(); }

  /// Returns a policy of host memory with the same stream: for data between this GPU and other machines.
  [[nodiscard]] zero_copy staging() const;
  /// Returns a policy of the same stream with memory from cudaMalloc, which other processes can map. A CUDA-aware MPI
  /// may be given such memory, but not memory of a pool. Keep the memory for reuse: freeing it waits for the GPU.
  [[nodiscard]] cuda exchange() const {
    auto made = *this;
    made.shared_.pooled = false;
    return made;
  }

  /// Locks the pages of ordinary memory while the result lives, so that copies from it need no staging. Pass whole
  /// blocks, as pages cannot be locked twice. The result also keeps `keeper`.
  ///
  /// @throws cuda_error  if the pages are locked already, or the system refuses
  [[nodiscard]] std::shared_ptr<void const> lock_pages(std::span<std::byte const> block,
                                                       std::shared_ptr<void const> keeper) const {
    return std::make_shared<detail::registration>(const_cast<std::byte*>(block.data()), block.size(), std::move(keeper),
                                                  true, device());
  }

  /// Returns a policy of the same GPU with a separate stream and a separate pool.
  [[nodiscard]] cuda beside() const { return cuda(device()); }

  /// Makes work enqueued here from now on wait for the work enqueued on `earlier`; the host does not wait.
  void wait_for(cuda const& earlier) const { detail::order_after(queue(), earlier.queue()); }

  /// Returns true if kernels of this GPU may read memory of that policy: see `peer_access`.
  ///
  /// @throws cuda_error  if the driver cannot tell
  [[nodiscard]] bool reads(cuda const& owner) const {
    return device() == owner.device() || detail::can_read_pool(owner.queue(), device());
  }

  /// Returns true if both have the same stream and memory of the same pool.
  friend bool operator==(cuda const& a, cuda const& b) noexcept { return a.queue() == b.queue(); }

private:
  struct shared {
    int device;
    std::shared_ptr<detail::owned_queue const> owned; // null: the default stream and pool
    bool pooled = true;
  };
  shared shared_;
};

/// Page-locked memory of the host that a GPU reads in place, over the bus: for data larger than the GPU's memory.
///
/// Copies share the stream and the memory that is kept for the next allocation.
///
/// Concurrent calls: const members may run concurrently; work that several threads enqueue has no order among them.
class zero_copy {
public:
  static constexpr memory_space space = memory_space::pinned;

  /// Uses the default stream of the calling thread's current GPU. Freed memory goes back to the system, which waits for
  /// the GPU.
  ///
  /// @throws cuda_error  if there is no GPU, with the driver's answer
  zero_copy() = default;

  /// Makes a separate stream on a GPU, and keeps freed memory for reuse (up to 1 GiB).
  ///
  /// @throws cuda_error          if there is no GPU, with the driver's answer
  /// @throws precondition_error  if there is no GPU of that number
  explicit zero_copy(int device) : zero_copy(cuda(device)) {}

  /// Uses the stream of another policy, so that work over both kinds of memory has one order; keeps freed memory.
  explicit zero_copy(cuda gpu) : gpu_(std::move(gpu)), pool_(std::make_shared<detail::pinned_pool>(gpu_.queue())) {}

  [[nodiscard]] int device() const noexcept { return gpu_.device(); }
  [[nodiscard]] cudaStream_t stream() const noexcept { return gpu_.stream(); }

  /// Returns the policy of GPU memory with the same stream.
  [[nodiscard]] cuda const& gpu() const noexcept { return gpu_; }

  /// Borrows stream and memory, so the policy must outlive the resource.
  [[nodiscard]] detail::pinned_resource resource() const noexcept {
    return detail::pinned_resource(gpu_.queue(), pool_.get());
  }
  /// Borrows the stream, so the policy must outlive the executor.
  [[nodiscard]] exec::thrust_executor<detail::thrust_cuda> executor() const noexcept { return gpu_.executor(); }

  /// Waits for all enqueued work; then the host may read its results.
  ///
  /// @throws cuda_error  if something enqueued failed
  void synchronize() const { gpu_.synchronize(); }

  /// Returns a policy of the same GPU with a separate stream.
  [[nodiscard]] zero_copy beside() const { return zero_copy(device()); }

  /// Makes work enqueued here from now on wait for the work enqueued on `earlier`; the host does not wait.
  void wait_for(zero_copy const& earlier) const { gpu_.wait_for(earlier.gpu_); }

  /// Returns true if both have the same stream and keep freed memory together.
  friend bool operator==(zero_copy const& a, zero_copy const& b) noexcept {
    return a.gpu_ == b.gpu_ && a.pool_ == b.pool_;
  }

private:
  cuda gpu_;
  std::shared_ptr<detail::pinned_pool> pool_; // null: straight from the system
};

inline zero_copy cuda::staging() const {
  return zero_copy(*this);
}

static_assert(device_policy<cuda> && !host_policy<cuda>);
static_assert(device_policy<zero_copy> && !host_policy<zero_copy>);

} // namespace glt::device

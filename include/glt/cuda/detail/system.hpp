// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/detail/resource.hpp>
#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/error.hpp>
#include <glt/thrust/executor.hpp>

#if defined(__CUDACC__)
#include <glt/cuda/detail/launch.cuh>

#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>
#endif

namespace glt::detail {

// Allocator of temporary storage for Thrust: stream-ordered memory of the same pool.
struct temporary_bytes {
  using value_type = char;
  cuda_queue queue;
  [[nodiscard]] char* allocate(std::ptrdiff_t bytes) const {
    return static_cast<char*>(cuda_resource(queue).allocate(static_cast<std::size_t>(bytes)));
  }
  void deallocate(char* pointer, std::size_t bytes) const noexcept { cuda_resource(queue).deallocate(pointer, bytes); }
};

/// Stream-ordered memory for enqueued work.
class cuda_scratch {
public:
  cuda_scratch(cuda_queue queue, std::int64_t bytes)
      : memory_(queue), bytes_(static_cast<std::size_t>(bytes)), data_(memory_.allocate(bytes_)) {}
  cuda_scratch(cuda_scratch const&) = delete;
  cuda_scratch& operator=(cuda_scratch const&) = delete;
  ~cuda_scratch() { memory_.deallocate(data_, bytes_); }
  [[nodiscard]] void* data() const noexcept { return data_; }

private:
  cuda_resource memory_;
  std::size_t bytes_;
  void* data_;
};

/// Thrust on a stream of a GPU: calls enqueue, and only calls that return a value wait.
///
/// Launches need nvcc; code that only owns, copies and sends memory of a GPU compiles with any compiler.
class thrust_cuda {
public:
  static constexpr bool on_gpu = true;

  explicit thrust_cuda(cuda_queue queue = {}) noexcept : queue_(queue) {}

  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept { return device_accessible(space); }
  [[nodiscard]] cuda_queue const& queue() const noexcept { return queue_; }

  [[nodiscard]] cuda_scratch scratch(std::int64_t bytes) const { return {queue_, bytes}; }

  /// @throws cuda_error  if a launch was refused, or something enqueued before has failed
  template <class Action>
  void run(Action action) const {
#if defined(__CUDACC__)
    on_device const here(queue_.device);
    temporary_bytes temporary{queue_};
    try {
      action(::thrust::cuda::par_nosync(temporary).on(queue_.stream));
    } catch (::thrust::system_error const& failure) {
      check_cuda(static_cast<cudaError_t>(failure.code().value()), failure.what());
      throw;
    }
#else
    needs_nvcc<Action>();
#endif
  }

  /// Calls f(i) for i in [0, n), with one thread for each i.
  ///
  /// @throws cuda_error  if the launch was refused
  template <class F>
  void for_each(std::int64_t n, F const& f) const {
#if defined(__CUDACC__)
    on_device const here(queue_.device);
    launch_for(queue_.stream, for_each_kernel<F>, "for_each", n, threads_of_block, threads_of_block, f);
#else
    needs_nvcc<F>();
#endif
  }
  /// See `detail::for_teams`.
  template <class F>
  void for_teams(std::int64_t n, F const& f) const {
#if defined(__CUDACC__)
    on_device const here(queue_.device);
    launch_for(queue_.stream, for_teams_kernel<F>, "for_teams", n, threads_of_block / lanes_of_row, threads_of_block,
               f);
#else
    needs_nvcc<F>();
#endif
  }
  /// See `detail::for_teams_by_size`.
  template <class F>
  void for_teams_by_size(std::int64_t n, F const& f) const {
#if defined(__CUDACC__)
    on_device const here(queue_.device);
    launch_for(queue_.stream, for_teams_by_size_kernel<F>, "for_teams_by_size", n, lanes_of_block, lanes_of_block, f);
#else
    needs_nvcc<F>();
#endif
  }

private:
  template <class F>
  static void needs_nvcc() {
    static_assert(sizeof(F) == 0, "work on a GPU is compiled by nvcc: put this in a .cu file");
  }

  cuda_queue queue_;
};

static_assert(thrust_system<thrust_cuda>);

} // namespace glt::detail

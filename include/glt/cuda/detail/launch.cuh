// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/detail/gpu_team.cuh>
#include <glt/cuda/error.hpp>
#include <glt/exec/detail/team.hpp>

#include <cuda_runtime.h>

namespace glt::detail {

// Blocks of two warps: a frontier of a thousand rows is spread over many processors, and 32 blocks fill a processor.
inline constexpr int threads_of_block = 64;

template <class F>
__global__ void __launch_bounds__(threads_of_block) for_each_kernel(std::int64_t first, std::int64_t n, F f) {
  auto const i = first + std::int64_t{blockIdx.x} * threads_of_block + threadIdx.x;
  if (i < n) {
    f(i);
  }
}

template <class F>
__global__ void __launch_bounds__(threads_of_block) for_teams_kernel(std::int64_t first, std::int64_t n, F f) {
  auto const i = first + std::int64_t{blockIdx.x} * (threads_of_block / lanes_of_row) + threadIdx.x / lanes_of_row;
  if (i < n) {
    f(gpu_team<lanes_of_row>{}, i);
  }
}

/// Kernel in which a block takes as many items as it has threads. The block does large items one after the other, its
/// warps do smaller ones, and each thread a small one.
///
/// @source Merrill, Garland & Grimshaw, "Scalable GPU graph traversal", PPoPP 2012
template <class F>
__global__ void __launch_bounds__(lanes_of_block) for_teams_by_size_kernel(std::int64_t first, std::int64_t n, F f) {
  __shared__ block_memory memory;
  __shared__ int chosen;
  int const thread = static_cast<int>(threadIdx.x);
  first += std::int64_t{blockIdx.x} * lanes_of_block;
  auto size = first + thread < n ? f.size(first + thread) : -1; // below 0: done
  while (__syncthreads_or(size >= row_of_block) != 0) {
    if (size >= row_of_block) {
      atomicExch(&chosen, thread); // any of them; plain writes of several threads are a race
    }
    __syncthreads();
    int const owner = chosen;
    f(gpu_team<lanes_of_block>{&memory}, first + owner);
    size = thread == owner ? -1 : size;
  }
  for (auto rest = __ballot_sync(~0U, size >= row_of_warp); rest != 0; rest &= rest - 1) {
    f(gpu_team<lanes_of_warp>{}, first + thread / 32 * 32 + __ffs(static_cast<int>(rest)) - 1);
  }
  if (size >= 0 && size < row_of_warp) {
    f(serial_team<1>{}, first + thread);
  }
}

/// Launches one of the kernels above for n items: once, or in parts if a launch cannot have so many items.
template <class Kernel, class F>
void launch_for(cudaStream_t stream, Kernel* kernel, char const* name, std::int64_t n, int items_of_block, int threads,
                F const& f) {
  auto const most = std::int64_t{INT32_MAX} * items_of_block;
  for (std::int64_t first = 0; first < n; first += most) {
    auto const blocks = (std::min(n - first, most) - 1) / items_of_block + 1;
    kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(first, n, f);
    check_cuda_launch(name);
  }
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/cuda/error.hpp>
#include <glt/exec/detail/team.hpp>

#include <cuda_runtime.h>

namespace glt::detail {

/// Shared memory through which the threads of a block exchange values.
struct block_memory {
  unsigned votes[32];
  unsigned long long word;
  double numbers[lanes_of_block];
};

/// Team of threads of a GPU: 16 or 32 neighbours in a warp, or a larger block, which has `memory`.
///
/// See `serial_team` for the meaning of each call.
template <int Lanes>
struct gpu_team {
  static constexpr int size = Lanes;
  static constexpr int words = Lanes < 32 ? 1 : Lanes / 32;
  block_memory* memory = nullptr;

  template <class V>
  struct values {
    V own;
    GLT_HOST_DEVICE V& operator[](int) noexcept { return own; }
  };

  template <class F>
  GLT_HOST_DEVICE void on_lanes(F f) const {
    f(lane());
  }
  template <class F>
  [[nodiscard]] GLT_HOST_DEVICE bool any(F f) const {
    auto const found = votes_for(f(lane()));
    bool some = false;
    for (auto const word : found.of_warp) {
      some |= word != 0;
    }
    return some;
  }
  template <class V>
  [[nodiscard]] GLT_HOST_DEVICE V get(values<V>& of, [[maybe_unused]] int lane) const noexcept {
    static_assert(Lanes <= 32);
#if defined(__CUDA_ARCH__)
    return __shfl_sync(mask(), of.own, lane, Lanes);
#else
    return of.own;
#endif
  }
  template <class V>
  [[nodiscard]] GLT_HOST_DEVICE V broadcast(V value) const noexcept {
    static_assert(sizeof(V) == 8);
#if defined(__CUDA_ARCH__)
    if constexpr (Lanes <= 32) {
      return __shfl_sync(mask(), value, 0, Lanes);
    } else {
      auto* const shared = reinterpret_cast<V*>(&memory->word);
      if (lane() == 0) {
        *shared = value;
      }
      __syncthreads();
      value = *shared;
      __syncthreads();
    }
#endif
    return value;
  }
  template <class F>
  GLT_HOST_DEVICE void once(F f) const {
    if (lane() == 0) {
      f();
    }
    synchronize();
  }
  template <class F>
  GLT_HOST_DEVICE void for_each(std::int64_t n, F f) const {
    for (std::int64_t i = lane(); i < n; i += Lanes) {
      f(i);
    }
    synchronize();
  }
  template <class Test>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count_if(std::int64_t n, Test test) const {
    std::int64_t count = 0;
    for (std::int64_t i = lane(); i < n; i += Lanes) {
      count += test(i) ? 1 : 0;
    }
    return sum(count);
  }
  template <class Test, class F>
  GLT_HOST_DEVICE std::int64_t select_if(std::int64_t n, std::int64_t most, Test test, F f) const {
    std::int64_t count = 0;
    for (std::int64_t first = 0; first < n && count < most; first += Lanes * at_once) {
      bool passed[at_once];
      for (int k = 0; k < at_once; ++k) { // so that the reads of the tests overlap
        auto const i = first + k * Lanes + lane();
        passed[k] = i < n && test(i);
      }
      for (int k = 0; k < at_once; ++k) {
        auto const votes = votes_for(passed[k]);
        auto const place = count + votes.before(lane());
        if (passed[k] && place < most) {
          f(place, first + k * Lanes + lane());
        }
        count += votes.before(Lanes);
      }
    }
    synchronize();
    return count < most ? count : most;
  }
  template <class Load, class F>
  GLT_HOST_DEVICE void in_order(std::int64_t n, Load load, F f) const {
    bool more = true;
    double next = lane() < n ? load(lane()) : 0;
    for (std::int64_t first = 0; more && first < n; first += Lanes) {
      double const own = next;
      auto const later = first + Lanes + lane();
      next = later < n ? load(later) : 0; // loads while f is called
      auto const count = static_cast<int>(n - first < Lanes ? n - first : Lanes);
      if constexpr (Lanes <= 32) {
        values<double> all{own};
        for (int k = 0; more && k < count; ++k) {
          more = f(first + k, get(all, k));
        }
      } else {
        memory->numbers[lane()] = own;
        synchronize();
        for (int k = 0; more && k < count; ++k) {
          more = f(first + k, memory->numbers[k]);
        }
        synchronize();
      }
    }
  }
  template <class State, class Test, class F>
  GLT_HOST_DEVICE void visit_if(std::int64_t first, std::int64_t n, State& state, Test test, F f) const {
    auto const few = first + 16 * Lanes; // early visits make later ones rarer
    while (first < n) {
      int const rounds = first < few ? 1 : at_once;
      bool passed[at_once];
      for (int k = 0; k < at_once; ++k) {
        auto const i = first + k * Lanes + lane();
        passed[k] = k < rounds && i < n && test(state, i);
      }
      for (int k = 0; k < at_once; ++k) {
        if (k < rounds) {
          visit(votes_for(passed[k]), first + k * Lanes, state, f);
        }
      }
      first += rounds * Lanes;
    }
    synchronize();
  }

private:
  static constexpr int at_once = 4;

  // Bit i of word w: the vote of lane 32 w + i.
  struct votes {
    unsigned of_warp[words];
    // Returns the number of positive votes among the first lanes.
    [[nodiscard]] GLT_HOST_DEVICE int before([[maybe_unused]] int lanes) const noexcept {
      int count = 0;
#if defined(__CUDA_ARCH__)
      for (int w = 0; w < words; ++w) {
        auto const rest = lanes - 32 * w;
        count += rest >= 32 ? __popc(of_warp[w]) : rest > 0 ? __popc(of_warp[w] & ((1U << rest) - 1)) : 0;
      }
#endif
      return count;
    }
  };

  template <class State, class F>
  GLT_HOST_DEVICE void visit(votes const& which, std::int64_t first, State& state, F f) const {
    bool any = false;
    for (int w = 0; w < words; ++w) {
      any |= which.of_warp[w] != 0;
#if defined(__CUDA_ARCH__)
      for (auto rest = lane() == 0 ? which.of_warp[w] : 0U; rest != 0; rest &= rest - 1) {
        f(state, first + 32 * w + __ffs(static_cast<int>(rest)) - 1);
      }
#endif
    }
    if (any) {
      state = broadcast(state);
    }
  }

  [[nodiscard]] GLT_HOST_DEVICE static int lane() noexcept {
#if defined(__CUDA_ARCH__)
    return static_cast<int>(threadIdx.x) & (Lanes - 1);
#else
    return 0;
#endif
  }
  [[nodiscard]] GLT_HOST_DEVICE static unsigned mask() noexcept {
#if defined(__CUDA_ARCH__)
    return Lanes < 32 ? ((1U << (Lanes % 32)) - 1) << (threadIdx.x & (32 - Lanes)) : ~0U;
#else
    return 0;
#endif
  }
  GLT_HOST_DEVICE void synchronize() const noexcept {
#if defined(__CUDA_ARCH__)
    if constexpr (Lanes <= 32) {
      __syncwarp(mask());
    } else {
      __syncthreads();
    }
#endif
  }
  [[nodiscard]] GLT_HOST_DEVICE votes votes_for([[maybe_unused]] bool yes) const noexcept {
    votes all{};
#if defined(__CUDA_ARCH__)
    auto const of_warp = __ballot_sync(mask(), yes);
    if constexpr (Lanes <= 32) {
      all.of_warp[0] = of_warp >> (threadIdx.x & (32 - Lanes));
    } else {
      if (lane() % 32 == 0) {
        memory->votes[lane() / 32] = of_warp;
      }
      __syncthreads();
      for (int w = 0; w < words; ++w) {
        all.of_warp[w] = memory->votes[w];
      }
      __syncthreads();
    }
#endif
    return all;
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t sum(std::int64_t value) const noexcept {
#if defined(__CUDA_ARCH__)
    if constexpr (Lanes <= 32) {
      for (int step = Lanes / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(mask(), value, step, Lanes);
      }
    } else {
      once([this] { memory->word = 0; });
      atomicAdd(&memory->word, static_cast<unsigned long long>(value));
      __syncthreads();
      value = static_cast<std::int64_t>(memory->word);
      __syncthreads();
    }
#endif
    return value;
  }
};

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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/space.hpp>
#include <glt/core/view.hpp>
#include <glt/cuda/detail/stream.hpp>
#include <glt/cuda/error.hpp>
#include <glt/cuda/policy.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace glt {

namespace detail {

inline constexpr int rows_at_once = 4; // on their way, of every thread

/// As many neighbouring threads as a row has 16-byte pieces, up to a warp, copy `rows_at_once` rows at a time, one
/// piece of each per thread: reads go past the first cache, and writes do not displace rows from the second.
template <class Id>
__global__ void gather_rows_kernel(uint4 const* __restrict__ in, Id const* __restrict__ ids, uint4* __restrict__ out,
                                   std::int64_t count, std::int32_t pieces, int log_lanes) {
  auto const thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  auto const lanes = 1 << log_lanes;
  auto const lane = static_cast<std::int32_t>(threadIdx.x) & (lanes - 1);
  auto const stride = (std::int64_t{gridDim.x} * blockDim.x >> log_lanes) * rows_at_once;
  for (auto first = (thread >> log_lanes) * rows_at_once; first < count; first += stride) {
    uint4 const* row[rows_at_once];
#pragma unroll
    for (int k = 0; k < rows_at_once; ++k) {
      row[k] = in + static_cast<std::int64_t>(ids[first + k < count ? first + k : count - 1]) * pieces;
    }
    for (auto piece = lane; piece < pieces; piece += lanes) {
      uint4 held[rows_at_once];
#pragma unroll
      for (int k = 0; k < rows_at_once; ++k) {
        held[k] = __ldcg(row[k] + piece);
      }
#pragma unroll
      for (int k = 0; k < rows_at_once; ++k) {
        if (first + k < count) {
          __stcs(out + (first + k) * pieces + piece, held[k]);
        }
      }
    }
  }
}

/// True if rows and their places are made of whole 16-byte pieces: what `gather_rows_by_warps` takes.
template <class T>
[[nodiscard]] bool has_wide_rows(T const* in, T const* out, std::int64_t columns) noexcept {
  auto const bytes = columns * static_cast<std::int64_t>(sizeof(T));
  return bytes % 16 == 0 && bytes / 16 <= INT32_MAX - 32 &&
         ((reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out)) & 15U) == 0;
}

} // namespace detail

/// As `gather_rows` without conversion, by a kernel written for it.
///
/// @shape  in [V, F] · ids [S] · out [S, F], written
/// @where  memory that a GPU reaches; enqueues on the policy's stream and does not synchronise
/// @pre    every id is in [0, V); not checked
/// @throws precondition_error  if out is not [S, F], or the rows are not made of 16-byte pieces (`has_wide_rows`)
/// @throws cuda_error          if the launch failed
/// @cost   O(S · F)
template <memory_space Space, class In, memory_space IdSpace, class Id, memory_space OutSpace, class T>
  requires(detail::device_accessible(Space) && detail::device_accessible(IdSpace) &&
           detail::device_accessible(OutSpace) && std::is_same_v<std::remove_const_t<In>, T>)
void gather_rows_by_warps(device::cuda const& policy, matrix_view<Space, In> in, array_view<IdSpace, Id> ids,
                          matrix_view<OutSpace, T> out) {
  if (out.rows() != ids.size() || out.columns() != in.columns()) {
    throw precondition_error(detail::message("gather of ", ids.size(), " rows of ", in.columns(), " columns into [",
                                             out.rows(), ", ", out.columns(), "]; the shapes must be equal"));
  }
  if (!detail::has_wide_rows<T>(in.data(), out.data(), in.columns())) {
    throw precondition_error(detail::message("gather of rows of ", in.columns(), " elements of ", sizeof(T),
                                             " bytes in 16-byte pieces; use gather_rows for other rows and places"));
  }
  auto const pieces = static_cast<std::int32_t>(in.columns() * static_cast<std::int64_t>(sizeof(T)) / 16);
  if (ids.size() == 0 || pieces == 0) {
    return;
  }
  detail::on_device const here(policy.device());
  constexpr int threads = 256;
  auto const log_lanes = std::min(5, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(pieces - 1))));
  std::int64_t const rows_of_block = (threads >> log_lanes) * detail::rows_at_once;
  auto const blocks = std::min<std::int64_t>((ids.size() + rows_of_block - 1) / rows_of_block, INT32_MAX);
  detail::gather_rows_kernel<<<static_cast<unsigned>(blocks), threads, 0, policy.stream()>>>(
      reinterpret_cast<uint4 const*>(in.data()), ids.data(), reinterpret_cast<uint4*>(out.data()), ids.size(), pieces,
      log_lanes);
  detail::check_cuda_launch("gather_rows_kernel");
}

} // namespace glt

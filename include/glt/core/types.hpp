// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Marks a function callable from device code when the compiler is nvcc, and from the host always.
#if defined(__CUDACC__)
#define GLT_HOST_DEVICE __host__ __device__
#else
#define GLT_HOST_DEVICE
#endif

namespace glt {

/// Vertex number that is unique over all parts.
using global_id = std::int64_t;

/// Vertex number inside one part or one batch; the default of every `Vertex` parameter.
using local_id = std::int32_t;

/// Position in an edge array; always 64-bit because edges outgrow 32 bits before vertices do.
using edge_offset = std::int64_t;

/// Original position of an edge in the input, kept through every conversion.
using edge_id = std::int64_t;

/// Signed 32- or 64-bit integer that may number vertices.
template <class T>
concept vertex_id = std::signed_integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Types whose values may be copied as bytes: into buffers, into messages, into kernels.
template <class T>
concept bytes_copyable = std::is_trivially_copyable_v<T> && !std::is_const_v<T>;

/// Memory space: kind of memory in which bytes live.
enum class memory_space {
  host,   ///< ordinary memory of the process
  pinned, ///< page-locked host memory that a GPU reads in place (zero copy)
  device  ///< memory of a GPU
};

namespace detail {

/// Returns true if the host may dereference pointers into `space`.
[[nodiscard]] constexpr bool host_accessible(memory_space space) noexcept {
  return space != memory_space::device;
}

/// Returns true if a GPU may dereference pointers into `space`.
[[nodiscard]] constexpr bool device_accessible(memory_space space) noexcept {
  return space != memory_space::host;
}

/// Copies bytes between places that do not overlap. For 0 bytes the pointers may be null, which `memcpy` forbids.
GLT_HOST_DEVICE inline void copy_bytes(void* to, void const* from, std::int64_t bytes) noexcept {
  if (bytes > 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

} // namespace detail

} // namespace glt

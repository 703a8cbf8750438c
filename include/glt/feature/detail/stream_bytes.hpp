// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <emmintrin.h>
#endif

namespace glt::detail {

/// Copies bytes that the writer will not read soon. If the processor can, whole lines to the beginning of a line go
/// past its cache; otherwise the same as `copy_bytes`.
///
/// Other threads may see the bytes after `finish_streams`.
GLT_HOST_DEVICE inline void stream_bytes(void* to, void const* from, std::int64_t bytes) noexcept {
#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
  constexpr std::int64_t line_bytes = 64;
  if (bytes % line_bytes == 0 && reinterpret_cast<std::uintptr_t>(to) % line_bytes == 0) {
    auto const* in = static_cast<__m128i const*>(from);
    auto* out = static_cast<__m128i*>(to);
    for (auto lines = bytes / line_bytes; lines > 0; --lines, in += 4, out += 4) {
      auto const first = _mm_loadu_si128(in);
      auto const second = _mm_loadu_si128(in + 1);
      auto const third = _mm_loadu_si128(in + 2);
      auto const fourth = _mm_loadu_si128(in + 3);
      _mm_stream_si128(out, first);
      _mm_stream_si128(out + 1, second);
      _mm_stream_si128(out + 2, third);
      _mm_stream_si128(out + 3, fourth);
    }
    return;
  }
#endif
  copy_bytes(to, from, bytes);
}

/// Orders the streamed writes of the calling thread before its later writes.
GLT_HOST_DEVICE inline void finish_streams() noexcept {
#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
  _mm_sfence();
#endif
}

} // namespace glt::detail

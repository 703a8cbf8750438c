// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

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

} // namespace glt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/shard.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>

namespace glt::detail {

/// Returns a row, or null if rows have no columns.
template <class T>
[[nodiscard]] GLT_HOST_DEVICE T* row_or_null(strided_rows<T> const& rows, std::int64_t i) {
  return rows.stride == 0 ? nullptr : rows.row(i);
}

/// Functor that adds up the messages of the edges of a shard, row by row.
template <memory_space Space, class T, class Message>
struct add_messages {
  shard_view<Space> shard;
  Message message;
  strided_rows<T const> sources;
  strided_rows<T const> destinations;
  strided_rows<T> sums;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = shard.rows[i];
    for (auto e = shard.offsets[i]; e < shard.offsets[i + 1]; ++e) {
      message.message(sources.row(shard.columns[e]), row_or_null(destinations, row), shard.edges[e], sums.row(row));
    }
  }
};

/// Functor that adds up the gradients by the sources of a transposed shard.
template <memory_space Space, class T, class Message>
struct add_source_vjps {
  shard_view<Space> transposed;
  Message message;
  strided_rows<T const> sources;
  strided_rows<T const> destinations;
  strided_rows<T const> gradients;
  strided_rows<T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const source = transposed.rows[i];
    for (auto e = transposed.offsets[i]; e < transposed.offsets[i + 1]; ++e) {
      auto const row = transposed.columns[e];
      message.source_vjp(sources.row(source), row_or_null(destinations, row), transposed.edges[e], gradients.row(row),
                         out.row(source));
    }
  }
};

/// Functor that adds up the gradients by the destinations of a shard.
template <memory_space Space, class T, class Message>
struct add_destination_vjps {
  shard_view<Space> shard;
  Message message;
  strided_rows<T const> sources;
  strided_rows<T const> destinations;
  strided_rows<T const> gradients;
  strided_rows<T> out;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const row = shard.rows[i];
    for (auto e = shard.offsets[i]; e < shard.offsets[i + 1]; ++e) {
      message.destination_vjp(sources.row(shard.columns[e]), row_or_null(destinations, row), shard.edges[e],
                              gradients.row(row), out.row(row));
    }
  }
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/block_aggregation.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/types.h>

namespace glt {

namespace detail {

/// Checks the arguments of a function over segments.
///
/// @throws precondition_error  if `values` is not one row of floats for every edge of the segments
template <memory_space Space>
void check_segments(std::string_view call, at::Tensor const& values, array_view<Space, edge_offset const> offsets) {
  if (offsets.empty()) {
    throw precondition_error(message(call, " over no offsets; pass those of a block, one more than segments"));
  }
  auto const count = offsets[offsets.size() - 1] - offsets[0];
  if (!is_float_matrix(values, at::kCPU) || values.size(0) != count) {
    throw precondition_error(message(call, " over ", to_string(values), "; pass a float or double host tensor [", count,
                                     ", F], one row per edge of the segments"));
  }
}

template <memory_space Space>
[[nodiscard]] at::Tensor aggregate_segments(std::string_view call, at::Tensor const& values,
                                            array_view<Space, edge_offset const> offsets, dist::aggregator how) {
  check_segments(call, values, offsets);
  return block_aggregation::apply(values, to_tensor(offsets), at::arange(values.size(0), at::kInt), how)[0];
}

} // namespace detail

/// Returns the sum of the rows of every segment. With the offsets of a block, a segment is the in-edges of a
/// destination. An empty segment gets zero.
///
/// Differentiable in values, once. Borrows the offsets until the backward pass has run.
///
///     auto const messages = x.index_select(0, glt::to_tensor(block.row)) * weights;
///     auto const sums = glt::segment_sum(messages, block.offsets);
///
/// @shape  values [E, F], float or double, in host memory · offsets [S + 1] → [S, F]
/// @units  segment s has the rows offsets[s] − offsets[0] to offsets[s + 1] − offsets[0]
/// @throws precondition_error  if values are not such a matrix, or there are no offsets
/// @cost   O(E · F), forward and backward
template <memory_space Space>
[[nodiscard]] at::Tensor segment_sum(at::Tensor const& values, array_view<Space, edge_offset const> offsets) {
  return detail::aggregate_segments("segment_sum", values, offsets, dist::aggregator::sum);
}

/// Returns the mean of the rows of every segment; see `segment_sum`.
template <memory_space Space>
[[nodiscard]] at::Tensor segment_mean(at::Tensor const& values, array_view<Space, edge_offset const> offsets) {
  return detail::aggregate_segments("segment_mean", values, offsets, dist::aggregator::mean);
}

/// Returns the maximum of the rows of every segment, column by column; see `segment_sum`. Its gradient goes to the
/// first row that has it.
template <memory_space Space>
[[nodiscard]] at::Tensor segment_max(at::Tensor const& values, array_view<Space, edge_offset const> offsets) {
  return detail::aggregate_segments("segment_max", values, offsets, dist::aggregator::max);
}

/// Returns the softmax of the rows of every segment, column by column; see `segment_sum`. It is e to the power of a
/// row, over the sum of these powers in its segment.
///
/// @shape  values [E, F] → [E, F]
template <memory_space Space>
[[nodiscard]] at::Tensor segment_softmax(at::Tensor const& values, array_view<Space, edge_offset const> offsets) {
  detail::check_segments("segment_softmax", values, offsets);
  auto const bounds = to_tensor(offsets);
  auto const lengths = bounds.narrow(0, 1, bounds.size(0) - 1) - bounds.narrow(0, 0, bounds.size(0) - 1);
  auto const segment_of = at::repeat_interleave(lengths);
  auto const largest = segment_max(values.detach(), offsets).index_select(0, segment_of);
  auto const powers = (values - largest).exp(); // at most 1, so that none overflows
  return powers / segment_sum(powers, offsets).index_select(0, segment_of);
}

} // namespace glt

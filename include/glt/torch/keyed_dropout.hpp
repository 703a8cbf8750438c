// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/torch/aggregate_neighbors.hpp>

#include <torch/types.h>

namespace glt {

/// Sets a share of the elements of x to zero and divides the others by 1 − share. The choice depends only on the key
/// and on the vertex and column of an element, not on ranks, batches or the order of rows.
///
/// Fold seed, epoch, step and layer into the key. In evaluation, do not call it.
///
/// @shape  x [n, F], float or double, in host memory · vertex_ids [n], 64-bit integers, the same on any partition →
///         [n, F]
/// @throws precondition_error  if x or vertex_ids are not such tensors, or share is not in [0, 1)
/// @cost   n · F / 4 calls of Philox
/// @source Srivastava et al., "Dropout", JMLR 15, 2014
[[nodiscard]] inline at::Tensor keyed_dropout(at::Tensor const& x, double share, random_key key,
                                              at::Tensor const& vertex_ids) {
  if (!detail::is_float_matrix(x, at::kCPU)) {
    throw precondition_error(
        detail::message("keyed_dropout of ", detail::to_string(x), "; pass a float or double host tensor [n, F]"));
  }
  if (!(share >= 0 && share < 1)) {
    throw precondition_error(detail::message("keyed_dropout of a share of ", share, "; it is in [0, 1)"));
  }
  if (!vertex_ids.defined() || vertex_ids.dim() != 1 || vertex_ids.size(0) != x.size(0) ||
      at::isFloatingType(vertex_ids.scalar_type()) || vertex_ids.device() != at::kCPU) {
    throw precondition_error(detail::message("keyed_dropout with vertex ids ", detail::to_string(vertex_ids), "; pass ",
                                             x.size(0), " integers, one a row"));
  }
  if (share == 0) {
    return x;
  }
  auto const ids = vertex_ids.to(at::kLong).contiguous();
  auto const factors = at::empty(x.sizes(), x.options().requires_grad(false));
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "keyed_dropout", [&] {
    auto* factor = factors.data_ptr<scalar_t>();
    auto const bound = static_cast<std::uint32_t>(share * 0x1p32);
    auto const kept = static_cast<scalar_t>(1 / (1 - share));
    for (std::int64_t row = 0; row < x.size(0); ++row) {
      random_stream stream(key, static_cast<std::uint64_t>(ids.data_ptr<std::int64_t>()[row]));
      for (std::int64_t column = 0; column < x.size(1); ++column) {
        *factor++ = stream.next() < bound ? scalar_t(0) : kept;
      }
    }
  });
  return x * factors;
}

} // namespace glt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/torch/detail/first_order.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt::detail {

/// Edges of a block as raw pointers into tensors; the edges of destination d begin at offsets[d] − offsets[0].
struct segments {
  std::int64_t count;
  edge_offset const* offsets;
  local_id const* row;

  segments(at::Tensor const& offset_tensor, at::Tensor const& row_tensor)
      : count(offset_tensor.numel() - 1), offsets(offset_tensor.data_ptr<edge_offset>()),
        row(row_tensor.data_ptr<local_id>()) {}

  [[nodiscard]] edge_offset begin(std::int64_t d) const { return offsets[d] - offsets[0]; }
  [[nodiscard]] edge_offset end(std::int64_t d) const { return offsets[d + 1] - offsets[0]; }
  /// Returns the weight of an edge of a destination in a sum or a mean.
  template <class T>
  [[nodiscard]] T scale(std::int64_t d, bool is_mean) const {
    return is_mean && end(d) > begin(d) ? T(1) / static_cast<T>(end(d) - begin(d)) : T(1);
  }
};

/// Writes out[d] = sum or mean of x[row[e]] over the edges e of d; out is zero before.
template <class T>
void add_segments(segments const& edges, bool is_mean, T const* x, std::int64_t width, T* out) {
  for (std::int64_t d = 0; d < edges.count; ++d) {
    T* __restrict const sum = out + d * width;
    for (auto e = edges.begin(d); e < edges.end(d); ++e) {
      T const* __restrict const source = x + std::int64_t{edges.row[e]} * width;
      for (std::int64_t f = 0; f < width; ++f) {
        sum[f] += source[f];
      }
    }
    if (T const scale = edges.scale<T>(d, is_mean); scale != T(1)) {
      for (std::int64_t f = 0; f < width; ++f) {
        sum[f] *= scale;
      }
    }
  }
}

/// Adds gradient[d] to into[row[e]] for every edge e of every destination d; over the degree if it was a mean.
template <class T>
void spread_segments(segments const& edges, bool is_mean, T const* gradient, std::int64_t width, T* into) {
  for (std::int64_t d = 0; d < edges.count; ++d) {
    T const scale = edges.scale<T>(d, is_mean);
    T const* __restrict const from = gradient + d * width;
    for (auto e = edges.begin(d); e < edges.end(d); ++e) {
      T* __restrict const to = into + std::int64_t{edges.row[e]} * width;
      for (std::int64_t f = 0; f < width; ++f) {
        to[f] += scale * from[f];
      }
    }
  }
}

/// Writes out[d] = largest (smallest) x[row[e]] over the edges e of d, and its source to `chosen`. Of equal sources the
/// first is chosen; a NaN goes first. Out is zero and chosen −1 before.
template <class T>
void choose_segments(segments const& edges, bool largest, T const* x, std::int64_t width, T* out, local_id* chosen) {
  for (std::int64_t d = 0; d < edges.count; ++d) {
    for (auto e = edges.begin(d); e < edges.end(d); ++e) {
      T const* const source = x + std::int64_t{edges.row[e]} * width;
      for (std::int64_t f = 0; f < width; ++f) {
        T& best = out[d * width + f];
        bool const better = largest ? source[f] > best : source[f] < best;
        bool const invalid = source[f] != source[f] && best == best;
        if (e == edges.begin(d) || better || invalid) {
          best = source[f];
          chosen[d * width + f] = edges.row[e];
        }
      }
    }
  }
}

/// Adds the gradient to into[chosen], column by column.
template <class T>
void spread_chosen(local_id const* chosen, std::int64_t count, T const* gradient, std::int64_t width, T* into) {
  for (std::int64_t i = 0; i < count * width; ++i) {
    if (chosen[i] >= 0) {
      into[std::int64_t{chosen[i]} * width + i % width] += gradient[i];
    }
  }
}

/// Aggregation over a block; keeps its edges for the backward pass or, for a maximum or minimum, the chosen sources.
struct block_aggregation : ::torch::autograd::Function<block_aggregation> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;

  static at::Tensor forward(context* ctx, at::Tensor const& x, at::Tensor const& offsets, at::Tensor const& row,
                            dist::aggregator how) {
    ctx->saved_data["num_sources"] = x.size(0);
    ctx->saved_data["how"] = static_cast<std::int64_t>(how);
    auto const rows = x.contiguous();
    auto const width = x.size(1);
    segments const edges(offsets, row);
    auto out = at::zeros({edges.count, width}, x.options());
    auto const chosen = is_extreme(how) ? at::full({edges.count, width}, -1, at::kInt) : at::Tensor();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "aggregate_neighbors", [&] {
      auto const* const from = rows.template data_ptr<scalar_t>();
      auto* const to = out.template data_ptr<scalar_t>();
      if (is_extreme(how)) {
        choose_segments(edges, how == dist::aggregator::max, from, width, to, chosen.data_ptr<local_id>());
      } else {
        add_segments(edges, how == dist::aggregator::mean, from, width, to);
      }
    });
    ctx->save_for_backward(is_extreme(how) ? tensors{chosen} : tensors{offsets, row});
    return out;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("aggregate_neighbors");
    auto const how = static_cast<dist::aggregator>(ctx->saved_data["how"].toInt());
    auto const saved = ctx->get_saved_variables();
    auto const gradient = gradients[0].contiguous();
    auto const width = gradient.size(1);
    auto into = at::zeros({ctx->saved_data["num_sources"].toInt(), width}, gradient.options());
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "aggregate_neighbors", [&] {
      auto const* const from = gradient.template data_ptr<scalar_t>();
      auto* const to = into.template data_ptr<scalar_t>();
      if (is_extreme(how)) {
        spread_chosen(saved[0].data_ptr<local_id>(), gradient.size(0), from, width, to);
      } else {
        spread_segments(segments(saved[0], saved[1]), how == dist::aggregator::mean, from, width, to);
      }
    });
    return {into, {}, {}, {}};
  }
};

} // namespace glt::detail

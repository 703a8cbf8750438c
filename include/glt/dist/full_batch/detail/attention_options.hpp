// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Score of a source for a destination: the input of the softmax over in-edges.
enum class attention_score {
  additive,   ///< leaky_relu(key + query), each one number a head
  dot_product ///< key · query / √(columns of a head)
};

/// Options of a full-batch attention; the same on all ranks except the ids.
///
/// @shape  edge_ids [E], by position in the rows of the part; needed for dropout only
template <memory_space Space>
struct attention_options {
  std::int64_t heads = 1; ///< columns of every matrix are a multiple of it; columns of a head lie together
  attention_score score = attention_score::additive;
  double slope = 0.2;        ///< of the leaky ReLU
  double dropout = 0;        ///< share of coefficients that become 0, in [0, 1); the others grow by 1 / (1 − dropout)
  random_key dropout_key{0}; ///< of a step and layer: an edge's random numbers depend only on it and the edge's id
  array_view<Space, edge_id const> edge_ids = {};
  /// Reproducible results and gradients: the same bits for any number of ranks, partition and number of threads. Pushed
  /// edges give the same bits too. Sums are computed as with `aggregation::reproducible`. Costs 8 bytes an element of
  /// results, gradients and backward replies. The forward pass visits the keys once more at first, since terms are
  /// scaled by the largest scores. Gradients by scores are scaled by head, times the largest key or query of the
  /// column.
  bool reproducible = false;
};

/// Inputs of an attention by vertex, or the gradients of these inputs.
///
/// @shape  values [num_sources, heads · d] · keys [num_sources, heads] if the score is additive, else [num_sources,
///         heads · k] · queries [num_destinations], as wide as keys
template <memory_space Space, class T>
struct attention_rows {
  matrix_view<Space, T> values;  ///< of sources; they are averaged
  matrix_view<Space, T> keys;    ///< of sources
  matrix_view<Space, T> queries; ///< of destinations
};

/// Result of an attention; the gradient needs no more of it.
///
/// The softmax keeps the maximum and the sum apart: the logarithm of the sum is lost when added to a large maximum.
///
/// @shape  output [num_destinations, heads · d], 0 without in-edges · softmax [num_destinations, 2 · heads]: the
///         largest score m of each head, −∞ without in-edges, then 1 / Σ exp(score − m) of each head, 1 without
///         in-edges
template <memory_space Space, class T>
struct attention_result {
  matrix_view<Space, T> output;
  matrix_view<Space, T> softmax;
};

/// Gradients by the result of an attention.
///
/// @shape  output [num_destinations, heads · d] · log_sums [num_destinations, heads], by m + log Σ exp(score − m);
///         without data: 0
template <memory_space Space, class T>
struct result_gradients {
  matrix_view<Space, T const> output;
  matrix_view<Space, T const> log_sums = {};
};

} // namespace glt::detail

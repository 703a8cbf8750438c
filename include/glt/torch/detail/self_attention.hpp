// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/detail/attention_scores.hpp>

#include <torch/types.h>

#include <cstdint>

namespace glt::detail {

/// Which coefficients of self-loops stay, and how much they grow: [D, heads]. The edge of a vertex to itself has the id
/// −1 − vertex, which no other edge has.
[[nodiscard]] inline at::Tensor self_dropout(at::Tensor const& vertex_ids, random_key key, double rate,
                                             std::int64_t heads) {
  auto const ids = (-1 - vertex_ids.to(at::kCPU, at::kLong)).contiguous();
  keyed_dropout<memory_space::host> const dropout{{ids.data_ptr<edge_id>(), ids.numel()}, key, rate};
  auto const factors = at::empty({ids.numel(), heads}, at::kDouble);
  auto* const to = factors.data_ptr<double>();
  for (std::int64_t i = 0; i < factors.numel(); ++i) {
    to[i] = dropout.factor<double>(i / heads, i % heads);
  }
  return factors;
}

/// The edges of destinations to themselves, which a softmax takes in after all others.
struct self_loops {
  bool included = false;
  std::int64_t heads = 1;
  double slope = 0.2;
  at::Tensor factors; // by which dropout multiplies coefficients [D, heads]; undefined: 1

  /// Adds them to the averages of other edges, and to the sums of their softmax.
  void attend(at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries, at::Tensor const& output,
              at::Tensor const& log_sums) const {
    auto const scores = at::leaky_relu(own(keys, queries) + queries, slope);
    by_head(output).mul_(at::sigmoid(log_sums - scores).unsqueeze(2));
    by_head(output).addcmul_(by_head(own(values, queries)), kept(at::sigmoid(scores - log_sums)).unsqueeze(2));
    log_sums.copy_(at::logaddexp(log_sums, scores));
  }

  /// Adds the gradients by them, made of the output and the sums with all edges.
  void add_gradients(at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries,
                     at::Tensor const& output, at::Tensor const& log_sums, at::Tensor const& gradient,
                     at::Tensor const& by_values, at::Tensor const& by_keys, at::Tensor const& by_queries) const {
    auto const sums = own(keys, queries) + queries;
    auto const shares = (at::leaky_relu(sums, slope) - log_sums).exp();
    auto const weights = kept(shares);
    auto const to_value = (by_head(gradient) * by_head(own(values, queries))).sum(2);
    auto const to_output = (by_head(gradient) * by_head(output)).sum(2);
    auto const by_score = weights * to_value - shares * to_output;
    auto const by_sum = at::where(sums > 0, by_score, by_score * slope);
    own(by_keys, queries).add_(by_sum);
    by_queries.add_(by_sum);
    by_head(own(by_values, queries)).addcmul_(by_head(gradient), weights.unsqueeze(2));
  }

private:
  // Destinations are the first of the sources.
  [[nodiscard]] static at::Tensor own(at::Tensor const& of_sources, at::Tensor const& queries) {
    return of_sources.narrow(0, 0, queries.size(0));
  }
  [[nodiscard]] at::Tensor by_head(at::Tensor const& rows) const {
    return rows.view({rows.size(0), heads, rows.size(1) / heads});
  }
  [[nodiscard]] at::Tensor kept(at::Tensor const& shares) const {
    return factors.defined() ? shares * factors : shares;
  }
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/full_batch/attention_options.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace glt::detail {

/// Returns the largest magnitudes on this rank of the factors in an attention's gradients, by column.
///
/// @shape  → [2 · values + 2 · keys]: of gradients, values, keys and queries; the last two are 1 where scores are sums
/// @throws precondition_error  if a magnitude is not finite, or is 1e150 or more
template <communicator Comm, device_policy Policy, class T>
[[nodiscard]] std::vector<double> magnitudes_of(attention_pass<Comm, Policy, T> const& pass, Policy const& policy,
                                                dist::attention_rows<Policy::space, T const> rows,
                                                matrix_view<Policy::space, T const> gradient) {
  auto const [heads, values, keys, score, bytes, exact] = pass.shape();
  std::vector<double> most(static_cast<std::size_t>(2 * (values + keys)), 1.0);
  write_column_magnitudes(policy, gradient, most.data());
  write_column_magnitudes(policy, rows.values, most.data() + values);
  if (score != dist::attention_score::additive) {
    write_column_magnitudes(policy, rows.keys, most.data() + 2 * values);
    write_column_magnitudes(policy, rows.queries, most.data() + 2 * values + keys);
  }
  check_summable(most);
  return most;
}

/// Agrees on the fixed-point numbers in which all ranks add up the gradients of an attention.
///
/// Gradients by values are scaled by column. Gradients by keys and queries are scaled by head, and by the factor of
/// each column.
///
/// @param  most    magnitudes of this rank, by `magnitudes_of`; overwritten
/// @param  scales  room for as many numbers, in memory of the graph's policy
/// @comm   collective; one reduction of 2(values + keys) doubles
/// @throws collective_error  on every rank, if products of magnitudes may be 1e150 or more
template <communicator Comm, device_policy Policy, class T>
[[nodiscard]] attention_terms<fixed_columns> agree_on_attention_terms(dist::sharded_graph<Comm, Policy>& graph,
                                                                      attention_pass<Comm, Policy, T> const& pass,
                                                                      std::vector<double>& most, std::int64_t* scales) {
  auto const& options = pass.options();
  auto const& shape = pass.shape();
  graph.host().all_reduce(std::span<double>(most), reduction::max);
  auto const degrees = *graph.known_degrees();
  auto const kept = 1 / (1 - options.dropout);
  bool const is_additive = options.score == dist::attention_score::additive;
  auto const slope = is_additive ? std::max(1.0, std::abs(options.slope)) : 1.0;
  auto const [of_values, of_keys] = shape.of_head();
  auto* const gradients = most.data();
  auto* const values = gradients + shape.values;
  auto* const keys = values + shape.values;
  auto* const queries = keys + shape.keys;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    double products = 0; // shares are at most 1, and outputs at most as large as values
    for (auto c = head * of_values; c < (head + 1) * of_values; ++c) {
      products += gradients[c] * values[c];
      gradients[c] = fixed_point::for_sums(gradients[c] * kept, degrees.out).scale;
    }
    auto const by_score = 4 * products * kept * slope; // 4: with values and with the output, doubled for rounding
    for (auto c = head * of_keys; c < (head + 1) * of_keys; ++c) {
      if (!(by_score * std::max(keys[c], queries[c]) < 1e150)) {
        throw agreed(graph.host(), 0,
                     "gradients by scores, which are products of gradients, values, keys and queries, may be 1e150 and "
                     "more; reproducible sums are of smaller ones");
      }
      auto const by_key = fixed_point::for_sums(by_score * queries[c], degrees.out).scale;
      queries[c] = fixed_point::for_sums(by_score * keys[c], degrees.in).scale;
      keys[c] = by_key;
    }
  }
  auto const numbers = place_scales(graph.policy(), most, scales);
  return {.values = numbers,
          .keys = numbers.from(2 * shape.values),
          .queries = numbers.from(2 * shape.values + shape.keys)};
}

} // namespace glt::detail

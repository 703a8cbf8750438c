// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/attention_options.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/exact/exact_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace glt::detail {

/// Largest magnitudes on this rank of the factors in an attention's gradients.
struct attention_magnitudes {
  double gradient = 0;
  double value = 0;
  double key = 1; // 1 for additive scores, which are sums
  double query = 1;
};

/// @throws precondition_error  if a magnitude is not finite, or is 1e150 or more
template <communicator Comm, device_policy Policy, class T>
[[nodiscard]] attention_magnitudes magnitudes_of(attention_pass<Comm, Policy, T> const& pass,
                                                 dist::attention_rows<Policy::space, T const> rows,
                                                 matrix_view<Policy::space, T const> gradient) {
  attention_magnitudes most{.gradient = pass.largest(gradient), .value = pass.largest(rows.values)};
  if (pass.options().score != dist::attention_score::additive) {
    most.key = pass.largest(rows.keys);
    most.query = pass.largest(rows.queries);
  }
  check_summable(std::max({most.gradient, most.value, most.key, most.query}));
  return most;
}

/// Agrees on the fixed-point numbers in which all ranks add up the gradients of an attention.
///
/// @param  here  magnitudes of this rank
/// @comm   collective; one reduction
/// @throws collective_error  on every rank, if products of magnitudes may be 1e150 or more
template <communicator Comm, device_policy Policy, class T>
[[nodiscard]] attention_terms<fixed_point> agree_on_attention_terms(dist::sharded_graph<Comm, Policy>& graph,
                                                                    attention_pass<Comm, Policy, T> const& pass,
                                                                    attention_magnitudes here) {
  auto const& options = pass.options();
  bool const is_additive = options.score == dist::attention_score::additive;
  std::array most{here.gradient, here.value, here.key, here.query};
  graph.host().all_reduce(std::span<double>(most), reduction::max);
  auto const [by_output, value, key, query] = most;
  auto const weighted = by_output / (1 - options.dropout);
  // shares are at most 1; products with values and with the output are at most their largest factors times the columns
  // of a head; twice that for rounding
  auto const of_head = pass.shape().of_head();
  auto const by_score = 4 * weighted * value * static_cast<double>(of_head.values) *
                        (is_additive ? std::max(1.0, std::abs(options.slope)) : 1);
  if (!(by_score * std::max(key, query) < 1e150)) {
    throw agreed(graph.host(), 0,
                 "gradients by scores, which are products of gradients, values, keys and queries, may be 1e150 and "
                 "more; reproducible sums are of smaller ones");
  }
  auto const degrees = *graph.known_degrees();
  return {.values = fixed_point::for_sums(weighted, degrees.out),
          .keys = fixed_point::for_sums(by_score * query, degrees.out),
          .queries = fixed_point::for_sums(by_score * key, degrees.in)};
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/attention_options.hpp>
#include <glt/dist/full_batch/detail/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention_pass.hpp>
#include <glt/dist/full_batch/detail/exact_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace glt::detail {

/// The fixed-point numbers in which all ranks add up the gradients of an attention.
///
/// @comm   collective; one reduction
/// @throws collective_error  on every rank, if a number of a rank that gradients are made of is not finite
template <communicator Comm, device_policy Policy, class T>
[[nodiscard]] attention_terms<fixed_point>
agree_on_attention_terms(dist::sharded_graph<Comm, Policy>& graph, attention_pass<Comm, Policy, T> const& pass,
                         dist::attention_rows<Policy::space, T const> rows,
                         matrix_view<Policy::space, T const> gradient) {
  auto const& options = pass.options();
  bool const is_additive = options.score == dist::attention_score::additive;
  std::array<double, 4> most{pass.largest(gradient), pass.largest(rows.values),
                             is_additive ? 1 : pass.largest(rows.keys), is_additive ? 1 : pass.largest(rows.queries)};
  graph.host().all_reduce(std::span<double>(most), reduction::max);
  auto const [by_output, value, key, query] = most;
  check_summable(graph.size(), *std::ranges::max_element(most));
  auto const weighted = by_output / (1 - options.dropout);
  // shares are at most 1, products with values and with the output as many times their largest factors as a head has
  // columns; twice that for rounding
  auto const of_head = pass.shape().of_head();
  auto const by_score = 4 * weighted * value * static_cast<double>(of_head.values) *
                        (is_additive ? std::max(1.0, std::abs(options.slope)) : 1);
  check_summable(graph.size(), by_score * std::max(key, query));
  auto const degrees = *graph.known_degrees();
  return {.values = fixed_point::for_sums(weighted, degrees.out),
          .keys = fixed_point::for_sums(by_score * query, degrees.out),
          .queries = fixed_point::for_sums(by_score * key, degrees.in)};
}

} // namespace glt::detail

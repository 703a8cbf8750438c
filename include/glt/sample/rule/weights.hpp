// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/exec/sequential.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace glt {

/// How often the edges of a graph are drawn, in proportion: one number per position, in row order.
///
/// An edge of weight 0 is never drawn. `make_edge_values` brings weights by edge id into row order, and
/// `validate_weights` refuses those that are none.
template <memory_space Space>
using edge_weights = array_view<Space, float const>;

/// Number of edges of a row that may be drawn, counted up to `limit`.
///
/// @shape  row [degree]
/// @cost   O(degree) at most; ends at the `limit`-th edge that may be drawn
template <memory_space Space>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t
count_positive(edge_weights<Space> row, std::int64_t limit = std::numeric_limits<std::int64_t>::max()) noexcept {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < row.size() && count < limit; ++i) {
    count += row[i] > 0 ? 1 : 0;
  }
  return count;
}

/// Picks every edge of a row that may be drawn, in row order.
///
/// @shape  row [degree] · out [count_positive(row)], written
/// @cost   O(degree)
template <memory_space Space, class Position>
GLT_HOST_DEVICE constexpr void pick_positive(edge_weights<Space> row, Position* out) noexcept {
  for (std::int64_t i = 0; i < row.size(); ++i) {
    if (row[i] > 0) {
      *out++ = static_cast<Position>(i);
    }
  }
}

namespace detail {

// p if the weight at position p is none, else the number of weights.
template <memory_space Space>
struct position_if_no_weight {
  edge_weights<Space> weights;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t p) const {
    return weights[p] >= 0 && weights[p] <= std::numeric_limits<float>::max() ? weights.size() : p;
  }
};

// The row of an edge, by binary search over what `offset_at(r)` says.
template <class OffsetAt>
[[nodiscard]] std::int64_t row_of_position(std::int64_t num_rows, edge_offset position, OffsetAt offset_at) {
  std::int64_t low = 0;
  std::int64_t high = num_rows - 1;
  while (low < high) { // the first row that ends after the position
    std::int64_t const middle = low + (high - low) / 2;
    if (offset_at(middle + 1) > position) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

template <class OffsetAt>
[[noreturn]] void refuse_weight(std::int64_t num_rows, edge_offset position, float weight, OffsetAt offset_at) {
  auto const row = row_of_position(num_rows, position, offset_at);
  throw precondition_error(message("weight of edge ", position - offset_at(row), " of row ", row, " (position ",
                                   position, ") is ", weight, "; a weight is finite and 0 or more"));
}

template <memory_space Space, class Vertex>
void check_num_weights(csr_view<Space, Vertex> graph, edge_weights<Space> weights) {
  if (weights.size() != graph.num_edges()) {
    throw precondition_error(message(weights.size(), " weights for ", graph.num_edges(),
                                     " edges; give one per edge in row order, see make_edge_values"));
  }
}

} // namespace detail

/// Checks edge weights that nobody vouches for.
///
/// @shape  weights [E], in row order
/// @throws precondition_error  if there is not one weight per edge, or naming the first position, with its
///                             row, whose weight is negative, infinite or not a number
/// @cost   O(E)
template <memory_space Space, vertex_id Vertex, reaches<Space> Executor = exec::sequential>
  requires(host_accessible(Space))
void validate_weights(csr_view<Space, Vertex> graph, std::type_identity_t<edge_weights<Space>> weights,
                      Executor const& ex = {}) {
  detail::check_num_weights(graph, weights);
  auto const bad = ex.reduce(weights.size(), weights.size(), detail::position_if_no_weight<Space>{weights},
                             detail::smaller{});
  if (bad < weights.size()) {
    detail::refuse_weight(graph.num_rows(), bad, weights[bad], [&](std::int64_t r) { return graph.offset(r); });
  }
}

/// The same for weights in memory of a policy, wherever that is.
///
/// @where  synchronises
template <device_policy Policy, vertex_id Vertex>
void validate_weights(Policy const& policy, csr_view<Policy::space, Vertex> graph,
                      std::type_identity_t<edge_weights<Policy::space>> weights) {
  if constexpr (host_policy<Policy>) {
    validate_weights(graph, weights, policy.executor());
  } else {
    detail::check_num_weights(graph, weights);
    auto const bad = policy.executor().reduce(weights.size(), weights.size(),
                                              detail::position_if_no_weight<Policy::space>{weights}, detail::smaller{});
    if (bad < weights.size()) {
      detail::refuse_weight(graph.num_rows(), bad, read_element(policy, weights, bad),
                            [&](std::int64_t r) { return read_element(policy, graph.offsets(), r); });
    }
  }
}

} // namespace glt

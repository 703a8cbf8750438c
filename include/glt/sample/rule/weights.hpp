// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

/// Weights of the edges of one row, if they do not lie one behind the other.
template <memory_space Space, class Edges>
struct weights_of_row {
  array_view<Space, float const> weights;
  Edges edges;
  std::int64_t degree;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t size() const noexcept { return degree; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr float operator[](std::int64_t i) const noexcept { return weights[edges(i)]; }
};

/// Counts the edges of a row that may be drawn, up to `limit`.
///
/// @shape  row [degree]
/// @cost   O(degree) at most; ends at the `limit`-th edge that may be drawn
template <class Weights>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t
count_positive(Weights row, std::int64_t limit = std::numeric_limits<std::int64_t>::max()) noexcept {
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
template <class Weights, class Position>
GLT_HOST_DEVICE constexpr void pick_positive(Weights row, Position* out) noexcept {
  for (std::int64_t i = 0; i < row.size(); ++i) {
    if (row[i] > 0) {
      *out++ = static_cast<Position>(i);
    }
  }
}

// Returns p if the weight at position p is invalid, else the number of weights.
template <memory_space Space>
struct position_if_invalid {
  array_view<Space, float const> weights;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t p) const {
    return weights[p] >= 0 && weights[p] <= std::numeric_limits<float>::max() ? weights.size() : p;
  }
};

template <memory_space Space, class Vertex>
void check_num_weights(csr_view<Space, Vertex> graph, array_view<Space, float const> weights) {
  if (weights.size() != graph.num_edges()) {
    throw precondition_error(message(weights.size(), " weights for ", graph.num_edges(),
                                     " edges; give one per edge in row order, see make_edge_values"));
  }
}

} // namespace detail

/// Checks untrusted edge weights. `examiner` is an executor of the host, or the policy of the memory.
///
/// @shape  weights [E], in row order
/// @where  synchronises
/// @throws precondition_error  if there is not one weight per edge, or naming the first position, with its row, whose
///                             weight is negative, infinite or not a number
/// @cost   O(E)
template <memory_space Space, vertex_id Vertex, class Examiner = exec::sequential>
  requires detail::examines<Examiner, Space>
void validate(csr_view<Space, Vertex> graph, std::type_identity_t<array_view<Space, float const>> weights,
              Examiner const& examiner = {}) {
  detail::check_num_weights(graph, weights);
  auto const bad = detail::executor_of(examiner).reduce(weights.size(), weights.size(),
                                                        detail::position_if_invalid<Space>{weights}, detail::smaller{});
  if (bad < weights.size()) {
    auto const offset = [&](std::int64_t row) { return detail::look_at(examiner, graph.offsets(), row); };
    auto const row = detail::first_where(0, graph.num_rows() - 1, [&](std::int64_t r) { return offset(r + 1) > bad; });
    throw precondition_error(detail::message("weight of edge ", bad - offset(row), " of row ", row, " (position ", bad,
                                             ") is ", detail::look_at(examiner, weights, bad),
                                             "; a weight is finite and 0 or more"));
  }
}

} // namespace glt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/prefetch.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/options.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <utility>

namespace glt::detail {

/// −ln(1 − p) in units of 2⁻⁵⁰: integers, because their sum does not depend on the order.
using log_miss = std::uint64_t;

inline constexpr double log_miss_unit = 0x1p-50;

/// From here on a probability is 1 in every bit: e⁻⁴⁴ < 2⁻⁶³. Sums stop here, so that they never overflow.
inline constexpr log_miss certain = log_miss{44} << 50;

[[nodiscard]] inline log_miss log_miss_of(double probability) noexcept {
  double const sum = -std::log1p(-probability) / log_miss_unit;
  return sum >= static_cast<double>(certain) ? certain : static_cast<log_miss>(sum + 0.5);
}

[[nodiscard]] inline double probability_of(log_miss sum) noexcept {
  return sum >= certain ? 1.0 : -std::expm1(-static_cast<double>(sum) * log_miss_unit);
}

/// Adds unless the sum is certain already; then what it is capped to does not depend on the order either.
inline void add_capped(log_miss& sum, log_miss value) noexcept {
  std::atomic_ref<log_miss> shared(sum);
  if (shared.load(std::memory_order_relaxed) < certain) {
    shared.fetch_add(value, std::memory_order_relaxed);
  }
}

/// The probability that an expanded vertex of `degree` in-edges draws a given one of them.
[[nodiscard]] inline double draw_probability(std::int64_t degree, hop_options options) noexcept {
  if (degree == 0) {
    return 0;
  }
  if (options.fanout < 0 || (!options.replace && degree <= options.fanout)) {
    return 1;
  }
  auto const fanout = static_cast<double>(options.fanout);
  auto const edges = static_cast<double>(degree);
  return options.replace ? -std::expm1(fanout * std::log1p(-1 / edges)) : fanout / edges;
}

/// The probability that a batch of `batch_size` of `num_seeds` places holds one of `times` given ones.
[[nodiscard]] inline double seed_probability(std::uint64_t times, std::int64_t num_seeds,
                                             std::int64_t batch_size) noexcept {
  double missed = 1;
  for (std::uint64_t i = 0; i < times && missed > 0; ++i) {
    auto const places = static_cast<double>(num_seeds) - static_cast<double>(i);
    missed *= std::max(0.0, places - static_cast<double>(batch_size)) / places;
  }
  return 1 - missed;
}

template <class Graph, class Slot>
struct spread_row {
  static constexpr std::int64_t ahead = 16;
  Graph graph;
  array_view<Graph::space, double const> frontier;
  hop_options options;
  Slot slot;
  array_view<Graph::space, log_miss> sums;

  void operator()(std::int64_t row) const {
    if (frontier[row] == 0) {
      return;
    }
    auto const value = log_miss_of(frontier[row] * draw_probability(graph.degree(row), options));
    auto const first = graph.offset(row);
    auto const degree = graph.degree(row);
    // An atomic addition waits for its cache line, so the lines of the next sums are asked for before.
    std::int64_t slots[ahead] = {};
    for (std::int64_t i = 0; i < degree + ahead; ++i) {
      if (i >= ahead) {
        add_capped(sums[slots[i % ahead]], value);
      }
      if (i < degree) {
        slots[i % ahead] = slot(graph.source(first + i));
        prefetch(&sums[slots[i % ahead]]);
      }
    }
  }
};

template <memory_space Space>
struct settle_row {
  array_view<Space, log_miss> sums;
  array_view<Space, double> frontier;
  array_view<Space, double> touched;
  bool expand_all;

  void operator()(std::int64_t row) const {
    double const fresh = (1 - touched[row]) * probability_of(sums[row]);
    touched[row] += fresh;
    frontier[row] = expand_all ? touched[row] : fresh;
  }
};

template <memory_space Space>
struct start_row {
  array_view<Space, log_miss> sums;
  array_view<Space, double> frontier;
  array_view<Space, double> touched;
  std::int64_t num_seeds;
  std::int64_t batch_size;

  void operator()(std::int64_t row) const {
    touched[row] = frontier[row] = seed_probability(sums[row], num_seeds, batch_size);
  }
};

template <memory_space Space>
struct clear_sum {
  array_view<Space, log_miss> sums;
  void operator()(std::int64_t i) const { sums[i] = 0; }
};

/// The state of a hotness estimate: seeds, then hop after hop `spread` and `settle`.
///
/// Rows may be those of a part; the sums of sources elsewhere lie behind those of the rows.
///
/// @shape  sums() [rows + elsewhere]
template <device_policy Policy>
class hotness_walk {
  static_assert(host_accessible(Policy::space), "hotness_walk adds up on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  hotness_walk(std::int64_t rows, std::int64_t elsewhere, Policy policy)
      : policy_(policy), sums_(rows + elsewhere, policy), frontier_(rows, policy), touched_(rows, std::move(policy)) {
    clear();
  }

  void add_seed(std::int64_t row) noexcept { ++sums_[row]; }

  void start(std::int64_t num_seeds, std::int64_t batch_size) {
    policy_.executor().for_each(
        frontier_.size(), start_row<space>{sums_.view(), frontier_.view(), touched_.view(), num_seeds, batch_size});
  }

  /// Adds to the sum at slot(u) for every in-edge from u that a frontier vertex may draw.
  template <vertex_id Vertex, class Slot>
  void spread(csr_view<space, Vertex> graph, hop_options options, Slot slot) {
    clear();
    policy_.executor().for_each(graph.num_rows(),
                                spread_row<csr_view<space, Vertex>, Slot>{graph, std::as_const(frontier_).view(),
                                                                          options, slot, sums_.view()});
  }

  void settle(frontier expand) {
    policy_.executor().for_each(frontier_.size(), settle_row<space>{sums_.view(), frontier_.view(), touched_.view(),
                                                                    expand == frontier::all});
  }

  [[nodiscard]] array_view<space, log_miss> sums() noexcept { return sums_.view(); }
  [[nodiscard]] buffer<Policy, double> result() && { return std::move(touched_); }

private:
  void clear() { policy_.executor().for_each(sums_.size(), clear_sum<space>{sums_.view()}); }

  Policy policy_;
  buffer<Policy, log_miss> sums_;
  buffer<Policy, double> frontier_;
  buffer<Policy, double> touched_;
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/arithmetic.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/row_search.hpp>
#include <glt/sample/hotness/detail/log_miss.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Returns the probability that an expanded vertex of `degree` in-edges draws a given edge.
[[nodiscard]] GLT_HOST_DEVICE inline double draw_probability(std::int64_t degree, hop_options options) noexcept {
  if (degree == 0) {
    return 0;
  }
  if (options.fanout < 0 || (!options.replace && degree <= options.fanout)) {
    return 1;
  }
  auto const fanout = static_cast<double>(options.fanout);
  auto const edges = static_cast<double>(degree);
  return options.replace ? probability_of_any(1 / edges, static_cast<std::uint64_t>(options.fanout)) : fanout / edges;
}

/// Returns the probability that a batch of `batch_size` of `num_seeds` places holds one of `times` given places.
[[nodiscard]] GLT_HOST_DEVICE inline double seed_probability(std::uint64_t times, std::int64_t num_seeds,
                                                             std::int64_t batch_size) noexcept {
  double missed = 1;
  for (std::uint64_t i = 0; i < times && missed > 0; ++i) {
    auto const places = static_cast<double>(num_seeds) - static_cast<double>(i);
    auto const others = places - static_cast<double>(batch_size);
    missed = rounded_product(missed, (others > 0 ? others : 0) / places);
  }
  return 1 - missed;
}

/// Returns the term that every in-edge of a frontier vertex adds to the sum of its source.
[[nodiscard]] GLT_HOST_DEVICE inline log_miss edge_value(double frontier, std::int64_t degree,
                                                         hop_options options) noexcept {
  return frontier == 0 ? 0 : log_miss_of(frontier * draw_probability(degree, options));
}

/// Ends a hop for one vertex whose sum is complete; returns its probability in the next frontier.
GLT_HOST_DEVICE inline double settle_touched(double& touched, log_miss sum, frontier expand) noexcept {
  double const fresh = rounded_product(1 - touched, probability_of(sum));
  touched += fresh;
  return expand == frontier::all ? touched : fresh;
}

template <class Graph, memory_space Space, class Slot>
struct spread_row {
  static constexpr std::int64_t ahead = 16;
  Graph graph;
  array_view<Space, double const> frontier;
  hop_options options;
  Slot slot;
  array_view<Space, log_miss> sums;

  void operator()(std::int64_t row) const {
    if (frontier[row] == 0) {
      return;
    }
    auto const first = graph.offset(row);
    auto const degree = graph.degree(row);
    auto const value = edge_value(frontier[row], degree, options);
    // An atomic addition waits for its cache line, so the lines of the next sums are prefetched.
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

// Returns the term that every edge of a row adds.
template <class Graph, memory_space Space>
struct value_row {
  Graph graph;
  array_view<Space, double const> frontier;
  hop_options options;
  array_view<Space, log_miss> values;

  GLT_HOST_DEVICE void operator()(std::int64_t row) const {
    values[row] = edge_value(frontier[row], graph.degree(row), options);
  }
};

// Work on adjacent edges, of any number of rows: equal shares for all degrees.
template <class Graph, memory_space Space, class Slot>
struct spread_edges {
  static constexpr std::int64_t size = 16;
  Graph graph;
  array_view<Space, log_miss const> values;
  Slot slot;
  array_view<Space, log_miss> sums;

  GLT_HOST_DEVICE void operator()(std::int64_t share) const {
    auto e = share * size;
    auto const all = graph.offset(graph.num_rows());
    auto const last = all - e < size ? all : e + size;
    for (auto row = row_of_edge(graph.offsets(), e); e < last; ++row) {
      auto const end = graph.offset(row + 1) < last ? graph.offset(row + 1) : last;
      for (auto const value = values[row]; value > 0 && e < end; ++e) {
        add_capped(sums[slot(graph.source(e))], value);
      }
      e = end;
    }
  }
};

template <memory_space Space>
struct settle_row {
  array_view<Space, log_miss> sums;
  array_view<Space, double> next;
  array_view<Space, double> touched;
  frontier expand;

  GLT_HOST_DEVICE void operator()(std::int64_t row) const {
    next[row] = settle_touched(touched[row], sums[row], expand);
  }
};

template <memory_space Space>
struct start_row {
  array_view<Space, log_miss> sums;
  array_view<Space, double> frontier;
  array_view<Space, double> touched;
  std::int64_t num_seeds;
  std::int64_t batch_size;

  GLT_HOST_DEVICE void operator()(std::int64_t row) const {
    touched[row] = frontier[row] = seed_probability(sums[row], num_seeds, batch_size);
  }
};

template <memory_space Space, class Vertex>
struct count_seed {
  array_view<Space, Vertex> seeds;
  array_view<Space, log_miss> sums;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { atomic_add(&sums[seeds[i]], log_miss{1}); }
};

template <memory_space Space>
struct clear_sum {
  array_view<Space, log_miss> sums;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { sums[i] = 0; }
};

/// State of a hotness estimate: seeds, then `spread` and `settle` hop after hop.
///
/// The rows may be a part's rows; sums of remote sources follow the sums of the rows.
///
/// @shape  sums() [rows + elsewhere]
template <device_policy Policy>
class hotness_walk {
  static constexpr memory_space space = Policy::space;

public:
  hotness_walk(std::int64_t rows, std::int64_t elsewhere, Policy policy)
      : policy_(policy), sums_(rows + elsewhere, policy), frontier_(rows, policy), touched_(rows, policy),
        values_(host_policy<Policy> ? 0 : rows, std::move(policy)) {
    clear();
  }

  void add_seed(std::int64_t row) noexcept
    requires host_policy<Policy>
  {
    ++sums_[row];
  }
  /// @pre    seeds are in [0, rows); not checked
  template <class Vertex>
  void add_seeds(array_view<space, Vertex> seeds) {
    if constexpr (host_policy<Policy>) {
      for (auto const seed : seeds) {
        add_seed(seed);
      }
    } else {
      policy_.executor().for_each(seeds.size(), count_seed<space, Vertex>{seeds, sums_.view()});
    }
  }

  void start(std::int64_t num_seeds, std::int64_t batch_size) {
    policy_.executor().for_each(
        frontier_.size(), start_row<space>{sums_.view(), frontier_.view(), touched_.view(), num_seeds, batch_size});
  }

  /// Adds to the sum at slot(u) for every in-edge from u that a frontier vertex may draw. The graph may be in another
  /// memory space that the executor reaches.
  template <memory_space GraphSpace, vertex_id Vertex, class Slot>
  void spread(csr_view<GraphSpace, Vertex> graph, hop_options options, Slot slot) {
    using graph_type = csr_view<GraphSpace, Vertex>;
    clear();
    auto const ex = policy_.executor();
    auto const frontier = std::as_const(frontier_).view();
    if constexpr (host_policy<Policy>) {
      ex.for_each(graph.num_rows(), spread_row<graph_type, space, Slot>{graph, frontier, options, slot, sums_.view()});
    } else {
      constexpr auto size = spread_edges<graph_type, space, Slot>::size;
      ex.for_each(graph.num_rows(), value_row<graph_type, space>{graph, frontier, options, values_.view()});
      ex.for_each((graph.num_edges() + size - 1) / size,
                  spread_edges<graph_type, space, Slot>{graph, std::as_const(values_).view(), slot, sums_.view()});
    }
  }

  void settle(frontier expand) {
    policy_.executor().for_each(frontier_.size(),
                                settle_row<space>{sums_.view(), frontier_.view(), touched_.view(), expand});
  }

  [[nodiscard]] array_view<space, log_miss> sums() noexcept { return sums_.view(); }
  [[nodiscard]] buffer<Policy, double> result() && { return std::move(touched_); }

private:
  void clear() { policy_.executor().for_each(sums_.size(), clear_sum<space>{sums_.view()}); }

  Policy policy_;
  buffer<Policy, log_miss> sums_;
  buffer<Policy, double> frontier_;
  buffer<Policy, double> touched_;
  buffer<Policy, log_miss> values_; // of rows, if edges are spread in equal shares
};

} // namespace glt::detail

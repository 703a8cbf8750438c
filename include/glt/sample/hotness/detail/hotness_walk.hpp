// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/arithmetic.hpp>
#include <glt/core/detail/processor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/row_draws.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Value of −ln(1 − p) in units of 2⁻⁵⁰: an integer, so that sums do not depend on the order.
///
/// Logarithms and exponentials are computed in integers, too: results of mathematics libraries differ in the last bits
/// between machines, and between hosts and devices.
using log_miss = std::uint64_t;

/// Value from which a probability is 1 in every bit: e⁻⁴⁴ < 2⁻⁶³. Sums stop here, so that they never overflow.
inline constexpr log_miss certain = log_miss{44} << 50;

/// Constant ln 2 in units of 2⁻⁵⁸.
inline constexpr std::uint64_t ln2_58 = 0x2c5c85fdf473de6;

/// Computes −ln(1 − p) in units of 2⁻⁵⁸, for p in [0, 1).
///
/// With 1 − p = 2⁻ʰ · u and u in [1/2, 1): u is stretched to 1 − y, with y up to 1/17, by one of 16 factors,
/// whose logarithms are known, and −ln(1 − y) is a power series.
///
/// @cost   18 multiplications
[[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t minus_ln_58(double p) noexcept {
  constexpr std::uint64_t half_of_factor[] = {
      // 16 / (17 + i), in units of 2⁻⁶⁴
      0xf0f0f0f0f0f0f0f1, 0xe38e38e38e38e38e, 0xd79435e50d79435e, 0xcccccccccccccccd,
      0xc30c30c30c30c30c, 0xba2e8ba2e8ba2e8c, 0xb21642c8590b2164, 0xaaaaaaaaaaaaaaab,
      0xa3d70a3d70a3d70a, 0x9d89d89d89d89d8a, 0x97b425ed097b425f, 0x9249249249249249,
      0x8d3dcb08d3dcb08d, 0x8888888888888889, 0x8421084210842108, 0x8000000000000000};
  constexpr std::uint64_t ln_of_factor[] = {
      // in units of 2⁻⁶⁴
      0xa1ecff97c91e267b, 0x934b1089a6dc93c2, 0x8573b71682a7d21b, 0x785228689c9b3653,
      0x6bd4a5492337419d, 0x5febe8ef60546fb8, 0x548ab81ce28f5f38, 0x49a58844d36e49e1,
      0x3f3238d96766f2fb, 0x3527da7915b3c6de, 0x2b7e80d6a87b63f7, 0x222f1d044fc8f7bc,
      0x19335e5d594988ae, 0x108598b59e3a0689, 0x0820aec4f3a22238, 0};
  constexpr std::uint64_t even[] = {// 1/14, 1/12, … 1/4, 1/2, in units of 2⁻⁶⁴
                                    0x1249249249249249, 0x1555555555555555, 0x199999999999999a, 0x2000000000000000,
                                    0x2aaaaaaaaaaaaaab, 0x4000000000000000, 0x8000000000000000};
  constexpr std::uint64_t odd[] = {// 1/15, 1/13, … 1/5, 1/3
                                   0x1111111111111111, 0x13b13b13b13b13b1, 0x1745d1745d1745d1, 0x1c71c71c71c71c72,
                                   0x2492492492492492, 0x3333333333333333, 0x5555555555555555};
  auto const half = static_cast<std::int64_t>(p * 0x1p63);      // a conversion without a branch
  auto const missed = 0 - 2 * static_cast<std::uint64_t>(half); // (1 − p) · 2⁶⁴; 0 stands for 2⁶⁴
  if (missed == 0) {
    return 0;
  }
  int const halvings = leading_zeros(missed);
  std::uint64_t const u = missed << halvings;
  std::uint64_t const i = (u >> 59) & 15;
  std::uint64_t const below = ((17 + i) << 59) - u; // the factor's inverse less u
  std::uint64_t const y = high_product(below << 1, half_of_factor[i]);
  std::uint64_t const square = high_product(y, y);
  std::uint64_t of_even = 0; // two sums at the same time
  std::uint64_t of_odd = 0;
  for (int k = 0; k < 7; ++k) {
    of_even = even[k] + high_product(of_even, square);
    of_odd = odd[k] + high_product(of_odd, square);
  }
  std::uint64_t const series = y + high_product(square, of_even + high_product(y, of_odd));
  return static_cast<std::uint64_t>(halvings) * ln2_58 + ((ln_of_factor[i] + series) >> 6);
}

/// Computes 1 − e⁻ˣ.
///
/// @pre    x, in units of 2⁻⁵⁸, is below 44; not checked
/// @cost   15 multiplications
[[nodiscard]] GLT_HOST_DEVICE constexpr double one_minus_exp_58(std::uint64_t x) noexcept {
  constexpr std::uint64_t inverse_of_ln2 = 0xb8aa3b295c17f0bb; // in units of 2⁻⁶³
  constexpr std::uint64_t of_sixteenths[] = {                  // 1 − e^(−j/16), in units of 2⁻⁶⁴
                                             0,
                                             0x0f82a021c7eae18d,
                                             0x1e14aed893eef3c4,
                                             0x2bc4bf69fbc421fd,
                                             0x38a0830a9befa8bd,
                                             0x44b4d6906e840f66,
                                             0x500dcf50b38b8aac,
                                             0x5ab6c7364817b94f,
                                             0x64ba681c834fb00c,
                                             0x6e22b679f54ba802,
                                             0x76f91b65b360c2a7,
                                             0x7f466e0137fefc9f};
  constexpr std::uint64_t coefficients[] = {
      // 1/11!, 1/10!, … 1/3!, 1/2!, in units of 2⁻⁶⁴
      0x0000006b99159fd5, 0x0000049f93edde28, 0x00002e3bc74aad8e, 0x0001a01a01a01a02, 0x000d00d00d00d00d,
      0x005b05b05b05b05b, 0x0222222222222222, 0x0aaaaaaaaaaaaaab, 0x2aaaaaaaaaaaaaab, 0x8000000000000000};
  std::uint64_t const halvings = high_product(x, inverse_of_ln2) >> 57;
  std::uint64_t const left = x - halvings * ln2_58;
  std::uint64_t const f = (left & ((std::uint64_t{1} << 54) - 1)) << 6; // beyond sixteenths, 2⁻⁶⁴
  std::uint64_t sum = 0;
  for (auto const coefficient : coefficients) {
    sum = coefficient - high_product(sum, f);
  }
  std::uint64_t const w = f - high_product(f, high_product(f, sum)); // 1 − e⁻ᶠ
  std::uint64_t const sixteenths = of_sixteenths[left >> 54];
  std::uint64_t const of_left = sixteenths + w - high_product(sixteenths, w);
  std::uint64_t const before = halvings == 0 ? 0 : 0 - (std::uint64_t{1} << (64 - halvings));
  return static_cast<double>(before + (of_left >> halvings)) * 0x1p-64;
}

[[nodiscard]] GLT_HOST_DEVICE constexpr log_miss log_miss_of(double probability) noexcept {
  return probability >= 1 ? certain : (minus_ln_58(probability) + 128) >> 8;
}

[[nodiscard]] GLT_HOST_DEVICE constexpr double probability_of(log_miss sum) noexcept {
  return sum >= certain ? 1.0 : one_minus_exp_58(sum << 8);
}

/// Returns the probability of at least one of `times` independent events of probability p each.
[[nodiscard]] GLT_HOST_DEVICE constexpr double probability_of_any(double p, std::uint64_t times) noexcept {
  if (p >= 1) {
    return times > 0 ? 1 : 0;
  }
  auto const once = minus_ln_58(p);
  bool const sure = once > 0 && times >= (certain << 8) / once;
  return sure ? 1 : one_minus_exp_58(once * times);
}

/// Adds unless the sum is certain already; the capped sum does not depend on the order either.
GLT_HOST_DEVICE inline void add_capped(log_miss& sum, log_miss value) noexcept {
  // Values up to this bound cannot overflow, even if all threads add at once; larger values are added one by one.
  constexpr log_miss most_added_at_once = log_miss{1} << 44;
  auto before = atomic_load(&sum);
  if (value <= most_added_at_once) {
    if (before < certain) {
      atomic_add(&sum, value);
    }
    return;
  }
  while (before < certain) {
    auto const found = atomic_compare_exchange(&sum, before, before + value);
    if (found == before) {
      return;
    }
    before = found;
  }
}

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
  void clear() { policy_.executor().for_each(sums_.size(), fill_elements<space, log_miss>{sums_.view(), 0}); }

  Policy policy_;
  buffer<Policy, log_miss> sums_;
  buffer<Policy, double> frontier_;
  buffer<Policy, double> touched_;
  buffer<Policy, log_miss> values_; // of rows, if edges are spread in equal shares
};

} // namespace glt::detail

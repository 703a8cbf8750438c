// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

/// Scale that turns weights into whole numbers: their sums are exact in any order and on any number of ranks.
///
/// A weight keeps 53 bits below the largest weight for fewer than 2⁹ vertices, and one bit less whenever their number
/// doubles. A weight above 0 stays at least 1.
class weight_scale {
public:
  /// Makes the scale for the `count` weights of all vertices, whose maximum is `largest`; the sum is then below 2⁶³.
  weight_scale(double largest, std::int64_t count) noexcept
      : largest_(largest),
        bits_(std::min(53, 62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))))) {}

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(double weight) const noexcept {
    if (!(weight > 0)) {
      return 0;
    }
    std::int64_t const share = std::llround(std::ldexp(weight / largest_, bits_));
    return share < 1 ? 1 : share;
  }

private:
  double largest_;
  int bits_;
};

// Returns the place of an invalid weight, or the number of weights.
template <memory_space Space, class Weight>
struct place_of_wrong_weight {
  array_view<Space, Weight> weights;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    auto const weight = static_cast<double>(weights[i]);
    return weight >= 0 && !std::isinf(weight) ? weights.size() : i;
  }
};

template <memory_space Space, class Weight>
struct weight_at {
  array_view<Space, Weight> weights;
  GLT_HOST_DEVICE double operator()(std::int64_t i) const { return static_cast<double>(weights[i]); }
};

template <memory_space Space, class Weight, class Scale>
struct share_of_weight {
  array_view<Space, Weight> weights;
  Scale scale;
  array_view<Space, std::int64_t> shares;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { shares[i] = scale(static_cast<double>(weights[i])); }
};

// Finds, for the first number of each bucket, the first vertex whose share ends after it; the entry that closes the
// last bucket uses the last number of all. For a range of buckets only the first is searched.
template <memory_space Space>
struct first_vertices_of_buckets {
  array_view<Space, std::int64_t const> ends;
  array_view<Space, std::int64_t> guide;
  int shift;
  GLT_HOST_DEVICE void operator()(std::int64_t first, std::int64_t last) const {
    auto vertex = first_where(0, ends.size() - 1, [&](std::int64_t v) { return ends[v] > number(first); });
    for (auto bucket = first; bucket < last; ++bucket) {
      while (ends[vertex] <= number(bucket)) {
        ++vertex;
      }
      guide[bucket] = vertex;
    }
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t number(std::int64_t bucket) const {
    return bucket + 1 < guide.size() ? bucket << shift : ends[ends.size() - 1] - 1;
  }
};

/// Returns the largest of some weights, and 0 for none.
///
/// @shape  weights [n] of the vertices from `first` on
/// @where  synchronises
/// @throws precondition_error  if a weight is negative, infinite or not a number, naming the first vertex
/// @cost   O(n)
template <device_policy Policy, class Weight>
[[nodiscard]] double largest_weight(Policy const& policy, array_view<Policy::space, Weight> weights,
                                    std::int64_t first = 0) {
  auto const ex = policy.executor();
  auto const wrong = ex.reduce(weights.size(), weights.size(),
                               detail::place_of_wrong_weight<Policy::space, Weight>{weights}, detail::smaller{});
  if (wrong < weights.size()) {
    throw precondition_error(detail::message("weight of vertex ", first + wrong, " is ",
                                             static_cast<double>(read_element(policy, weights, wrong)),
                                             "; a weight is finite and not negative"));
  }
  return ex.reduce(weights.size(), 0.0, detail::weight_at<Policy::space, Weight>{weights}, detail::larger<double>{});
}

/// View that finds the vertex of a number below the sum of all weights; each vertex has as many numbers as its weight.
///
/// @shape  ends [n], ends[v] = w₀ + … + w_v · guide [buckets + 1]
template <memory_space Space>
struct vertex_weights_view {
  array_view<Space, std::int64_t const> ends;
  array_view<Space, std::int64_t const> guide; ///< guide[g] is the vertex of number g · 2^shift
  int shift = 0;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t total() const noexcept {
    return ends.empty() ? 0 : ends[ends.size() - 1];
  }

  /// @pre    number is in [0, total()); not checked
  /// @cost   O(1) on average over all numbers, O(log n) at worst
  /// @source guide tables, Chen & Asau, AIIE Transactions 6(2), 1974
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t find(std::int64_t number) const noexcept {
    std::int64_t const bucket = number >> shift;
    return detail::first_where(guide[bucket], guide[bucket + 1],
                               [&](std::int64_t vertex) { return ends[vertex] > number; });
  }
};

} // namespace detail

/// Table for drawing vertices in proportion to their weights, such as degree^0.75.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  one weight per vertex, by original id
/// @cost   16 bytes a vertex at most; O(n) to build
template <device_policy Policy = device::cpu>
class vertex_weights {
public:
  static constexpr memory_space space = Policy::space;
  using view_type = detail::vertex_weights_view<space>; ///< for a `link_sampler`

  vertex_weights() = default;

  /// Takes the weights of all vertices.
  ///
  /// @shape  weights [V]
  /// @where  synchronises, like the other constructor
  /// @throws precondition_error  if a weight is negative, infinite or not a number, or there are vertices and all
  ///                             weights are 0
  template <class Weight>
  explicit vertex_weights(array_view<space, Weight> weights, Policy policy = {})
      : vertex_weights(weights, detail::weight_scale(detail::largest_weight(policy, weights), weights.size()), policy) {
    if (!weights.empty() && total() == 0) {
      throw precondition_error(detail::message("all weights of ", weights.size(),
                                               " vertices are 0; give a vertex that may be drawn a weight above 0"));
    }
  }

  /// Takes the weights of a range of the vertices, in the scale of all vertices.
  ///
  /// @shape  weights [n]
  /// @pre    the weights passed `largest_weight`; not checked
  template <class Weight>
  vertex_weights(array_view<space, Weight> weights, detail::weight_scale scale, Policy policy = {})
      : sums_(weights.size() + 1, policy), guide_(0, policy) {
    auto const ex = policy.executor();
    buffer<Policy, std::int64_t> shares(weights.size(), policy);
    ex.for_each(weights.size(),
                detail::share_of_weight<space, Weight, detail::weight_scale>{weights, scale, shares.view()});
    ex.exclusive_scan(std::as_const(shares).view(), sums_.view());
    total_ = detail::read_element(policy, std::as_const(sums_).view(), weights.size());
    if (total_ > 0) {
      make_guide();
    }
  }

  [[nodiscard]] std::int64_t num_vertices() const noexcept { return ends().size(); }
  /// Returns the sum of the weights, as whole numbers.
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }
  [[nodiscard]] view_type view() const noexcept { return {ends(), guide_.view(), shift_}; }

private:
  [[nodiscard]] array_view<space, std::int64_t const> ends() const noexcept {
    return sums_.empty() ? sums_.view() : sums_.view().subview(1, sums_.size() - 1);
  }

  // One bucket a vertex or up to half as many; the last entry closes the last bucket.
  void make_guide() {
    auto const last = total_ - 1;
    while ((last >> shift_) >= num_vertices()) {
      ++shift_;
    }
    auto const buckets = (last >> shift_) + 1;
    guide_.resize(buckets + 1);
    guide_.policy().executor().for_ranges(guide_.size(), 64,
                                          detail::first_vertices_of_buckets<space>{ends(), guide_.view(), shift_});
  }

  buffer<Policy, std::int64_t> sums_; // of the shares before every vertex, and of all
  buffer<Policy, std::int64_t> guide_;
  std::int64_t total_ = 0;
  int shift_ = 0;
};

} // namespace glt

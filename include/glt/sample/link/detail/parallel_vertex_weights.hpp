// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>

#include <cmath>
#include <cstdint>
#include <utility>

namespace glt::detail {

// The place of a weight that is none, or `none`.
template <memory_space Space, class Weight>
struct place_of_wrong_weight {
  array_view<Space, Weight> weights;
  std::int64_t none;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    auto const weight = static_cast<double>(weights[i]);
    return weight >= 0 && !std::isinf(weight) ? none : i;
  }
};

template <memory_space Space, class Weight>
struct weight_at {
  array_view<Space, Weight> weights;
  GLT_HOST_DEVICE double operator()(std::int64_t i) const { return static_cast<double>(weights[i]); }
};
struct larger_weight {
  GLT_HOST_DEVICE double operator()(double a, double b) const { return a < b ? b : a; }
};

template <memory_space Space, class Weight, class Scale>
struct share_of_weight {
  array_view<Space, Weight> weights;
  Scale scale;
  array_view<Space, std::int64_t> shares;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { shares[i] = scale(static_cast<double>(weights[i])); }
};

// ends[v] = shares[0] + … + shares[v], from sums that start with 0.
template <memory_space Space>
struct end_of_share {
  array_view<Space, std::int64_t const> sums;
  array_view<Space, std::int64_t> ends;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { ends[i] = sums[i + 1]; }
};

// The first vertex whose share ends behind the first number of a bucket; behind the last number of all for the entry
// that closes the last bucket.
template <memory_space Space>
struct first_vertex_of_bucket {
  array_view<Space, std::int64_t const> ends;
  array_view<Space, std::int64_t> guide;
  int shift;
  GLT_HOST_DEVICE void operator()(std::int64_t bucket) const {
    auto const number = bucket + 1 < guide.size() ? bucket << shift : ends[ends.size() - 1] - 1;
    std::int64_t low = 0;
    std::int64_t high = ends.size() - 1;
    while (low < high) {
      std::int64_t const middle = low + (high - low) / 2;
      if (ends[middle] > number) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    guide[bucket] = low;
  }
};

// Writes the ends of the shares of all weights and returns their sum.
template <device_policy Policy, class Weight, class Scale>
std::int64_t sum_shares(Policy const& policy, array_view<Policy::space, Weight> weights, Scale scale,
                        array_view<Policy::space, std::int64_t> ends) {
  if (weights.empty()) {
    return 0;
  }
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  buffer<Policy, std::int64_t> sums(weights.size() + 1, policy);
  ex.for_each(weights.size(), share_of_weight<space, Weight, Scale>{weights, scale, ends});
  ex.exclusive_scan(array_view<space, std::int64_t const>(ends), sums.view());
  ex.for_each(weights.size(), end_of_share<space>{std::as_const(sums).view(), ends});
  return read_element(policy, std::as_const(sums).view(), weights.size());
}

} // namespace glt::detail

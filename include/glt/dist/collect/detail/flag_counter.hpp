// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// How many rows of a list are flagged; they come first.
template <memory_space Space>
struct count_flagged {
  local_id const* rows;
  array_view<Space, std::int64_t const> offsets;
  array_view<Space, std::int64_t> counts;
  GLT_HOST_DEVICE void operator()(std::int64_t list) const {
    auto first = offsets[list];
    auto last = offsets[list + 1];
    while (first < last) {
      auto const middle = first + (last - first) / 2;
      if (rows[middle] < 0) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    counts[list] = first - offsets[list];
  }
};

/// Counts the flagged rows of lists that lie one behind the other; reusable.
template <device_policy Policy>
class flag_counter {
  static constexpr memory_space space = Policy::space;

public:
  explicit flag_counter(Policy policy)
      : policy_(std::move(policy)), counts_(0, policy_), offsets_(0, policy_) {}

  /// @shape  rows [offsets.back()] · offsets [lists + 1] → [lists], valid until the next call
  /// @where  offsets in ordinary memory; waits for the counts
  std::span<std::int64_t const> count(local_id const* rows, std::span<std::int64_t const> offsets) {
    offsets_.resize(std::ssize(offsets));
    counts_.resize(std::ssize(offsets) - 1);
    known_.resize(offsets.size() - 1);
    copy_in(policy_, host_view<std::int64_t const>(offsets.data(), std::ssize(offsets)), offsets_.view());
    policy_.executor().for_each(counts_.size(),
                                count_flagged<space>{rows, std::as_const(offsets_).view(), counts_.view()});
    copy_out(policy_, std::as_const(counts_).view(), host_view<std::int64_t>(known_));
    return known_;
  }

private:
  Policy policy_;
  buffer<Policy, std::int64_t> counts_;
  buffer<Policy, std::int64_t> offsets_;
  std::vector<std::int64_t> known_;
};

} // namespace glt::detail

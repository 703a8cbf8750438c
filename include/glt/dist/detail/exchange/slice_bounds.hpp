// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Returns the slice that contains item i: the last slice that begins at or before it.
///
/// @pre    begin_of(slice) ascends, and begin_of(0) <= i; not checked
/// @cost   O(log num_slices)
template <class BeginOf>
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t slice_holding(std::int64_t num_slices, std::int64_t i,
                                                                   BeginOf begin_of) {
  return first_where(1, num_slices, [&](std::int64_t slice) { return begin_of(slice) > i; }) - 1;
}

template <memory_space Space, class Key>
struct find_slice_bounds {
  Key const* keys;
  array_view<Space, std::int64_t const> offsets;
  array_view<Space, std::int64_t const> wanted;
  array_view<Space, std::int64_t> found;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const slice = i / wanted.size();
    auto const key = wanted[i % wanted.size()];
    found[i] = first_where(offsets[slice], offsets[slice + 1], [&](std::int64_t k) { return keys[k] >= key; });
  }
};

/// Look-up of the places at which keys begin in slices of a list; reusable.
template <device_policy Policy>
class slice_bounds {
  static constexpr memory_space space = Policy::space;

public:
  explicit slice_bounds(Policy policy = {}) : policy_(policy), numbers_(0, policy), found_(0, policy) {}

  /// Returns every slice's first place whose key is not below the wanted key, or the slice's end.
  ///
  /// @shape  keys [offsets.back()] · offsets [slices + 1] · wanted [n] → [slices, n], valid until the next call
  /// @where  keys in memory of `Policy`; waits for the result
  /// @pre    in a slice, keys below a wanted one come before all others; not checked
  template <class Key>
  std::span<std::int64_t const> find(Key const* keys, std::span<std::int64_t const> offsets,
                                     std::span<std::int64_t const> wanted) {
    known_.assign(offsets.begin(), offsets.end());
    known_.insert(known_.end(), wanted.begin(), wanted.end());
    numbers_.resize(std::ssize(known_));
    copy_in(policy_, host_view<std::int64_t const>(known_), numbers_.view());
    auto const numbers = std::as_const(numbers_).view();
    known_.resize((offsets.size() - 1) * wanted.size());
    found_.resize(std::ssize(known_));
    policy_.executor().for_each(found_.size(),
                                find_slice_bounds<space, Key>{keys, numbers.subview(0, std::ssize(offsets)),
                                                              numbers.subview(std::ssize(offsets), std::ssize(wanted)),
                                                              found_.view()});
    copy_out(policy_, found_.view(), host_view<std::int64_t>(known_));
    return known_;
  }

private:
  Policy policy_;
  buffer<Policy, std::int64_t> numbers_; // offsets and wanted keys
  buffer<Policy, std::int64_t> found_;
  std::vector<std::int64_t> known_;
};

} // namespace glt::detail

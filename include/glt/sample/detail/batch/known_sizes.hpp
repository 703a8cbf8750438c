// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/view.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

template <memory_space Space, class T>
struct set_to_zero {
  array_view<Space, T> values;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { values[i] = 0; }
};

/// Sizes of a batch during sampling, by number, in memory of the policy. Each is written once, so that work that is
/// enqueued early finds it, and all are read in one copy.
template <device_policy Policy>
class known_sizes {
  static constexpr memory_space space = Policy::space;

public:
  explicit known_sizes(Policy policy = {}) : policy_(policy), sizes_(0, policy) {}

  /// Forgets all sizes and makes room for `most`; size number 0 and sizes that are not written are 0.
  ///
  /// @where  enqueues only
  void clear(std::int64_t most) {
    sizes_.resize(std::max(sizes_.size(), most + 1));
    next_ = 1;
    set_to_zero_from(0);
  }

  /// Makes room for `more` further sizes; invalidates places and sizes that were returned.
  ///
  /// @where  enqueues only
  void reserve(std::int64_t more) {
    if (auto const before = sizes_.size(); next_ + more > before) {
      sizes_.resize(2 * (next_ + more));
      set_to_zero_from(before);
    }
  }

  /// Returns the number of a size that will be written.
  ///
  /// @pre    there is room; not checked
  [[nodiscard]] std::int64_t add() noexcept { return next_++; }

  /// Returns a size for work that is enqueued now; on hosts its present value.
  [[nodiscard]] bounded_size<space> operator[](std::int64_t number) const noexcept {
    if constexpr (host_policy<Policy>) {
      return {.bound = sizes_[number]};
    } else {
      return {.exact = place(number)};
    }
  }
  /// Returns the place of a size.
  [[nodiscard]] array_view<space, std::int64_t const> place(std::int64_t number) const noexcept {
    return sizes_.view().subview(number, 1);
  }
  [[nodiscard]] array_view<space, std::int64_t> place(std::int64_t number) noexcept {
    return sizes_.view().subview(number, 1);
  }

  /// Copies all sizes to the host.
  ///
  /// @cost   waits for work that was enqueued before
  void read() {
    read_.resize(static_cast<std::size_t>(next_));
    copy_out(policy_, std::as_const(sizes_).view().subview(0, next_), host_view<std::int64_t>(read_));
  }
  /// Returns the value that a size had at the last `read`.
  ///
  /// @pre    the number was added before; not checked
  [[nodiscard]] std::int64_t value(std::int64_t number) const noexcept {
    return read_[static_cast<std::size_t>(number)];
  }

private:
  void set_to_zero_from(std::int64_t first) {
    auto const rest = sizes_.view().subview(first, sizes_.size() - first);
    policy_.executor().for_each(rest.size(), set_to_zero<space, std::int64_t>{rest});
  }

  Policy policy_;
  buffer<Policy, std::int64_t> sizes_;
  std::int64_t next_ = 1;
  std::vector<std::int64_t> read_;
};

} // namespace glt::detail

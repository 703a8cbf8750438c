// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt::detail {

/// A size of a batch that is being sampled, in memory of those who sample.
///
/// @shape  [1], or empty for 0
template <memory_space Space>
struct known_size {
  array_view<Space, std::int64_t const> place;
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t operator()() const noexcept {
    return place.empty() ? 0 : place[0];
  }
};

template <memory_space Space, class T>
struct set_to_zero {
  array_view<Space, T> values;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { values[i] = 0; }
};

/// The sizes of a batch, by numbers: each is written once, so that work that is enqueued early finds it, and all are
/// read in one copy.
template <device_policy Policy>
class known_sizes {
  static constexpr memory_space space = Policy::space;

public:
  explicit known_sizes(Policy policy = {}) : policy_(policy), sizes_(0, policy) {}

  /// Forgets all sizes and makes room for so many; number 0 is a size of 0, and so is what is not written.
  ///
  /// @where  enqueues only
  void clear(std::int64_t most) {
    sizes_.resize(most + 1);
    next_ = 1;
    policy_.executor().for_each(sizes_.size(), set_to_zero<space, std::int64_t>{sizes_.view()});
  }

  /// The number of a size that will be written.
  ///
  /// @pre    there is room; not checked
  [[nodiscard]] std::int64_t add() noexcept { return next_++; }

  [[nodiscard]] known_size<space> operator[](std::int64_t number) const noexcept {
    return {sizes_.view().subview(number, 1)};
  }
  /// Where a size is to be written.
  [[nodiscard]] array_view<space, std::int64_t> place(std::int64_t number) noexcept {
    return sizes_.view().subview(number, 1);
  }

  /// Copies all sizes to the host.
  ///
  /// @cost   waits for what was enqueued before
  void read() {
    read_.resize(static_cast<std::size_t>(next_));
    copy_out(policy_, std::as_const(sizes_).view().subview(0, next_), host_view<std::int64_t>(read_));
  }
  /// A size that was written when `read` was called.
  ///
  /// @pre    the number was added before; not checked
  [[nodiscard]] std::int64_t value(std::int64_t number) const noexcept {
    return read_[static_cast<std::size_t>(number)];
  }

private:
  Policy policy_;
  buffer<Policy, std::int64_t> sizes_;
  std::int64_t next_ = 1;
  std::vector<std::int64_t> read_;
};

} // namespace glt::detail

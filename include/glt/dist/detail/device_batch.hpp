// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

struct no_work {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t) const { return 0; }
};
struct first_of_two {
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t) const { return a; }
};

/// Waits on the host until all work enqueued on a policy is done.
template <device_policy Policy>
void wait_until_done(Policy const& policy) {
  if constexpr (requires { policy.synchronize(); }) {
    policy.synchronize();
  } else if constexpr (!host_policy<Policy>) {
    static_cast<void>(policy.executor().reduce(1, std::int64_t{0}, no_work{}, first_of_two{}));
  }
}

/// Lets work enqueued on `later` from now on wait for work already enqueued on `earlier`.
template <device_policy Policy>
void order_policies(Policy const& later, Policy const& earlier) {
  if constexpr (requires { later.wait_for(earlier); }) {
    later.wait_for(earlier);
  } else {
    wait_until_done(earlier);
  }
}

/// Returns a policy of the same memory whose work runs beside the later work of `policy`, behind its enqueued work.
/// Without streams, returns the same policy.
template <device_policy Policy>
[[nodiscard]] Policy beside(Policy const& policy) {
  if constexpr (requires { policy.beside(); }) {
    Policy made = policy.beside();
    order_policies(made, policy);
    return made;
  } else {
    return policy;
  }
}

/// Copy of a host's batch in memory of a policy; reusable.
///
/// If the policy has memory to stage copies in (page-locked memory), `load` returns while the copy is on its way.
/// Otherwise it may return only when the copy is done.
template <device_policy Policy, class HostBatch>
class device_batch {
  static_assert(HostBatch::policy_type::space == memory_space::host,
                "to_device copies from ordinary memory: give it a loader on device::cpu, or use a loader on the "
                "device policy itself");

public:
  using batch_type = typename HostBatch::template on_policy<Policy>;

  explicit device_batch(Policy policy) : policy_(std::move(policy)), staging_(make_staging(policy_)) {}

  [[nodiscard]] batch_type const& operator*() const noexcept { return copied_; }

  /// Copies a batch, which may change afterwards, except arrays in page-locked blocks: they are read until the copy is
  /// done.
  ///
  /// @where  may only enqueue
  /// @pre    the copy of the previous batch is done; not checked
  void load(HostBatch const& from, std::span<std::span<std::byte const> const> locked = {}) {
    if constexpr (is_staged) {
      locked_ = locked;
      std::int64_t bytes = 0;
      copy_members(from, copied_,
                   [&](auto const& values, auto&) { bytes += is_locked(values) ? 0 : lines_of(values); });
      staging_.clear();
      staging_.resize(bytes);
      staged_ = 0;
    }
    copy_members(from, copied_, [this](auto const& values, auto& made) { this->copy_array(values, made); });
  }

private:
  static constexpr std::int64_t line_bytes = 64;
  static constexpr bool is_staged = requires(Policy const& policy) { policy.staging(); };

  static auto make_staging([[maybe_unused]] Policy const& policy) {
    if constexpr (is_staged) {
      using staging_policy = decltype(policy.staging());
      return buffer<staging_policy, std::byte>(0, policy.staging());
    } else {
      return std::nullopt;
    }
  }

  template <class U>
  [[nodiscard]] static std::int64_t lines_of(U const& values) noexcept {
    auto const bytes = values.size() * static_cast<std::int64_t>(sizeof(typename U::value_type));
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
  }

  template <class U>
  [[nodiscard]] bool is_locked(U const& values) const noexcept {
    auto const* const first = reinterpret_cast<std::byte const*>(values.data());
    return std::ranges::any_of(locked_, [&](auto const& block) {
      return std::less_equal<>{}(block.data(), first) && std::less<>{}(first, block.data() + block.size());
    });
  }

  template <class Host, class U>
  void copy_array(buffer<Host, U> const& values, buffer<Policy, U>& made) {
    adopt_policy(policy_, made);
    made.clear(); // old values need not move
    made.resize(values.size());
    if constexpr (is_staged) {
      auto const bytes = values.size() * static_cast<std::int64_t>(sizeof(U));
      if (bytes > 0 && is_locked(values)) {
        policy_.resource().copy(made.data(), values.data(), static_cast<std::size_t>(bytes));
      } else if (bytes > 0) {
        auto* const staged = staging_.data() + staged_;
        copy_bytes(staged, values.data(), bytes);
        policy_.resource().copy(made.data(), staged, static_cast<std::size_t>(bytes));
        staged_ += lines_of(values);
      }
    } else {
      copy_in(policy_, values.view(), made.view());
    }
  }

  Policy policy_;
  batch_type copied_;
  decltype(make_staging(std::declval<Policy const&>())) staging_;
  std::int64_t staged_ = 0;
  std::span<std::span<std::byte const> const> locked_; // while a batch is loaded
};

} // namespace glt::detail

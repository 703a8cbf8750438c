// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>
#include <glt/dist/loading/detail/batch_range.hpp>
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

namespace glt::dist {

/// Batches of a loader on the host, delivered to memory of a policy. While the trainer uses one batch, the next one is
/// loaded and copied.
///
///     glt::dist::device_batches batches(loader, policy);
///     for (auto const& batch : batches.epoch(3)) { … }
///
/// Concurrent calls: none on one object, nor on the loader.
///
/// Two batches are in the policy's memory. Copies are enqueued on the delivery policy. The copies of a batch are done
/// when it is handed over, so that any stream may read it. Data in memory shared with servers is copied from there. Its
/// pages are locked while the client lives, if the policy is a GPU policy and the system permits it.
///
/// @comm   as the loader, one batch ahead
template <class Loader, device_policy Policy>
class device_batches {
  static constexpr bool is_on_host = Loader::batch_type::policy_type::space == memory_space::host;
  static_assert(is_on_host,
                "device_batches copies from ordinary memory: give it a loader on device::cpu, or use a loader on the "
                "device policy itself");
  using slot = detail::device_batch<Policy, typename Loader::batch_type>;

public:
  using batch_type = typename slot::batch_type;
  using range_type = detail::batch_range<device_batches>; ///< batches of an epoch, for a loop

  /// Borrows the loader, which must outlive this object. `training` is the policy on which work on batches is enqueued:
  /// a batch is overwritten when that work is done.
  explicit device_batches(Loader& source, Policy delivery = {}, std::type_identity_t<Policy> training = {})
      : source_(&source), delivery_(std::move(delivery)), training_(std::move(training)),
        slots_{slot(delivery_), slot(delivery_)} {
    if constexpr (requires { source.lock_shared(delivery_); }) {
      locked_ = source.lock_shared(delivery_);
    }
  }

  [[nodiscard]] std::int64_t num_steps() const noexcept { return source_->num_steps(); }

  /// Returns the batches of an epoch from a step on. A batch is valid until the next one is requested. After that, only
  /// work enqueued on the training policy before may read it.
  ///
  /// @throws precondition_error  as the loader, when the first batch is requested
  [[nodiscard]] range_type epoch(std::int64_t number, std::int64_t first_step = 0) {
    return {*this, number, first_step};
  }

private:
  friend range_type;
  using source_range = decltype(std::declval<Loader&>().epoch(std::int64_t{0}, std::int64_t{0}));
  using source_iterator = typename source_range::iterator;

  void start(std::int64_t number, std::int64_t first_step) {
    detail::wait_until_done(delivery_); // an epoch may have been left early
    source_range_.reset(new source_range(source_->epoch(number, first_step)));
    next_.emplace(source_range_->begin());
    is_copied_ = false;
    at_end_ = false;
    current_ = 1;
    ahead_ = prefetch(slots_[0]);
    advance();
  }

  // Hands over the copied batch, and starts to copy the next one into the slot of the previous one.
  void advance() {
    if (!ahead_) {
      at_end_ = true;
      return;
    }
    detail::wait_until_done(delivery_);
    auto& free = slots_[current_];
    current_ = 1 - current_;
    ahead_ = prefetch(free);
  }

  void leave() noexcept { source_range_.reset(); }

  [[nodiscard]] batch_type const* current() const noexcept { return at_end_ ? nullptr : &*slots_[current_]; }

  bool prefetch(slot& free) {
    if (is_copied_) {
      is_copied_ = false;
      ++*next_;
    }
    if (*next_ == std::default_sentinel) {
      return false;
    }
    detail::order_policies(delivery_, training_);
    free.load(**next_, locked_);
    is_copied_ = true;
    return true;
  }

  Loader* source_;
  Policy delivery_;
  Policy training_;
  std::array<slot, 2> slots_;
  std::vector<std::span<std::byte const>> locked_; // of the loader's servers
  std::unique_ptr<source_range> source_range_;
  std::optional<source_iterator> next_;
  bool is_copied_ = false; // the batch at `next_`
  bool ahead_ = false;     // the other slot has the next batch
  bool at_end_ = true;
  std::size_t current_ = 0;
};

} // namespace glt::dist

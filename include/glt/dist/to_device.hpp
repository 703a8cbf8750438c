// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/device_batch.hpp>
#include <glt/dist/loading/detail/batch_range.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Batches of a loader on the host, delivered to memory of a policy. While the trainer uses one batch, the next one is
/// loaded and copied.
///
///     auto batches = to_device(loader, policy);
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
  using slot = device_batch<Policy, typename Loader::batch_type>;

public:
  using batch_type = typename slot::batch_type;

  /// Borrows the loader, which must outlive this object. `training` is the policy on which work on batches is enqueued:
  /// a batch is overwritten when that work is done.
  device_batches(Loader& source, Policy delivery = {}, Policy training = {})
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
  [[nodiscard]] batch_range<device_batches> epoch(std::int64_t number, std::int64_t first_step = 0) {
    return {*this, number, first_step};
  }

private:
  friend class batch_range<device_batches>;
  using source_range = decltype(std::declval<Loader&>().epoch(std::int64_t{0}, std::int64_t{0}));
  using source_iterator = typename source_range::iterator;

  void start(std::int64_t number, std::int64_t first_step) {
    glt::detail::wait_until_done(delivery_); // an epoch may have been left early
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
    glt::detail::wait_until_done(delivery_);
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
    glt::detail::order_policies(delivery_, training_);
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

} // namespace glt::detail

namespace glt::dist {

/// Delivers the batches of a loader to memory of a policy; see `device_batches`.
template <class Loader, device_policy Policy>
  requires(Loader::batch_type::policy_type::space == memory_space::host)
[[nodiscard]] detail::device_batches<Loader, Policy> to_device(Loader& loader, Policy delivery,
                                                               std::type_identity_t<Policy> training = {}) {
  return {loader, std::move(delivery), std::move(training)};
}
/// Deleted for a loader that is on a device already.
template <class Loader, device_policy Policy,
          class Reason = glt::detail::to_device_copies_from_ordinary_memory_so_give_a_loader_on_device_cpu>
  requires(Loader::batch_type::policy_type::space != memory_space::host)
void to_device(Loader&, Policy, std::type_identity_t<Policy> = {}) = delete;

} // namespace glt::dist

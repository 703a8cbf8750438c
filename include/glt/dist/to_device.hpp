// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/device_batch.hpp>
#include <glt/memory/policy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace glt::detail {

/// Batches of a loader on the host, delivered to memory of a policy: while one is being trained on, the next one is
/// loaded and copied.
///
///     auto batches = to_device(loader, policy);
///     for (auto const& batch : batches.epoch(3)) { … }
///
/// Concurrent calls: none on one object, nor on the loader.
///
/// Two batches are in the policy's memory. Copies are enqueued on the delivery policy; those of a batch are done when
/// it is handed over, so that any stream may read it.
///
/// @comm   as the loader, one batch ahead
template <class Loader, device_policy Policy>
class device_batches {
  template <class>
  struct on_policy;
  template <device_policy Host, vertex_id Vertex, bytes_copyable T>
  struct on_policy<dist::batch<Host, Vertex, T>> {
    static_assert(
        Host::space == memory_space::host,
        "to_device copies from ordinary memory: give it a loader on device::cpu, or use a loader on the "
        "device policy itself");
    using slot = dist::device_batch<Policy, Vertex, T>;
    using type = dist::batch<Policy, Vertex, T>;
  };
  using slot = typename on_policy<typename Loader::batch_type>::slot;

public:
  using batch_type = typename on_policy<typename Loader::batch_type>::type;

  /// Borrows the loader, which must outlive this. `training` is the policy on which the work on batches is enqueued: a
  /// batch is overwritten when that is done.
  device_batches(Loader& source, Policy delivery = {}, Policy training = {})
      : source_(&source), delivery_(std::move(delivery)),
        training_(std::move(training)), slots_{slot(delivery_), slot(delivery_)} {}

  [[nodiscard]] std::int64_t num_steps() const noexcept { return source_->num_steps(); }

  class iterator;
  struct range {
    device_batches* batches;
    std::int64_t number;
    std::int64_t first_step;
    [[nodiscard]] iterator begin() const {
      batches->start(number, first_step);
      return iterator(*batches);
    }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
  };

  /// The batches of an epoch from a step on; a batch is valid until the next one is asked for, and after that for what
  /// was enqueued on the training policy before.
  ///
  /// @throws precondition_error  as the loader's, when the first batch is asked for
  [[nodiscard]] range epoch(std::int64_t number, std::int64_t first_step = 0) {
    return {this, number, first_step};
  }

private:
  using source_iterator = decltype(std::declval<Loader&>().epoch(std::int64_t{0}, std::int64_t{0}).begin());

  void start(std::int64_t number, std::int64_t first_step) {
    glt::detail::wait_until_done(delivery_); // an epoch may have been left early
    next_.emplace(source_->epoch(number, first_step).begin());
    is_copied_ = false;
    at_end_ = false;
    current_ = 1;
    ahead_ = prefetch(slots_[0]);
    advance();
  }

  // Hands the batch over that was copied, and begins to copy the one after it where the one before it was.
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

  bool prefetch(slot& free) {
    if (is_copied_) {
      is_copied_ = false;
      ++*next_;
    }
    if (*next_ == std::default_sentinel) {
      return false;
    }
    glt::detail::order_policies(delivery_, training_);
    free.load(**next_);
    is_copied_ = true;
    return true;
  }

  Loader* source_;
  Policy delivery_;
  Policy training_;
  std::array<slot, 2> slots_;
  std::optional<source_iterator> next_;
  bool is_copied_ = false; // the batch that `next_` is at
  bool ahead_ = false;     // the other slot has the next batch
  bool at_end_ = true;
  std::size_t current_ = 0;
};

/// Input iterator over batches in memory of the policy.
template <class Loader, device_policy Policy>
class device_batches<Loader, Policy>::iterator {
public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = batch_type;
  using difference_type = std::ptrdiff_t;

  explicit iterator(device_batches& batches) noexcept : batches_(&batches) {}
  [[nodiscard]] batch_type const& operator*() const noexcept { return *batches_->slots_[batches_->current_]; }
  iterator& operator++() {
    batches_->advance();
    return *this;
  }
  void operator++(int) { ++*this; }
  [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return batches_->at_end_; }

private:
  device_batches* batches_;
};

} // namespace glt::detail

namespace glt::dist {

/// Delivers the batches of a loader to memory of a policy; see `device_batches`.
template <class Loader, device_policy Policy>
[[nodiscard]] detail::device_batches<Loader, Policy> to_device(Loader& loader, Policy delivery,
                                                               std::type_identity_t<Policy> training = {}) {
  return {loader, std::move(delivery), std::move(training)};
}

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// Batches on their way from the thread that prepares them to the one that consumes them, in their order; memory of
/// batches that were consumed is used again.
///
/// The consumer asks for epochs, one at a time; whatever is left of the one before is dropped. Concurrent calls: those
/// of the consumer and those of the producer.
template <class Batch>
class prefetch_queue {
public:
  struct request {
    std::int64_t epoch = 0;
    std::int64_t first_step = 0;
  };
  enum class wake { ready, interrupted, idle };

  /// Room for `prefetch` batches beside the one in the consumer's hands, which are made `bulk` at a time.
  prefetch_queue(std::int64_t prefetch, std::int64_t bulk)
      : slots_(static_cast<std::size_t>(std::max((prefetch + bulk) / bulk, std::int64_t{bulk > 1 ? 2 : 1}) * bulk)) {}

  // The consumer's side.

  /// Asks for an epoch.
  void start(request wanted) {
    std::scoped_lock const hold(lock_);
    wanted_ = wanted;
    is_taken_ = false;
    is_left_ = false;
    held_ = false;
    changed_.notify_all();
  }
  /// Waits until the producer knows of it; one that it never hears of would not be agreed on with those of other ranks.
  ///
  /// @throws what the producer failed with for good
  void wait_until_taken() {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return broken_ || is_taken_; });
    if (!is_taken_) {
      std::rethrow_exception(broken_);
    }
  }
  /// The next batch; none if all `steps` were taken. The one before goes back to the producer.
  ///
  /// @throws what the producer failed with, after the batches that it has made before
  [[nodiscard]] Batch const* next(std::int64_t steps) {
    std::unique_lock hold(lock_);
    if (held_) {
      held_ = false;
      ++returned_;
      changed_.notify_all();
    }
    changed_.wait(hold,
                  [&] { return broken_ || (is_taken_ && (returned_ < made_ || failure_ || returned_ == steps)); });
    if (is_taken_ && returned_ < made_) {
      held_ = true;
      return &slots_[place(returned_)];
    }
    if (is_taken_ && returned_ == steps) {
      return nullptr;
    }
    std::rethrow_exception(is_taken_ && failure_ ? failure_ : broken_);
  }
  /// Asks for no more batches of this epoch.
  void leave() {
    std::scoped_lock const hold(lock_);
    is_left_ = true;
    changed_.notify_all();
  }
  /// Asks the producer to end.
  void close() {
    std::scoped_lock const hold(lock_);
    closed_ = true;
    changed_.notify_all();
  }

  // The producer's side.

  /// Waits a while for the next request. Batches of the one before are dropped.
  [[nodiscard]] std::pair<wake, request> wait_for_request(std::chrono::milliseconds a_while) {
    std::unique_lock hold(lock_);
    changed_.wait_for(hold, a_while, [&] { return closed_ || has_request(); });
    if (closed_) {
      return {wake::interrupted, {}};
    }
    if (!has_request()) {
      return {wake::idle, {}};
    }
    is_taken_ = true;
    made_ = returned_ = 0;
    failure_ = nullptr;
    changed_.notify_all(); // an epoch without steps is at its end
    return {wake::ready, *wanted_};
  }
  /// Waits a while for room for some batches; interrupted if their consumer wants something else.
  [[nodiscard]] wake wait_for_room(std::int64_t batches, std::chrono::milliseconds a_while) {
    std::unique_lock hold(lock_);
    auto const has_room = [&] { return made_ - returned_ + batches <= static_cast<std::int64_t>(slots_.size()); };
    changed_.wait_for(hold, a_while, [&] { return is_interrupted() || has_room(); });
    return is_interrupted() ? wake::interrupted : has_room() ? wake::ready : wake::idle;
  }
  /// The memory of the next batches.
  ///
  /// @pre    there is room for them, and they do not go beyond the end of the slots; not checked
  [[nodiscard]] std::span<Batch> room(std::int64_t batches) {
    return std::span(slots_).subspan(place(made_), static_cast<std::size_t>(batches));
  }
  /// Hands over the batches in `room`.
  void hand_over(std::int64_t batches) {
    std::scoped_lock const hold(lock_);
    made_ += batches;
    changed_.notify_all();
  }
  /// Ends the epoch that was asked for with an exception; the consumer gets the first one, after the batches made before.
  void fail(std::exception_ptr failure) {
    std::scoped_lock const hold(lock_);
    if (!failure_) {
      failure_ = std::move(failure);
    }
    changed_.notify_all();
  }
  /// No more batches, of no epoch.
  void fail_for_good(std::exception_ptr failure) {
    std::scoped_lock const hold(lock_);
    broken_ = std::move(failure);
    changed_.notify_all();
  }
  /// True if the consumer has gone.
  [[nodiscard]] bool is_closed() {
    std::scoped_lock const hold(lock_);
    return closed_;
  }

private:
  [[nodiscard]] bool has_request() const noexcept { return wanted_ && !is_taken_; }
  [[nodiscard]] bool is_interrupted() const noexcept { return closed_ || is_left_ || has_request(); }
  [[nodiscard]] std::size_t place(std::int64_t batch) const noexcept {
    return static_cast<std::size_t>(batch) % slots_.size();
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<Batch> slots_;
  std::optional<request> wanted_;
  bool is_taken_ = false; // the producer works on what is wanted
  bool is_left_ = false;  // by the consumer, before its end
  bool held_ = false;     // the consumer has batch `returned_`
  bool closed_ = false;
  std::int64_t made_ = 0;      // batches of the epoch so far; written by the producer alone
  std::int64_t returned_ = 0;  // by the consumer
  std::exception_ptr failure_; // of the epoch
  std::exception_ptr broken_;
};

} // namespace glt::detail

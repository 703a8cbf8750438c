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

/// Queue of batches from the thread that prepares them to their consumer, in order; memory of consumed batches is
/// reused.
///
/// The consumer asks for epochs, one at a time; the rest of the previous epoch is dropped. Concurrent calls: one
/// consumer and one producer, each with its calls.
template <class Batch>
class prefetch_queue {
public:
  struct request {
    std::int64_t epoch = 0;
    std::int64_t first_step = 0;
  };
  enum class wake { ready, interrupted, idle };

  /// Makes room for `prefetch` batches beside the consumer's current one; they are made `bulk` at a time.
  prefetch_queue(std::int64_t prefetch, std::int64_t bulk)
      : slots_(static_cast<std::size_t>(std::max((prefetch + bulk) / bulk, std::int64_t{bulk > 1 ? 2 : 1}) * bulk)) {}

  // Calls of the consumer.

  /// Asks for an epoch.
  void start(request wanted) {
    std::scoped_lock const hold(lock_);
    wanted_ = wanted;
    is_taken_ = false;
    is_left_ = false;
    held_ = false;
    changed_.notify_all();
  }
  /// Waits until the producer has taken the request; ranks agree on an epoch only if every producer takes it.
  ///
  /// @throws the exception of `fail_for_good`
  void wait_until_taken() {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return broken_ || is_taken_; });
    if (!is_taken_) {
      std::rethrow_exception(broken_);
    }
  }
  /// Gives the previous batch back and returns the next; null if all `steps` were taken.
  ///
  /// @throws the exception of `fail` or `fail_for_good`, after the batches that were made before it
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
  /// Asks the producer to stop.
  void close() {
    std::scoped_lock const hold(lock_);
    closed_ = true;
    changed_.notify_all();
  }

  // Calls of the producer.

  /// Waits up to `a_while` for the next request. Batches of the previous one are dropped.
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
  /// Waits up to `a_while` for room for some batches; interrupted if the consumer left, closed or asked anew.
  [[nodiscard]] wake wait_for_room(std::int64_t batches, std::chrono::milliseconds a_while) {
    std::unique_lock hold(lock_);
    auto const has_room = [&] { return made_ - returned_ + batches <= static_cast<std::int64_t>(slots_.size()); };
    changed_.wait_for(hold, a_while, [&] { return is_interrupted() || has_room(); });
    return is_interrupted() ? wake::interrupted : has_room() ? wake::ready : wake::idle;
  }
  /// Returns the memory of the next batches.
  ///
  /// @pre    there is room for them, and they end within the slots; not checked
  [[nodiscard]] std::span<Batch> room(std::int64_t batches) {
    return std::span(slots_).subspan(place(made_), static_cast<std::size_t>(batches));
  }
  /// Hands over the batches in `room`.
  void hand_over(std::int64_t batches) {
    std::scoped_lock const hold(lock_);
    made_ += batches;
    changed_.notify_all();
  }
  /// Ends the current epoch with an exception; the consumer gets the first exception after the batches made before.
  void fail(std::exception_ptr failure) {
    std::scoped_lock const hold(lock_);
    if (!failure_) {
      failure_ = std::move(failure);
    }
    changed_.notify_all();
  }
  /// Ends all epochs with an exception.
  void fail_for_good(std::exception_ptr failure) {
    std::scoped_lock const hold(lock_);
    broken_ = std::move(failure);
    changed_.notify_all();
  }
  /// Returns true if the consumer has closed the queue.
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
  bool is_taken_ = false; // the producer works on the request
  bool is_left_ = false;  // by the consumer, before the end of the epoch
  bool held_ = false;     // the consumer has batch `returned_`
  bool closed_ = false;
  std::int64_t made_ = 0;      // batches of the epoch so far; only the producer writes it
  std::int64_t returned_ = 0;  // by the consumer
  std::exception_ptr failure_; // of the epoch
  std::exception_ptr broken_;
};

} // namespace glt::detail

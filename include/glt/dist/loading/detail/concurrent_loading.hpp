// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/loading/detail/background_loading.hpp>

#include <atomic>
#include <deque>

namespace glt::detail {

/// Source of a consumer's batches, one after the other; a batch is valid until the next is requested.
template <class Batch>
class batch_source {
public:
  using batch_type = Batch;

  batch_source() = default;
  batch_source(batch_source const&) = delete;
  batch_source& operator=(batch_source const&) = delete;
  virtual ~batch_source() = default;

  /// Starts an epoch at a step and makes its first batch current.
  virtual void start(std::int64_t epoch, std::int64_t first_step) = 0;
  /// Makes the next batch current; null after the last.
  virtual void advance() = 0;
  /// Asks for no more batches of the epoch; does nothing at its end.
  virtual void leave() noexcept = 0;
  /// Returns the current batch; null at the end of the epoch.
  [[nodiscard]] virtual Batch const* current() const noexcept = 0;

  /// Returns the report of the batches made so far, without the time of the consumer.
  [[nodiscard]] virtual dist::loader_report report() const = 0;
};

/// Source of batches that one or several threads prepare in advance, in turns. Each thread has a producer and a
/// communicator; the consumer gets the batches in order.
///
/// Thread t makes the same batches on all ranks, so its exchanges always match, whichever thread is faster.
template <alarming Comm, class Producer>
class concurrent_loading final : public batch_source<typename Producer::batch_type> {
public:
  using batch_type = typename Producer::batch_type;

  /// Borrows the producers; `comms` are their communicators.
  concurrent_loading(std::vector<Comm> const& comms, std::deque<Producer>& producers)
      : bulk_(producers.front().options().bulk) {
    auto const threads = static_cast<std::int64_t>(comms.size());
    for (std::size_t t = 0; t < comms.size(); ++t) {
      loading_turn const turn{static_cast<std::int64_t>(t), threads};
      threads_.push_back(std::make_unique<thread_type>(comms[t], producers[t], turn, calls_));
    }
  }

  void start(std::int64_t epoch, std::int64_t first_step) override {
    for (auto const& thread : threads_) {
      thread->start(epoch, first_step);
    }
    taken_ = 0;
    calls_ = 0;
    advance();
  }
  void advance() override {
    ++calls_;
    current_ = threads_[static_cast<std::size_t>(taken_ / bulk_) % threads_.size()]->next();
    ++calls_;
    ++taken_;
  }
  void leave() noexcept override {
    for (auto const& thread : threads_) {
      thread->leave();
    }
  }
  [[nodiscard]] batch_type const* current() const noexcept override { return current_; }

  [[nodiscard]] dist::loader_report report() const override {
    dist::loader_report sum;
    for (auto const& thread : threads_) {
      sum += thread->report();
    }
    return sum;
  }

private:
  using thread_type = background_loading<Comm, Producer>;

  std::int64_t bulk_;
  std::int64_t taken_ = 0;              // batches of the epoch
  std::atomic<std::int64_t> calls_ = 0; // of the consumer: odd while it waits
  std::vector<std::unique_ptr<thread_type>> threads_;
  batch_type const* current_ = nullptr;
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/torch/collectives.hpp>

#include <torch/types.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace glt::detail {

/// Thread that adds up buckets over ranks as soon as they are complete. It follows the order of their numbers, which is
/// the same on all ranks.
///
/// Concurrent calls: `send` from any thread; the other functions from one thread.
template <communicator Comm>
class bucket_thread {
public:
  /// Takes a duplicate of the communicator, which only the thread uses.
  explicit bucket_thread(Comm comm) : comm_(std::move(comm)), thread_([this] { run(); }) {}
  /// Makes room for so many buckets, so that `begin` does not fail.
  void reserve(std::size_t buckets) {
    std::scoped_lock const hold(lock_);
    sent_.reserve(buckets);
  }
  /// Waits for buckets that were sent.
  ~bucket_thread() {
    {
      std::scoped_lock const hold(lock_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  bucket_thread(bucket_thread const&) = delete;
  bucket_thread& operator=(bucket_thread const&) = delete;

  /// Expects so many buckets.
  void begin(std::size_t buckets) {
    std::scoped_lock const hold(lock_);
    sent_.assign(buckets, at::Tensor());
    next_ = 0;
  }
  /// Hands over a bucket that is complete on this rank.
  void send(std::size_t number, at::Tensor bucket) {
    {
      std::scoped_lock const hold(lock_);
      sent_[number] = std::move(bucket);
    }
    changed_.notify_all();
  }
  /// Returns when all buckets were added up, or when one has failed.
  void wait() {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return next_ == sent_.size() || failure_; });
  }
  /// Throws the exception of this rank's thread, if there is one.
  void rethrow() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

private:
  [[nodiscard]] bool has_work() const { return next_ < sent_.size() && sent_[next_].defined(); }

  void run() noexcept {
    std::unique_lock hold(lock_);
    for (;;) {
      changed_.wait(hold, [&] { return has_work() || over_; });
      if (!has_work()) {
        return;
      }
      auto const bucket = sent_[next_];
      hold.unlock();
      try {
        reduce_bucket(comm_, bucket);
      } catch (...) {
        hold.lock();
        failure_ = std::current_exception();
        changed_.notify_all();
        return;
      }
      hold.lock();
      ++next_;
      changed_.notify_all();
    }
  }

  Comm comm_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<at::Tensor> sent_;
  std::size_t next_ = 0;
  std::exception_ptr failure_;
  bool over_ = false;
  std::thread thread_; // last: uses the other members
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace glt::detail {

/// Threads that wait for bulk work; the calling thread works, too.
///
/// Owned by `device::cpu`; `exec::threaded` borrows it.
///
/// Concurrent calls: `run` may be called from several threads; the calls run one after the other.
class thread_pool {
public:
  /// @throws precondition_error  if threads < 1
  explicit thread_pool(int threads) {
    if (threads < 1) {
      throw precondition_error(glt::detail::message("thread pool of ", threads, " threads; ask for 1 or more"));
    }
    errors_.resize(static_cast<std::size_t>(threads));
    workers_.reserve(static_cast<std::size_t>(threads) - 1);
    for (int worker = 1; worker < threads; ++worker) {
      workers_.emplace_back([this, worker](std::stop_token stop) { serve(stop, worker); });
    }
  }

  thread_pool(thread_pool const&) = delete;
  thread_pool& operator=(thread_pool const&) = delete;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(errors_.size()); }

  /// Calls task(worker) once for every worker in [0, size()) and returns when all have ended.
  ///
  /// The first exception (by worker number) is rethrown here. Calls from several threads run one after the other.
  ///
  /// @pre    not called from inside a task; not checked
  void run(std::function<void(int)> const& task) {
    std::scoped_lock const one_call(one_call_);
    {
      std::scoped_lock const lock(mutex_);
      task_ = &task;
      busy_ = size() - 1;
      ++round_;
    }
    begin_.notify_all();
    attempt(task, 0);
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return busy_ == 0; });
    task_ = nullptr;
    std::exception_ptr first;
    for (auto& failure : errors_) {
      if (failure && !first) {
        first = failure;
      }
      failure = nullptr;
    }
    if (first) {
      std::rethrow_exception(first);
    }
  }

private:
  void attempt(std::function<void(int)> const& task, int worker) noexcept {
    try {
      task(worker);
    } catch (...) {
      errors_[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  }

  void serve(std::stop_token const& stop, int worker) {
    std::uint64_t seen = 0;
    for (;;) {
      std::function<void(int)> const* task = nullptr;
      {
        std::unique_lock lock(mutex_);
        if (!begin_.wait(lock, stop, [&] { return round_ != seen; })) {
          return;
        }
        seen = round_;
        task = task_;
      }
      attempt(*task, worker);
      std::scoped_lock const lock(mutex_);
      if (--busy_ == 0) {
        end_.notify_one();
      }
    }
  }

  std::mutex one_call_;
  std::mutex mutex_;
  std::condition_variable_any begin_;
  std::condition_variable end_;
  std::function<void(int)> const* task_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::jthread> workers_; // last: joined before the rest is destroyed
};

} // namespace glt::detail

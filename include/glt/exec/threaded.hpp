// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/sequential.hpp>

#include <atomic>
#include <condition_variable>
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
  template <class F>
  void run(F const& task) {
    run_task({&task, [](void const* called, int worker) { (*static_cast<F const*>(called))(worker); }});
  }

private:
  // A callable of the caller: its threads need no type of their own, so a call compiles to two functions.
  struct bulk_task {
    void const* called;
    void (*call)(void const*, int);
  };

  void run_task(bulk_task const& task) {
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

  void attempt(bulk_task const& task, int worker) noexcept {
    try {
      task.call(task.called, worker);
    } catch (...) {
      errors_[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  }

  void serve(std::stop_token const& stop, int worker) {
    std::uint64_t seen = 0;
    for (;;) {
      bulk_task const* task = nullptr;
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
  bulk_task const* task_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::jthread> workers_; // last: joined before the rest is destroyed
};

} // namespace glt::detail

namespace glt::exec {

/// Divides work over the threads of a pool, which must outlive the call; without a pool, or with little work,
/// it is `sequential`.
///
/// `sort_by_key` runs in the calling thread.
///
/// Concurrent calls: const members may run concurrently; calls that use the pool run one after the other.
class threaded {
public:
  threaded() = default;
  explicit threaded(detail::thread_pool& pool) noexcept : pool_(&pool) {}

  [[nodiscard]] static constexpr bool reaches(memory_space space) noexcept {
    return glt::detail::host_accessible(space);
  }

  template <class F>
  void for_each(std::int64_t n, F f) const {
    if (alone(n)) {
      sequential{}.for_each(n, f);
      return;
    }
    for_ranges(n, 64, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        f(i);
      }
    });
  }

  template <class F>
  void for_ranges(std::int64_t n, std::int64_t smallest, F f) const {
    smallest = std::max<std::int64_t>(smallest, 1);
    if (pool_ == nullptr || pool_->size() == 1 || n <= smallest) {
      sequential{}.for_ranges(n, smallest, f);
      return;
    }
    // Ranges much smaller than a thread's share even out rows of very different cost.
    std::int64_t const size = std::max(smallest, n / (16 * pool_->size()));
    std::atomic<std::int64_t> next{0};
    pool_->run([&](int) {
      for (std::int64_t first = next.fetch_add(size); first < n; first = next.fetch_add(size)) {
        f(first, std::min(n, first + size));
      }
    });
  }

  template <class T, class F, class Op>
  [[nodiscard]] T reduce(std::int64_t n, T initial, F f, Op op) const {
    if (alone(n)) {
      return sequential{}.reduce(n, initial, f, op);
    }
    struct slot { // keeps workers apart even if T is bool, of which a vector packs bits
      T sum;
    };
    std::vector<slot> partial(static_cast<std::size_t>(pool_->size()), slot{initial});
    pool_->run([&](int worker) {
      auto const [first, last] = share(n, worker);
      T sum = f(first);
      for (std::int64_t i = first + 1; i < last; ++i) {
        sum = op(sum, f(i));
      }
      partial[static_cast<std::size_t>(worker)].sum = sum;
    });
    for (auto const& [sum] : partial) {
      initial = op(initial, sum);
    }
    return initial;
  }

  template <memory_space Space, class In, class Out>
  void exclusive_scan(array_view<Space, In> in, array_view<Space, Out> out) const {
    exclusive_scan(in.size(), glt::detail::element_at<Space, std::remove_const_t<In>>{in}, out);
  }
  template <class F, memory_space Space, class Out>
  void exclusive_scan(std::int64_t n, F f, array_view<Space, Out> out) const {
    if (alone(n) || out.size() < n || out.size() > n + 1) {
      sequential{}.exclusive_scan(n, f, out);
      return;
    }
    auto const workers = static_cast<std::size_t>(pool_->size());
    std::vector<Out> before(workers + 1, Out{});
    pool_->run([&](int worker) {
      auto const [first, last] = share(n, worker);
      Out sum{};
      for (std::int64_t i = first; i < last; ++i) {
        sum += static_cast<Out>(f(i));
      }
      before[static_cast<std::size_t>(worker) + 1] = sum;
    });
    for (std::size_t worker = 0; worker < workers; ++worker) {
      before[worker + 1] += before[worker];
    }
    pool_->run([&](int worker) {
      auto const [first, last] = share(n, worker);
      Out sum = before[static_cast<std::size_t>(worker)];
      for (std::int64_t i = first; i < last; ++i) {
        Out const value = static_cast<Out>(f(i));
        out[i] = sum;
        sum += value;
      }
    });
    if (out.size() > n) {
      out[n] = before[workers];
    }
  }

  template <memory_space Space, class Key, class Value>
  void sort_by_key(array_view<Space, Key> keys, array_view<Space, Value> values) const {
    sequential{}.sort_by_key(keys, values);
  }

  template <class Predicate, memory_space Space, class Index>
  std::int64_t select_if(std::int64_t n, Predicate predicate, array_view<Space, Index> out) const {
    if (alone(n)) {
      return sequential{}.select_if(n, predicate, out);
    }
    auto const workers = static_cast<std::size_t>(pool_->size());
    std::vector<std::int64_t> before(workers + 1, 0);
    pool_->run([&](int worker) {
      auto const [first, last] = share(n, worker);
      std::int64_t count = 0;
      for (std::int64_t i = first; i < last; ++i) {
        count += predicate(i) ? 1 : 0;
      }
      before[static_cast<std::size_t>(worker) + 1] = count;
    });
    for (std::size_t worker = 0; worker < workers; ++worker) {
      before[worker + 1] += before[worker];
    }
    pool_->run([&](int worker) {
      auto const [first, last] = share(n, worker);
      std::int64_t place = before[static_cast<std::size_t>(worker)];
      for (std::int64_t i = first; i < last; ++i) {
        if (predicate(i)) {
          out[place++] = static_cast<Index>(i);
        }
      }
    });
    return before[workers];
  }

private:
  struct range {
    std::int64_t first;
    std::int64_t last;
  };

  // Waking threads costs some 10 µs; below this much work one thread is faster.
  static constexpr std::int64_t worth_dividing = 2048;

  [[nodiscard]] bool alone(std::int64_t n) const noexcept {
    return pool_ == nullptr || pool_->size() == 1 || n < std::max<std::int64_t>(worth_dividing, pool_->size());
  }

  [[nodiscard]] range share(std::int64_t n, int worker) const noexcept {
    return {n * worker / pool_->size(), n * (worker + 1) / pool_->size()};
  }

  detail::thread_pool* pool_ = nullptr;
};

} // namespace glt::exec

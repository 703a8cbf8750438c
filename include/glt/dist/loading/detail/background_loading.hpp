// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/detail/exchange/agree.hpp>

#include <chrono>

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

/// Place of a thread among the threads that prepare batches in turns; a turn is one bulk.
struct loading_turn {
  std::int64_t own = 0;
  std::int64_t threads = 1;
};

/// Thread that prepares its turns of a producer's batches in advance, on a duplicate communicator.
///
/// The threads of all ranks make the same sweeps, so each waits for the slowest. While a thread waits for its consumer
/// it also watches an alarm. So a consumer may leave an epoch, or end, at any time. Its thread raises the alarm and
/// joins the next sweep of the other ranks with a failure; they hand over finished batches, then the error.
template <alarming Comm, class Producer>
class background_loading {
public:
  using batch_type = typename Producer::batch_type;

  /// Borrows the producer; only the thread uses it during an epoch. `comm` is a duplicate, shared with the producer.
  /// `calls` counts twice per batch of any thread: when the consumer begins to wait, and when it has the batch.
  background_loading(Comm comm, Producer& producer, loading_turn turn, std::atomic<std::int64_t> const& calls)
      : comm_(std::move(comm)), producer_(&producer), turn_(turn), calls_(&calls), alarm_(comm_.make_alarm()),
        end_(comm_), queue_((producer.options().prefetch + turn.threads - 1) / turn.threads, producer.options().bulk),
        thread_([this] { run(); }) {}
  background_loading(background_loading const&) = delete;
  background_loading& operator=(background_loading const&) = delete;
  /// Ends the thread. Waits for the threads of other ranks; these answer whether or not their consumers take batches.
  ~background_loading() {
    queue_.close();
    thread_.join();
  }

  /// Asks for an epoch from `first_step` on, the first step of the first thread. Waits until this thread begins it.
  void start(std::int64_t epoch, std::int64_t first_step) {
    auto const bulk = producer_->options().bulk;
    auto const steps = producer_->num_steps() - first_step;
    auto const round = turn_.threads * bulk;
    steps_ = steps / round * bulk + std::clamp(steps % round - turn_.own * bulk, std::int64_t{0}, bulk);
    queue_.start({epoch, first_step});
    queue_.wait_until_taken();
  }
  /// Gives the previous batch back and returns the next batch of this thread; null after the last.
  [[nodiscard]] batch_type const* next() { return queue_.next(steps_); }
  /// Asks for no more batches of the epoch; does nothing at its end.
  void leave() noexcept { queue_.leave(); }

  [[nodiscard]] dist::loader_report report() const {
    std::scoped_lock const hold(lock_);
    return report_;
  }

private:
  using request = typename prefetch_queue<batch_type>::request;
  using wake = typename prefetch_queue<batch_type>::wake;
  // Status that each rank sends after an alarm, so that all know which rank raised it.
  enum class raised : std::int64_t { nothing, left_epoch, left };
  static constexpr std::chrono::milliseconds a_while{10}; // between two looks at the alarm

  void run() noexcept {
    try {
      while (!is_over_) {
        auto const [woken, wanted] = queue_.wait_for_request(a_while);
        if (woken == wake::ready) {
          guarded([&] { make_epoch(wanted); });
        } else if (woken == wake::interrupted) {
          guarded([&] { leave(raised::left, "has ended its loader"); });
        } else if (alarm_.raised()) {
          guarded([&] { join_failure(); });
        }
      }
    } catch (...) { // reporting the failure failed as well
      queue_.fail_for_good(std::current_exception());
    }
  }

  void make_epoch(request wanted) {
    agree(comm_, {.what = operation::plan_epoch, .step = wanted.first_step}, {}, wanted.epoch,
          [](auto epoch, auto first) {
            return message("begins epoch ", epoch, " while rank 0 begins epoch ", first,
                           "; ask for the same epochs on all ranks");
          });
    producer_->begin(wanted.epoch);
    auto const bulk = producer_->options().bulk;
    auto step = wanted.first_step + turn_.own * bulk;
    for (; step < producer_->num_steps(); step += turn_.threads * bulk) {
      auto const batches = std::min(bulk, producer_->num_steps() - step);
      wait_for_room(batches, wanted, step);
      producer_->produce(step, queue_.room(batches));
      note_what_was_done();
      queue_.hand_over(batches);
    }
  }

  void wait_for_room(std::int64_t batches, request wanted, std::int64_t step) {
    auto begun = std::chrono::steady_clock::now();
    auto const limit = producer_->options().stall_limit;
    for (auto seen = calls_->load();;) {
      auto const woken = queue_.wait_for_room(batches, a_while);
      if (woken == wake::ready) {
        return;
      }
      if (woken == wake::interrupted) {
        queue_.is_closed() ? leave(raised::left, "has ended its loader")
                           : leave(raised::left_epoch, message("has left epoch ", wanted.epoch, " before step ", step));
      }
      if (alarm_.raised()) {
        join_failure();
      }
      if (auto const calls = calls_->load(); calls != seen || calls % 2 != 0) { // a batch of another thread
        seen = calls;
        begun = std::chrono::steady_clock::now();
      }
      if (std::chrono::duration<double> const waited = std::chrono::steady_clock::now() - begun;
          limit.count() > 0 && waited > limit) {
        throw error(message("its consumer has taken no batch for ", limit.count(), " s: step ", step, " of epoch ",
                            wanted.epoch, " waits for it on all ranks; take batches, or allow a longer stall_limit"));
      }
    }
  }

  void note_what_was_done() {
    std::scoped_lock const hold(lock_);
    report_ = producer_->report();
  }

  // Tells all ranks that this one leaves; throws the error that all ranks get.
  [[noreturn]] void leave(raised how, std::string const& cause) {
    raise(how);
    end_.announce_failure(cause);
  }
  // Takes part in the exchange in which a rank that raised the alarm reports the cause.
  void join_failure() { exchange_values(comm_, {.what = operation::produce}, {}); }
  void raise(raised how) {
    if (raised_ == raised::nothing) {
      raised_ = how;
      alarm_.raise();
    }
  }

  template <class Work>
  void guarded(Work work) {
    try {
      end_.guard(work, [&] { raise(raised::left_epoch); });
    } catch (agreed_error const&) { // all ranks are here
      settle(std::current_exception());
    } catch (...) {
      is_over_ = true;
      queue_.fail_for_good(std::current_exception());
    }
  }

  // Clears the alarms after an error that all ranks have, and finds out whether a consumer has ended its loader.
  void settle(std::exception_ptr const& failure) {
    auto const headers = exchange_values(comm_, {.what = operation::produce}, {}, static_cast<std::int64_t>(raised_));
    std::vector<char> raisers;
    for (auto const& header : headers) {
      raisers.push_back(header.value != 0 ? 1 : 0);
      is_over_ |= header.value == static_cast<std::int64_t>(raised::left);
    }
    alarm_.settle(raisers);
    raised_ = raised::nothing;
    queue_.fail(failure);
    if (is_over_) {
      queue_.fail_for_good(failure);
    }
  }

  Comm comm_;
  Producer* producer_;
  loading_turn turn_;
  std::atomic<std::int64_t> const* calls_; // odd while the consumer waits
  decltype(std::declval<Comm&>().make_alarm()) alarm_;
  departure<Comm> end_;
  prefetch_queue<batch_type> queue_;
  std::int64_t steps_ = 0; // of this thread
  raised raised_ = raised::nothing;
  bool is_over_ = false;
  mutable std::mutex lock_; // of the report
  dist::loader_report report_;
  std::thread thread_; // last: uses all other members
};

} // namespace glt::detail

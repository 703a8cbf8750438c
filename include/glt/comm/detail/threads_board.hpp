// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/threads_call.hpp>

#include <condition_variable>
#include <map>
#include <mutex>
#include <new>

namespace glt::detail {

/// Reason why a call on a board was given up.
struct threads_failure {
  int rank; ///< number in `run_threads`
  std::string cause;
};

/// State that all boards of one `run_threads` share: one lock, and the ranks that left.
struct threads_family {
  std::mutex lock;
  std::condition_variable changed;
  std::optional<threads_failure> broken; ///< set when a thread leaves by exception
  std::vector<char> gone;                ///< [threads], set when a thread returns

  explicit threads_family(int threads) : gone(static_cast<std::size_t>(threads), 0) {}

  [[nodiscard]] int size() const noexcept { return static_cast<int>(gone.size()); }

  /// Records that the calling thread returns; calls that still need it are given up.
  void leave(int thread) {
    std::scoped_lock const hold(lock);
    gone[static_cast<std::size_t>(thread)] = 1;
    changed.notify_all();
  }

  /// Records that the calling thread leaves by exception; all calls that are not complete are given up.
  void fail(int rank, std::string_view cause) noexcept {
    std::scoped_lock const hold(lock);
    if (!broken) {
      broken = or_out_of_memory(rank, [&] { return threads_failure{rank, std::string(cause)}; });
    }
    changed.notify_all();
  }

  /// Returns the failure that `make` returns; if there is no memory for its text, a failure without text.
  template <class Make>
  [[nodiscard]] static threads_failure or_out_of_memory(int rank, Make make) noexcept {
    try {
      return make();
    } catch (std::bad_alloc const&) {
      return {rank, "out of memory"};
    }
  }
};

/// Meeting point for the threads of one communicator: the n-th call of one rank matches the n-th calls of the others.
///
/// The last rank to arrive does the work for all. No rank spins, and none waits for a rank that has arrived.
class threads_board {
public:
  threads_board(std::shared_ptr<threads_family> family, std::vector<int> threads)
      : family_(std::move(family)), threads_(std::move(threads)), next_(threads_.size(), 0),
        alarms_(threads_.size(), 0), settled_(threads_.size(), 0), calls_(threads_.size()) {}

  [[nodiscard]] int size() const noexcept { return static_cast<int>(threads_.size()); }
  [[nodiscard]] std::shared_ptr<threads_family> const& family() const noexcept { return family_; }
  /// Returns the number of each rank in `run_threads`.
  [[nodiscard]] std::vector<int> const& threads() const noexcept { return threads_; }
  [[nodiscard]] int thread_of(int rank) const noexcept { return threads_[static_cast<std::size_t>(rank)]; }

  /// Shows a call to the other ranks and returns its number; the last rank to arrive does the work.
  ///
  /// @throws collective_error  if a rank has left
  /// @throws std::bad_alloc    before the others see the call: it may be made again
  std::int64_t arrive(int rank, threads_call& call) {
    std::unique_lock hold(family_->lock);
    if (family_->broken) {
      give_up(*family_->broken);
    }
    auto const number = next_[static_cast<std::size_t>(rank)];
    auto& all = meeting_of(number);
    ++next_[static_cast<std::size_t>(rank)];
    all.calls[static_cast<std::size_t>(rank)] = &call;
    if (++all.arrived == threads_.size()) {
      hold.unlock(); // all are here and stay until `done`
      auto failure = attempt(all.calls);
      hold.lock();
      all.failure = std::move(failure);
      all.done = true;
      family_->changed.notify_all();
    }
    return number;
  }

  /// Waits until all ranks have made call `number` and its work is done.
  ///
  /// @throws collective_error  on all ranks, if a rank has left or the calls do not fit together
  void wait(int rank, std::int64_t number) {
    std::unique_lock hold(family_->lock);
    auto& all = meetings_.at(number);
    family_->changed.wait(hold, [&]() noexcept { return all.done || is_given_up(all); });
    std::optional<threads_failure> failure;
    if (!all.done) {
      failure = threads_family::or_out_of_memory(thread_of(rank), [&] { return missing(all); });
    } else if (all.failure) {
      failure = threads_family::or_out_of_memory(all.failure->rank, [&] { return *all.failure; });
    }
    all.calls[static_cast<std::size_t>(rank)] = nullptr;
    if (all.done && std::ranges::all_of(all.calls, [](auto* call) { return call == nullptr; })) {
      past_.push_back(meetings_.extract(number));
    }
    if (failure) {
      give_up(*failure);
    }
  }

  /// Returns an idle call of a rank, with the memory of an earlier one; only the rank's thread calls this.
  [[nodiscard]] std::unique_ptr<threads_call> take(int rank) {
    auto& [idle, made] = calls_[static_cast<std::size_t>(rank)];
    if (idle.empty()) {
      idle.reserve(made + 1); // room for all of them, for `give_back` must not fail
      auto call = std::make_unique<threads_call>();
      ++made;
      return call;
    }
    auto call = std::move(idle.back());
    idle.pop_back();
    return call;
  }
  /// Takes back a call from `take`, when the call is complete.
  void give_back(int rank, std::unique_ptr<threads_call> call) noexcept {
    calls_[static_cast<std::size_t>(rank)].idle.push_back(std::move(call));
  }

  /// Raises this rank's alarm until all ranks have settled it.
  void raise_alarm(int rank) {
    std::scoped_lock const hold(family_->lock);
    alarms_[static_cast<std::size_t>(rank)] = settled_[static_cast<std::size_t>(rank)] + 1;
  }
  /// Ends the alarms that all ranks know, for this rank: others may be later or earlier, and raise new ones.
  void settle_alarms(int rank) {
    std::scoped_lock const hold(family_->lock);
    ++settled_[static_cast<std::size_t>(rank)];
  }

  /// Returns true if another rank has raised the alarm, or has left.
  [[nodiscard]] bool alarmed(int rank) {
    std::scoped_lock const hold(family_->lock);
    bool found = family_->broken.has_value();
    for (std::size_t other = 0; other < threads_.size() && !found; ++other) {
      found = static_cast<int>(other) != rank && (alarms_[other] > settled_[static_cast<std::size_t>(rank)] ||
                                                  family_->gone[static_cast<std::size_t>(threads_[other])] != 0);
    }
    return found;
  }

  /// Makes a board for the ranks of each color, and hands it out through the calls.
  static void complete_split(std::span<threads_call* const> ranks) {
    auto const& parent = *ranks[0]->board;
    std::vector<std::size_t> order(ranks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t r) { return std::tuple(ranks[r]->color, ranks[r]->order, r); });
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
      std::vector<int> threads;
      for (; last < order.size() && ranks[order[last]]->color == ranks[order[first]]->color; ++last) {
        ranks[order[last]]->new_rank = static_cast<int>(last - first);
        threads.push_back(parent.threads_[order[last]]);
      }
      auto const board = std::make_shared<threads_board>(parent.family_, std::move(threads));
      for (auto i = first; i < last; ++i) {
        ranks[order[i]]->new_board = board;
      }
    }
  }

private:
  struct meeting {
    std::vector<threads_call*> calls; ///< [R]; null before arrival and after the end of `wait`
    std::size_t arrived = 0;
    bool done = false;
    std::optional<threads_failure> failure;
  };

  // State that only the thread of its rank touches.
  struct calls_of_rank {
    std::vector<std::unique_ptr<threads_call>> idle;
    std::size_t made = 0; ///< at least those that are idle or under way
  };

  // Returns the meeting of a call; a new meeting reuses the memory of a finished one.
  meeting& meeting_of(std::int64_t number) {
    if (auto const found = meetings_.find(number); found != meetings_.end()) {
      return found->second;
    }
    if (past_.empty()) {
      past_.reserve(meetings_.size() + 1); // room for all of them, for `wait` must not fail
      meeting made;
      made.calls.resize(threads_.size(), nullptr);
      return meetings_.emplace(number, std::move(made)).first->second;
    }
    auto again = std::move(past_.back());
    past_.pop_back();
    again.key() = number;
    again.mapped().arrived = 0;
    again.mapped().done = false;
    again.mapped().failure.reset();
    return meetings_.insert(std::move(again)).position->second;
  }

  // Called with the lock held.
  [[noreturn]] void give_up(threads_failure const& failure) const {
    throw agreed_error(family_->broken ? family_->size() : size(), failure.rank, failure.cause);
  }

  // Does the work; the ranks wait for its result.
  std::optional<threads_failure> attempt(std::span<threads_call* const> calls) const noexcept {
    try {
      check_same(calls);
      calls[0]->complete(calls);
      return std::nullopt;
    } catch (collective_error const& failure) {
      auto const thread = thread_of(failure.rank());
      return threads_family::or_out_of_memory(thread, [&] { return threads_failure{thread, failure.cause()}; });
    } catch (std::exception const& failure) {
      auto const thread = thread_of(0);
      return threads_family::or_out_of_memory(thread, [&] {
        return threads_failure{thread, message(group_text(calls[0]->group.get(), 0), "could not finish ",
                                               calls[0]->name, ": ", failure.what())};
      });
    }
  }

  // Returns the first rank that returned before it came to a call; `threads_.size()` if there is none.
  [[nodiscard]] std::size_t first_gone(meeting const& waiting) const noexcept {
    std::size_t rank = 0;
    while (rank < threads_.size() &&
           (waiting.calls[rank] != nullptr || family_->gone[static_cast<std::size_t>(threads_[rank])] == 0)) {
      ++rank;
    }
    return rank;
  }

  // Returns whether a waiting call will never be complete.
  [[nodiscard]] bool is_given_up(meeting const& waiting) const noexcept {
    return waiting.arrived < threads_.size() && (family_->broken || first_gone(waiting) < threads_.size());
  }

  // Returns the reason why a waiting call will never be complete.
  [[nodiscard]] threads_failure missing(meeting const& waiting) const {
    if (family_->broken) {
      return *family_->broken;
    }
    auto const* call = *std::ranges::find_if(waiting.calls, [](auto* c) { return c != nullptr; });
    auto const rank = first_gone(waiting);
    return {thread_of(static_cast<int>(rank)),
            message(group_text(call->group.get(), rank), "returned while other ranks wait for it in ", call->name,
                    "; make the same calls in the same order on all ranks")};
  }

  std::shared_ptr<threads_family> family_;
  std::vector<int> threads_;          ///< [R], the number of each rank in `run_threads`
  std::vector<std::int64_t> next_;    ///< [R], the number of each rank's next call
  std::vector<std::int64_t> alarms_;  ///< [R], number of the settlement that ends each rank's latest alarm
  std::vector<std::int64_t> settled_; ///< [R], settlements of each rank so far
  std::map<std::int64_t, meeting> meetings_;
  std::vector<std::map<std::int64_t, meeting>::node_type> past_;
  std::vector<calls_of_rank> calls_; ///< [R]
};

} // namespace glt::detail

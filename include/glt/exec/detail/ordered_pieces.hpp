// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/executor.hpp>

#include <mutex>

namespace glt::detail {

/// Pieces of work with two halves. First halves may run at the same time; second halves run one after the other, in
/// order. A thread that has finished a first half runs all due second halves, unless another thread is running them.
///
/// Copies start empty: scratch memory has no value.
///
/// @cost   two locks a piece; memory for as many pieces as ever waited at the same time
template <class Scratch>
class ordered_pieces {
public:
  ordered_pieces() = default;
  ordered_pieces(ordered_pieces const&) noexcept {}
  ordered_pieces& operator=(ordered_pieces const&) noexcept { return *this; }

  /// Divides [0, n) into pieces of at most `size`: calls first(begin, end, scratch) for each, and then
  /// second(begin, scratch) with the same scratch memory.
  ///
  /// If a call throws, the executor passes on the exception, and no later second half is done.
  template <host_executor Executor, class First, class Second>
  void run(Executor const& ex, std::int64_t n, std::int64_t size, First const& first, Second const& second) {
    due_ = 0;
    busy_ = false;
    waiting_.clear();
    ex.for_ranges(n, size, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; begin += size) {
        auto const piece_end = std::min(begin + size, end);
        auto scratch = take();
        first(begin, piece_end, *scratch);
        finish({begin, piece_end, std::move(scratch)}, second);
      }
    });
  }

private:
  struct piece {
    std::int64_t begin;
    std::int64_t end;
    std::unique_ptr<Scratch> scratch;
  };

  [[nodiscard]] std::unique_ptr<Scratch> take() {
    std::scoped_lock const lock(mutex_);
    if (spare_.empty()) {
      return std::make_unique<Scratch>();
    }
    auto scratch = std::move(spare_.back());
    spare_.pop_back();
    return scratch;
  }

  template <class Second>
  void finish(piece done, Second const& second) {
    std::unique_lock lock(mutex_);
    waiting_.push_back(std::move(done));
    if (busy_) {
      return;
    }
    busy_ = true; // for good, if `second` throws
    for (;;) {
      auto const next =
          std::find_if(waiting_.begin(), waiting_.end(), [this](piece const& p) { return p.begin == due_; });
      if (next == waiting_.end()) {
        break;
      }
      auto now = std::move(*next);
      waiting_.erase(next);
      lock.unlock();
      second(now.begin, *now.scratch);
      lock.lock();
      due_ = now.end;
      spare_.push_back(std::move(now.scratch));
    }
    busy_ = false;
  }

  std::mutex mutex_;
  std::int64_t due_ = 0;
  bool busy_ = false;
  std::vector<piece> waiting_;
  std::vector<std::unique_ptr<Scratch>> spare_;
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/alarm.hpp>
#include <glt/comm/detail/threads_board.hpp>

#include <memory>
#include <span>
#include <utility>

namespace glt::detail {

/// Alarm between threads; also raised if a rank has left. See `failure_alarm`.
class threads_alarm {
public:
  threads_alarm(std::shared_ptr<threads_board> board, int rank) noexcept : board_(std::move(board)), rank_(rank) {}

  void raise() { board_->set_alarm(rank_, true); }
  [[nodiscard]] bool raised() { return board_->alarmed(rank_); }
  void settle(std::span<char const> /*raisers*/) { board_->set_alarm(rank_, false); }

private:
  std::shared_ptr<threads_board> board_;
  int rank_;
};

static_assert(failure_alarm<threads_alarm>);

} // namespace glt::detail

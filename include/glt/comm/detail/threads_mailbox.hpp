// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/block_pool.hpp>
#include <glt/comm/detail/checks.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/detail/threads_board.hpp>
#include <glt/comm/detail/threads_call.hpp>
#include <glt/core/core.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// Messages that have arrived for each rank of a mailbox between threads.
class threads_inboxes {
public:
  explicit threads_inboxes(threads_board const& board)
      : family_(board.family()), threads_(board.threads()), inboxes_(threads_.size()) {}

  [[nodiscard]] int size() const noexcept { return static_cast<int>(threads_.size()); }

  /// @throws collective_error  if a rank has left by exception
  void put(int to, mailbox_message sent) {
    std::scoped_lock const hold(family_->lock);
    check_whole();
    inboxes_[static_cast<std::size_t>(to)].push_back(std::move(sent));
    family_->changed.notify_all();
  }

  /// Takes the next message for `rank` from `source`, or from any rank if `source` is negative; see `mailbox`.
  ///
  /// @throws collective_error  if a rank has left by exception, or if it would wait and every possible sender has
  ///         returned
  [[nodiscard]] std::optional<mailbox_message> take(int rank, int source, mailbox_limit limit) {
    std::unique_lock hold(family_->lock);
    auto& inbox = inboxes_[static_cast<std::size_t>(rank)];
    bool const waits = limit.count() > 0 && threads_.size() > 1 && source != rank;
    std::optional<mailbox_message> taken;
    auto const is_over = [&] {
      check_whole();
      taken = take_message(inbox, source);
      if (!taken && waits) {
        check_senders(rank, source);
      }
      return taken || !waits;
    };
    family_->changed.wait_for(hold, waits ? std::min(limit, longest) : mailbox_limit{0}, is_over);
    return taken;
  }

private:
  static constexpr mailbox_limit longest{1e9}; // clocks count in 64 bits

  void check_whole() const {
    if (family_->broken) {
      throw agreed_error(family_->size(), family_->broken->rank, family_->broken->cause);
    }
  }

  void check_senders(int rank, int source) const {
    auto const has_gone = [&](int peer) {
      return family_->gone[static_cast<std::size_t>(threads_[static_cast<std::size_t>(peer)])] != 0;
    };
    int last = source;
    for (int peer = 0; peer < size(); ++peer) {
      if (source < 0 ? peer != rank : peer == source) {
        if (!has_gone(peer)) {
          return;
        }
        last = peer;
      }
    }
    throw agreed_error(size(), threads_[static_cast<std::size_t>(last)],
                       message("returned while rank ", threads_[static_cast<std::size_t>(rank)], " waits for a message",
                               source < 0 ? ", as have all others" : "",
                               "; let ranks that wait for messages know when there will be no more"));
  }

  std::shared_ptr<threads_family> family_;
  std::vector<int> threads_;                         // [R], the number of each rank in `run_threads`
  std::vector<std::deque<mailbox_message>> inboxes_; // [R]
};

/// Makes inboxes for all ranks, and hands them out through the calls.
inline void complete_make_mailbox(std::span<threads_call* const> ranks) {
  auto const made = std::make_shared<threads_inboxes>(*ranks[0]->board);
  for (auto* call : ranks) {
    call->inboxes = made;
  }
}

/// Mailbox between threads that hands over blocks without copying them; a waiting thread sleeps. See `mailbox`.
///
/// A rank that leaves by exception ends all calls. A rank that returns ends only the calls that wait for it alone.
class threads_mailbox {
public:
  threads_mailbox(std::shared_ptr<threads_inboxes> inboxes, int rank) : inboxes_(std::move(inboxes)), rank_(rank) {}

  [[nodiscard]] byte_block make_block(std::int64_t bytes) { return pool_.take(bytes); }

  /// @throws collective_error  if a rank has left by exception
  void send(int to, std::int64_t kind, byte_block bytes) {
    check_peer("send", to, inboxes_->size());
    inboxes_->put(to, {rank_, kind, std::move(bytes)});
  }

  /// @throws collective_error  if a rank has left by exception, or it would wait and all others have returned
  [[nodiscard]] std::optional<mailbox_message> receive(mailbox_limit limit) { return inboxes_->take(rank_, -1, limit); }

  /// @throws collective_error  if a rank has left by exception, or it would wait and `source` has returned
  [[nodiscard]] std::optional<mailbox_message> receive_from(int source, mailbox_limit limit) {
    check_peer("receive_from", source, inboxes_->size());
    return inboxes_->take(rank_, source, limit);
  }

  void flush() noexcept {}
  void close() noexcept {}

private:
  std::shared_ptr<threads_inboxes> inboxes_;
  int rank_;
  block_pool pool_;
};

static_assert(mailbox<threads_mailbox>);

} // namespace glt::detail

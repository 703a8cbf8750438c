// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/detail/threads_board.hpp>
#include <glt/comm/detail/threads_call.hpp>

#include <deque>
#include <mutex>
#include <thread>

namespace glt::detail {

/// Messages that have arrived for each rank of a mailbox between threads.
class threads_inboxes {
public:
  threads_inboxes(threads_board const& board, std::shared_ptr<std::string const> group)
      : family_(board.family()), threads_(board.threads()), group_(std::move(group)), inboxes_(threads_.size()) {}

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
                       message(group_text(group_.get(), static_cast<std::size_t>(last)), "returned while rank ",
                               threads_[static_cast<std::size_t>(rank)], " waits for a message",
                               source < 0 ? ", as have all others" : "",
                               "; let ranks that wait for messages know when there will be no more"));
  }

  std::shared_ptr<threads_family> family_;
  std::vector<int> threads_;                         // [R], the number of each rank in `run_threads`
  std::shared_ptr<std::string const> group_;         // name of the communicator; null: none
  std::vector<std::deque<mailbox_message>> inboxes_; // [R]
};

/// Makes inboxes for all ranks, and hands them out through the calls.
inline void complete_make_mailbox(std::span<threads_call* const> ranks) {
  auto const made = std::make_shared<threads_inboxes>(*ranks[0]->board, ranks[0]->group);
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

/// Alarm between threads; also raised if a rank has left. See `failure_alarm`.
class threads_alarm {
public:
  threads_alarm(std::shared_ptr<threads_board> board, int rank) noexcept : board_(std::move(board)), rank_(rank) {}

  void raise() { board_->raise_alarm(rank_); }
  [[nodiscard]] bool raised() { return board_->alarmed(rank_); }
  void settle(std::span<char const> /*raisers*/) { board_->settle_alarms(rank_); }

private:
  std::shared_ptr<threads_board> board_;
  int rank_;
};

static_assert(failure_alarm<threads_alarm>);

} // namespace glt::detail

namespace glt {

/// Ranks that are threads of one process; made by `run_threads`.
///
/// Waiting ranks sleep, so more ranks than cores are fine. Calls that do not match are noticed: every rank
/// throws the same `collective_error`, naming a rank that differs and both calls. All ranks receive
/// bit-identical reductions.
///
/// Concurrent calls: none on a handle and its copies, which stay on the thread of their rank; another thread works on a
/// `duplicate()`.
class threads_comm {
public:
  /// Exchange under way; move-only, and waits when it is destroyed.
  class request {
  public:
    request(request&& other) noexcept = default;
    request& operator=(request&& other) noexcept {
      request finished(std::move(*this));
      call_ = std::move(other.call_);
      board_ = std::move(other.board_);
      rank_ = other.rank_;
      number_ = other.number_;
      return *this;
    }
    ~request() {
      try {
        wait();
      } catch (std::exception const&) { // the next call of this rank throws again, or all ranks are past it
      }
    }

    /// Blocks until all bytes have arrived; a second call does nothing.
    ///
    /// @throws collective_error  on every rank, if a rank has left or sizes do not match
    void wait() {
      if (auto call = std::move(call_)) {
        board_->wait(rank_, number_);
        board_->give_back(rank_, std::move(call));
      }
    }

  private:
    friend threads_comm;
    request(std::shared_ptr<detail::threads_board> board, int rank, std::unique_ptr<detail::threads_call> call)
        : call_(std::move(call)), board_(std::move(board)), rank_(rank), number_(board_->arrive(rank, *call_)) {}

    std::unique_ptr<detail::threads_call> call_; // null once complete
    std::shared_ptr<detail::threads_board> board_;
    int rank_;
    std::int64_t number_;
  };

  threads_comm(std::shared_ptr<detail::threads_board> board, int rank) noexcept
      : board_(std::move(board)), rank_(rank) {}

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return board_->size(); }
  /// See `communicator`.
  [[nodiscard]] int world_rank(int rank) const noexcept { return board_->thread_of(rank); }
  [[nodiscard]] std::string_view name() const noexcept { return name_ == nullptr ? std::string_view() : *name_; }
  void set_name(std::string name) { name_ = std::make_shared<std::string const>(std::move(name)); }

  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    detail::check_bytes("all_to_all", bytes);
    auto call = named("all_to_all", detail::complete_all_to_all);
    call->bytes = bytes;
    call->send = send;
    call->receive = receive;
    run(std::move(call));
  }

  void all_to_all_v(outgoing out, incoming in) { start_all_to_all_v(out, in).wait(); }

  [[nodiscard]] request start_all_to_all_v(outgoing out, incoming in) {
    detail::check_exchange(out, in, rank_, size());
    auto call = named("all_to_all_v", detail::complete_all_to_all_v);
    set(*call, out);
    call->receive = in.data;
    call->receive_sizes.assign(in.sizes.begin(), in.sizes.end());
    call->receive_offsets.assign(in.offsets.begin(), in.offsets.end());
    return {board_, rank_, std::move(call)};
  }

  void all_to_all_replies(outgoing out, std::span<char const> asked, std::span<char const> answering,
                          reply_buffer& replies) {
    detail::check_replies(out, asked, answering, rank_, size());
    auto call = named("all_to_all_replies", detail::complete_replies);
    set(*call, out);
    call->asked = asked;
    call->answering = answering;
    call->replies = &replies;
    run(std::move(call));
  }

  template <detail::reducible T>
  void all_reduce(std::span<T> values, reduction op) {
    auto call = named("all_reduce", nullptr);
    call->detail = detail::reduction_name<T>(op);
    call->complete = op == reduction::sum   ? detail::complete_all_reduce<T, reduction::sum>
                     : op == reduction::min ? detail::complete_all_reduce<T, reduction::min>
                                            : detail::complete_all_reduce<T, reduction::max>;
    call->bytes = static_cast<std::int64_t>(values.size_bytes());
    call->receive = reinterpret_cast<std::byte*>(values.data());
    run(std::move(call));
  }

  void broadcast(std::byte* data, std::int64_t bytes, int root) {
    detail::check_bytes("broadcast", bytes);
    detail::check_root("broadcast", root, size());
    auto call = named("broadcast", detail::complete_broadcast);
    call->bytes = bytes;
    call->root = root;
    call->receive = data;
    run(std::move(call));
  }

  void barrier() {
    auto call = named("barrier", detail::complete_nothing);
    run(std::move(call));
  }

  [[nodiscard]] threads_comm split(int color, int order) { return divide("split", color, order); }
  [[nodiscard]] threads_comm duplicate() {
    auto made = divide("duplicate", 0, 0);
    made.name_ = name_;
    return made;
  }

  /// See `alarming`.
  [[nodiscard]] detail::threads_alarm make_alarm() const noexcept { return {board_, rank_}; }

  /// See `mailing`.
  [[nodiscard]] detail::threads_mailbox make_mailbox() {
    auto call = named("make_mailbox", detail::complete_make_mailbox);
    call->board = board_.get();
    board_->wait(rank_, board_->arrive(rank_, *call));
    detail::threads_mailbox mailbox(std::move(call->inboxes), rank_);
    board_->give_back(rank_, std::move(call));
    return mailbox;
  }

private:
  [[nodiscard]] std::unique_ptr<detail::threads_call> named(std::string_view name,
                                                            detail::threads_call::work complete) const {
    auto call = board_->take(rank_);
    call->begin(name, complete);
    call->threads = board_->threads();
    call->group = name_;
    return call;
  }

  static void set(detail::threads_call& call, outgoing const& out) {
    call.send = out.data;
    call.send_sizes.assign(out.sizes.begin(), out.sizes.end());
    call.send_offsets.assign(out.offsets.begin(), out.offsets.end());
  }

  void run(std::unique_ptr<detail::threads_call> call) {
    board_->wait(rank_, board_->arrive(rank_, *call));
    board_->give_back(rank_, std::move(call));
  }

  threads_comm divide(std::string_view name, int color, int order) {
    auto call = named(name, detail::threads_board::complete_split);
    call->color = color;
    call->order = order;
    call->board = board_.get();
    board_->wait(rank_, board_->arrive(rank_, *call));
    threads_comm part(std::move(call->new_board), call->new_rank);
    board_->give_back(rank_, std::move(call));
    return part;
  }

  std::shared_ptr<detail::threads_board> board_;
  int rank_;
  std::shared_ptr<std::string const> name_; // null: none
};

static_assert(communicator<threads_comm> && detail::alarming<threads_comm> && detail::mailing<threads_comm>);

namespace detail {

struct threads_outcome {
  std::exception_ptr thrown;
  bool original = false; ///< not an error that all ranks share
};

/// Calls `work` as one rank and tells the other ranks how it ended.
template <class Work>
threads_outcome run_thread(std::shared_ptr<threads_board> const& world, threads_family& family, int rank, Work& work) {
  try {
    work(threads_comm(world, rank));
    family.leave(rank);
    return {};
  } catch (collective_error const& failure) {
    family.fail(failure.rank(), failure.cause());
    return {std::current_exception(), false};
  } catch (std::exception const& failure) {
    family.fail(rank, failure.what());
    return {std::current_exception(), true};
  } catch (...) {
    family.fail(rank, "unknown exception");
    return {std::current_exception(), true};
  }
}

} // namespace detail

/// Calls `work(threads_comm)` on `ranks` new threads, one per rank, and returns when all have ended.
///
/// If a rank throws, the others throw a `collective_error` with its rank (as numbered here) and its text, where they
/// wait or call next. This also holds on communicators that were split from this one. A rank that returns while others
/// still wait for it has the same effect.
///
/// @throws the exception of the lowest rank that threw another error than a collective_error; if there is none, the
///         exception of the lowest rank
/// @throws precondition_error  if ranks < 1
template <class Work>
void run_threads(int ranks, Work work) {
  if (ranks < 1) {
    throw precondition_error(detail::message("run_threads: ", ranks, " ranks; pass 1 or more"));
  }
  auto const family = std::make_shared<detail::threads_family>(ranks);
  std::vector<int> threads(static_cast<std::size_t>(ranks));
  std::iota(threads.begin(), threads.end(), 0);
  auto const world = std::make_shared<detail::threads_board>(family, threads);
  std::vector<detail::threads_outcome> outcomes(threads.size());
  {
    std::vector<std::jthread> running;
    running.reserve(threads.size());
    for (int const rank : threads) {
      try {
        running.emplace_back(
            [&, rank] { outcomes[static_cast<std::size_t>(rank)] = detail::run_thread(world, *family, rank, work); });
      } catch (...) { // no more threads: the running ranks must not wait for this one
        family->fail(rank, "could not be started");
        throw;
      }
    }
  }
  auto failed = std::ranges::find_if(outcomes, &detail::threads_outcome::original);
  if (failed == outcomes.end()) {
    failed = std::ranges::find_if(outcomes, [](auto const& outcome) { return outcome.thrown != nullptr; });
  }
  if (failed != outcomes.end()) {
    std::rethrow_exception(failed->thrown);
  }
}

} // namespace glt

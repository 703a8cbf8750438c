// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/block_pool.hpp>
#include <glt/comm/detail/mailbox.hpp>

#include <chrono>

namespace glt {

namespace detail {

/// Cost of one kind of call on one rank.
struct traffic_count {
  std::int64_t collectives = 0;
  std::int64_t messages = 0; ///< to other ranks; empty ones are not sent, except as replies
  std::int64_t bytes = 0;    ///< to other ranks
  double seconds = 0;        ///< of the calling thread, waiting included

  traffic_count& operator+=(traffic_count const& other) noexcept {
    collectives += other.collectives;
    messages += other.messages;
    bytes += other.bytes;
    seconds += other.seconds;
    return *this;
  }
};

} // namespace detail

/// Traffic that one rank sent, by kind of call.
///
/// A rank's share of a reduction counts as one message. A broadcast counts as one message at its root. The model may
/// send more.
struct traffic {
  detail::traffic_count headers; ///< all_to_all
  detail::traffic_count payload; ///< all_to_all_v and start_all_to_all_v
  detail::traffic_count replies; ///< all_to_all_replies
  detail::traffic_count reduce;  ///< all_reduce
  detail::traffic_count sends;   ///< messages of mailboxes; not collective
  detail::traffic_count other;   ///< broadcast, barrier, split, duplicate, making of mailboxes

  [[nodiscard]] detail::traffic_count total() const noexcept {
    detail::traffic_count sum;
    return sum += headers, sum += payload, sum += replies, sum += reduce, sum += sends, sum += other;
  }
};

/// Communicator that counts the traffic that this rank sends through another communicator.
///
/// Copies of a handle count together; `split` and `duplicate` return a communicator whose counts start at zero. It
/// carries the same memory as the other one and has its other members. Alarms are not counted, nor are calls through
/// a reference to the other one. With a `device_comm` or an `nccl_comm`, count the communicator of the host, too.
///
/// Concurrent calls: none on a handle and its copies; another thread works on a `duplicate()`.
template <communicator C>
class counting_comm : public C {
  using clock = std::chrono::steady_clock;
  using inner_request = decltype(std::declval<C&>().start_all_to_all_v(outgoing{}, incoming{}));

  // Adds the seconds of its lifetime to a count.
  class stopwatch {
  public:
    explicit stopwatch(detail::traffic_count& count) noexcept : count_(count) {}
    stopwatch(stopwatch const&) = delete;
    stopwatch& operator=(stopwatch const&) = delete;
    ~stopwatch() { count_.seconds += std::chrono::duration<double>(clock::now() - start_).count(); }

  private:
    detail::traffic_count& count_;
    clock::time_point start_ = clock::now();
  };

public:
  /// Exchange under way; see the communicator that is counted.
  class request {
  public:
    void wait() {
      stopwatch const watch(counts_->payload);
      inner_.wait();
    }

  private:
    friend counting_comm;
    request(inner_request inner, std::shared_ptr<traffic> counts)
        : inner_(std::move(inner)), counts_(std::move(counts)) {}

    inner_request inner_;
    std::shared_ptr<traffic> counts_;
  };

  /// Mailbox whose messages are added to the counts of its communicator; so both are used by one thread. See
  /// `detail::mailbox`.
  template <detail::mailbox Inner>
  class counted_mailbox : public Inner {
  public:
    void send(int to, std::int64_t kind, detail::byte_block block) {
      auto const bytes = block.size();
      Inner::send(to, kind, std::move(block));
      if (to != rank_) {
        counts_->sends += {.messages = 1, .bytes = bytes};
      }
    }
    [[nodiscard]] std::optional<detail::mailbox_message> receive(detail::mailbox_limit limit) {
      stopwatch const watch(counts_->sends);
      return Inner::receive(limit);
    }
    [[nodiscard]] std::optional<detail::mailbox_message> receive_from(int source, detail::mailbox_limit limit) {
      stopwatch const watch(counts_->sends);
      return Inner::receive_from(source, limit);
    }
    void flush() {
      stopwatch const watch(counts_->sends);
      Inner::flush();
    }

  private:
    friend counting_comm;
    counted_mailbox(Inner inner, int rank, std::shared_ptr<traffic> counts)
        : Inner(std::move(inner)), rank_(rank), counts_(std::move(counts)) {}

    int rank_;
    std::shared_ptr<traffic> counts_;
  };

  explicit counting_comm(C inner) : C(std::move(inner)), counts_(std::make_shared<traffic>()) {}

  /// Returns the traffic since the beginning or the last `reset()`.
  [[nodiscard]] traffic const& counts() const noexcept { return *counts_; }
  void reset() noexcept { *counts_ = {}; }

  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    auto const peers = bytes > 0 ? this->size() - 1 : 0;
    auto const watch = count(counts_->headers, peers, peers * bytes);
    C::all_to_all(send, receive, bytes);
  }

  void all_to_all_v(outgoing out, incoming in) {
    auto const watch = count(counts_->payload, num_nonzero(out.sizes), sum(out.sizes));
    C::all_to_all_v(out, in);
  }

  [[nodiscard]] request start_all_to_all_v(outgoing out, incoming in) {
    auto const watch = count(counts_->payload, num_nonzero(out.sizes), sum(out.sizes));
    return {C::start_all_to_all_v(out, in), counts_};
  }

  void all_to_all_replies(outgoing out, std::span<char const> asked, std::span<char const> answering,
                          reply_buffer& replies) {
    auto const watch = count(counts_->replies, num_nonzero(answering), sum(out.sizes));
    C::all_to_all_replies(out, asked, answering, replies);
  }

  template <detail::reducible T>
  void all_reduce(std::span<T> values, reduction op) {
    auto const watch = count_shared(counts_->reduce, static_cast<std::int64_t>(values.size_bytes()));
    C::all_reduce(values, op);
  }

  void broadcast(std::byte* data, std::int64_t bytes, int root) {
    auto const watch = count_shared(counts_->other, this->rank() == root ? bytes : 0);
    C::broadcast(data, bytes, root);
  }

  void barrier() {
    auto const watch = count(counts_->other, 0, 0);
    C::barrier();
  }

  [[nodiscard]] counting_comm split(int color, int order) {
    auto const watch = count(counts_->other, 0, 0);
    return counting_comm(C::split(color, order));
  }

  [[nodiscard]] counting_comm duplicate() {
    auto const watch = count(counts_->other, 0, 0);
    return counting_comm(C::duplicate());
  }

  /// See `mailing`.
  [[nodiscard]] auto make_mailbox()
    requires detail::mailing<C>
  {
    auto const watch = count(counts_->other, 0, 0);
    return counted_mailbox<decltype(C::make_mailbox())>(C::make_mailbox(), this->rank(), counts_);
  }

private:
  static std::int64_t num_nonzero(auto const& values) {
    return std::ranges::count_if(values, [](auto value) { return value != 0; });
  }
  static std::int64_t sum(std::span<std::int64_t const> values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
  }
  static stopwatch count(detail::traffic_count& kind, std::int64_t messages, std::int64_t bytes) {
    kind += {.collectives = 1, .messages = messages, .bytes = bytes};
    return stopwatch(kind);
  }
  stopwatch count_shared(detail::traffic_count& kind, std::int64_t bytes) const {
    bool const sends = this->size() > 1 && bytes > 0;
    return count(kind, sends ? 1 : 0, sends ? bytes : 0);
  }

  std::shared_ptr<traffic> counts_;
};

} // namespace glt

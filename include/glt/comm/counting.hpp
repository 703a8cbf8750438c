// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/core/detail/members.hpp>

#include <chrono>
#include <mutex>

namespace glt {

namespace detail {

/// Cost of one kind of call on one rank.
struct traffic_count {
  std::int64_t collectives = 0;
  std::int64_t messages = 0; ///< to other ranks; empty ones are not sent, except as replies
  std::int64_t bytes = 0;    ///< to other ranks
  double seconds = 0;        ///< of the calling thread, waiting included

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.collectives, self.messages, self.bytes, self.seconds);
  }
  traffic_count& operator+=(traffic_count const& other) noexcept { return combine(*this, other, std::plus<>()); }
};

} // namespace detail

/// Traffic that one rank sent, by kind of call.
///
/// A rank's share of a reduction counts as one message. A broadcast counts as one message at its root. The model may
/// send more.
struct traffic {
  using count_type = detail::traffic_count; ///< messages, bytes and calls

  count_type headers{}; ///< all_to_all
  count_type payload{}; ///< all_to_all_v and start_all_to_all_v
  count_type replies{}; ///< all_to_all_replies
  count_type reduce{};  ///< all_reduce
  count_type sends{};   ///< messages of mailboxes; not collective
  count_type other{};   ///< broadcast, barrier, split, duplicate, making of mailboxes

  [[nodiscard]] count_type total() const noexcept {
    count_type sum;
    return sum += headers, sum += payload, sum += replies, sum += reduce, sum += sends, sum += other;
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.headers, self.payload, self.replies, self.reduce, self.sends, self.other);
  }
};

namespace detail {

/// Traffic of a communicator and its copies, and together with all its duplicates, which other threads may use.
class traffic_log {
public:
  [[nodiscard]] traffic const& own() const noexcept { return own_; }
  [[nodiscard]] traffic all() const {
    std::scoped_lock const hold(all_->lock);
    return all_->sent;
  }
  void reset() {
    own_ = {};
    std::scoped_lock const hold(all_->lock);
    all_->sent = {};
  }
  void add(traffic_count traffic::* kind, traffic_count const& more) {
    own_.*kind += more;
    std::scoped_lock const hold(all_->lock);
    all_->sent.*kind += more;
  }
  [[nodiscard]] traffic_log duplicate() const {
    traffic_log made(*this);
    made.own_ = {};
    return made;
  }

private:
  struct shared {
    std::mutex lock;
    traffic sent;
  };

  traffic own_;
  std::shared_ptr<shared> all_ = std::make_shared<shared>();
};

} // namespace detail

/// Communicator that counts the traffic that this rank sends through another communicator.
///
/// Copies of a handle and its duplicates count together, so the threads of a loader are counted. `split` returns a
/// communicator whose counts start at zero. It carries the same memory as the other one and has its other members.
/// Alarms are not counted, nor are calls through a reference to the other one. With a `device_comm` or an `nccl_comm`,
/// count the communicator of the host, too.
///
/// Concurrent calls: none on a handle and its copies; another thread works on a `duplicate()`.
template <communicator C>
class counting_comm : public C {
  using clock = std::chrono::steady_clock;
  using inner_request = decltype(std::declval<C&>().start_all_to_all_v(outgoing{}, incoming{}));

  using kind_of_call = detail::traffic_count traffic::*;

  // Counts a call, and the seconds of its own lifetime.
  class counted_call {
  public:
    counted_call(detail::traffic_log& log, kind_of_call kind, detail::traffic_count const& sent = {}) noexcept
        : log_(log), kind_(kind), sent_(sent) {}
    counted_call(counted_call const&) = delete;
    counted_call& operator=(counted_call const&) = delete;
    ~counted_call() {
      sent_.seconds = std::chrono::duration<double>(clock::now() - start_).count();
      log_.add(kind_, sent_);
    }

  private:
    detail::traffic_log& log_;
    kind_of_call kind_;
    detail::traffic_count sent_;
    clock::time_point start_ = clock::now();
  };

public:
  /// Exchange under way; see the communicator that is counted.
  class request {
  public:
    void wait() {
      counted_call const watch(*log_, &traffic::payload);
      inner_.wait();
    }

  private:
    friend counting_comm;
    request(inner_request inner, std::shared_ptr<detail::traffic_log> log)
        : inner_(std::move(inner)), log_(std::move(log)) {}

    inner_request inner_;
    std::shared_ptr<detail::traffic_log> log_;
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
        log_->add(&traffic::sends, {.messages = 1, .bytes = bytes});
      }
    }
    [[nodiscard]] std::optional<detail::mailbox_message> receive(detail::mailbox_limit limit) {
      counted_call const watch(*log_, &traffic::sends);
      return Inner::receive(limit);
    }
    [[nodiscard]] std::optional<detail::mailbox_message> receive_from(int source, detail::mailbox_limit limit) {
      counted_call const watch(*log_, &traffic::sends);
      return Inner::receive_from(source, limit);
    }
    void flush() {
      counted_call const watch(*log_, &traffic::sends);
      Inner::flush();
    }

  private:
    friend counting_comm;
    counted_mailbox(Inner inner, int rank, std::shared_ptr<detail::traffic_log> log)
        : Inner(std::move(inner)), rank_(rank), log_(std::move(log)) {}

    int rank_;
    std::shared_ptr<detail::traffic_log> log_;
  };

  explicit counting_comm(C inner) : counting_comm(std::move(inner), {}) {}

  /// Returns the traffic since the beginning or the last `reset()`, with the traffic of duplicates.
  [[nodiscard]] traffic counts() const { return log_->all(); }
  /// Returns the traffic of this communicator and its copies, without the duplicates.
  [[nodiscard]] traffic const& own_counts() const noexcept { return log_->own(); }
  /// Sets the counts to zero, except the own counts of duplicates.
  void reset() { log_->reset(); }

  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    auto const peers = bytes > 0 ? this->size() - 1 : 0;
    auto const watch = count(&traffic::headers, peers, peers * bytes);
    C::all_to_all(send, receive, bytes);
  }

  void all_to_all_v(outgoing out, incoming in) {
    auto const watch = count(&traffic::payload, num_nonzero(out.sizes), sum(out.sizes));
    C::all_to_all_v(out, in);
  }

  [[nodiscard]] request start_all_to_all_v(outgoing out, incoming in) {
    auto const watch = count(&traffic::payload, num_nonzero(out.sizes), sum(out.sizes));
    return {C::start_all_to_all_v(out, in), log_};
  }

  void all_to_all_replies(outgoing out, std::span<char const> asked, std::span<char const> answering,
                          reply_buffer& replies) {
    auto const watch = count(&traffic::replies, num_nonzero(answering), sum(out.sizes));
    C::all_to_all_replies(out, asked, answering, replies);
  }

  template <detail::reducible T>
  void all_reduce(std::span<T> values, reduction op) {
    auto const watch = count_shared(&traffic::reduce, static_cast<std::int64_t>(values.size_bytes()));
    C::all_reduce(values, op);
  }

  void broadcast(std::byte* data, std::int64_t bytes, int root) {
    auto const watch = count_shared(&traffic::other, this->rank() == root ? bytes : 0);
    C::broadcast(data, bytes, root);
  }

  void barrier() {
    auto const watch = count(&traffic::other, 0, 0);
    C::barrier();
  }

  [[nodiscard]] counting_comm split(int color, int order) {
    auto const watch = count(&traffic::other, 0, 0);
    return counting_comm(C::split(color, order));
  }

  [[nodiscard]] counting_comm duplicate() {
    auto const watch = count(&traffic::other, 0, 0);
    return counting_comm(C::duplicate(), log_->duplicate());
  }

  /// See `mailing`.
  [[nodiscard]] auto make_mailbox()
    requires detail::mailing<C>
  {
    auto const watch = count(&traffic::other, 0, 0);
    return counted_mailbox<decltype(C::make_mailbox())>(C::make_mailbox(), this->rank(), log_);
  }

private:
  counting_comm(C inner, detail::traffic_log log)
      : C(std::move(inner)), log_(std::make_shared<detail::traffic_log>(std::move(log))) {}

  static std::int64_t num_nonzero(auto const& values) {
    return std::ranges::count_if(values, [](auto value) { return value != 0; });
  }
  static std::int64_t sum(std::span<std::int64_t const> values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
  }
  counted_call count(kind_of_call kind, std::int64_t messages, std::int64_t bytes) {
    return {*log_, kind, {.collectives = 1, .messages = messages, .bytes = bytes}};
  }
  counted_call count_shared(kind_of_call kind, std::int64_t bytes) {
    bool const sends = this->size() > 1 && bytes > 0;
    return count(kind, sends ? 1 : 0, sends ? bytes : 0);
  }

  std::shared_ptr<detail::traffic_log> log_;
};

} // namespace glt

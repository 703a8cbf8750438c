// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/alarm.hpp>
#include <glt/comm/detail/block_pool.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/core/core.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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
/// carries the same memory as the other one. With a `device_comm` or an `nccl_comm`, count the communicator of the
/// host, too.
///
/// Concurrent calls: none on a handle and its copies; another thread works on a `duplicate()`.
template <communicator C>
class counting_comm {
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
  class counted_mailbox {
  public:
    [[nodiscard]] detail::byte_block make_block(std::int64_t bytes) { return inner_.make_block(bytes); }
    void send(int to, std::int64_t kind, detail::byte_block block) {
      auto const bytes = block.size();
      inner_.send(to, kind, std::move(block));
      if (to != rank_) {
        counts_->sends += {.messages = 1, .bytes = bytes};
      }
    }
    [[nodiscard]] std::optional<detail::mailbox_message> receive(detail::mailbox_limit limit) {
      stopwatch const watch(counts_->sends);
      return inner_.receive(limit);
    }
    [[nodiscard]] std::optional<detail::mailbox_message> receive_from(int source, detail::mailbox_limit limit) {
      stopwatch const watch(counts_->sends);
      return inner_.receive_from(source, limit);
    }
    void flush() {
      stopwatch const watch(counts_->sends);
      inner_.flush();
    }
    void close() noexcept { inner_.close(); }
    [[nodiscard]] bool has_died(int rank) const
      requires requires(Inner const& inner) { inner.has_died(0); }
    {
      return inner_.has_died(rank);
    }

  private:
    friend counting_comm;
    counted_mailbox(Inner inner, int rank, std::shared_ptr<traffic> counts)
        : inner_(std::move(inner)), rank_(rank), counts_(std::move(counts)) {}

    Inner inner_;
    int rank_;
    std::shared_ptr<traffic> counts_;
  };

  explicit counting_comm(C inner) : inner_(std::move(inner)), counts_(std::make_shared<traffic>()) {}

  [[nodiscard]] static constexpr bool carries(memory_space space) noexcept { return detail::carries_space<C>(space); }

  [[nodiscard]] int rank() const noexcept { return inner_.rank(); }
  [[nodiscard]] int size() const noexcept { return inner_.size(); }
  /// See `communicator`.
  [[nodiscard]] int world_rank(int rank) const noexcept { return detail::world_rank(inner_, rank); }
  [[nodiscard]] std::string_view name() const noexcept
    requires requires(C const& comm) { comm.name(); }
  {
    return inner_.name();
  }
  void set_name(std::string name)
    requires requires(C& comm) { comm.set_name(std::string()); }
  {
    inner_.set_name(std::move(name));
  }

  /// Returns the traffic since the beginning or the last `reset()`.
  [[nodiscard]] traffic const& counts() const noexcept { return *counts_; }
  void reset() noexcept { *counts_ = {}; }

  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    auto const peers = bytes > 0 ? size() - 1 : 0;
    auto const watch = count(counts_->headers, peers, peers * bytes);
    inner_.all_to_all(send, receive, bytes);
  }

  void all_to_all_v(outgoing out, incoming in) {
    auto const watch = count(counts_->payload, num_nonzero(out.sizes), sum(out.sizes));
    inner_.all_to_all_v(out, in);
  }

  [[nodiscard]] request start_all_to_all_v(outgoing out, incoming in) {
    auto const watch = count(counts_->payload, num_nonzero(out.sizes), sum(out.sizes));
    return {inner_.start_all_to_all_v(out, in), counts_};
  }

  void all_to_all_replies(outgoing out, std::span<char const> asked, std::span<char const> answering,
                          reply_buffer& replies) {
    auto const watch = count(counts_->replies, num_nonzero(answering), sum(out.sizes));
    inner_.all_to_all_replies(out, asked, answering, replies);
  }

  template <reducible T>
  void all_reduce(std::span<T> values, reduction op) {
    auto const watch = count_shared(counts_->reduce, static_cast<std::int64_t>(values.size_bytes()));
    inner_.all_reduce(values, op);
  }

  void broadcast(std::byte* data, std::int64_t bytes, int root) {
    auto const watch = count_shared(counts_->other, rank() == root ? bytes : 0);
    inner_.broadcast(data, bytes, root);
  }

  void barrier() {
    auto const watch = count(counts_->other, 0, 0);
    inner_.barrier();
  }

  [[nodiscard]] counting_comm split(int color, int order) {
    auto const watch = count(counts_->other, 0, 0);
    return counting_comm(inner_.split(color, order));
  }

  [[nodiscard]] counting_comm duplicate() {
    auto const watch = count(counts_->other, 0, 0);
    return counting_comm(inner_.duplicate());
  }

  /// See `mpi_comm`.
  [[nodiscard]] bool device_aware() const noexcept
    requires requires(C const& comm) { comm.device_aware(); }
  {
    return inner_.device_aware();
  }
  [[nodiscard]] bool allows_threads() const noexcept
    requires requires(C const& comm) { comm.allows_threads(); }
  {
    return inner_.allows_threads();
  }

  [[nodiscard]] auto options() const noexcept
    requires requires(C const& comm) { comm.options(); }
  {
    return inner_.options();
  }

  /// See `mpi_options::time_limit`.
  void note(detail::call_site site) noexcept
    requires requires(C& comm) { comm.note(site); }
  {
    inner_.note(site);
  }

  /// See `losable`.
  void mark_lost() noexcept
    requires losable<C>
  {
    inner_.mark_lost();
  }
  [[nodiscard]] bool is_lost() const noexcept
    requires losable<C>
  {
    return inner_.is_lost();
  }
  void give_up(char const* call) noexcept
    requires requires(C& comm) { comm.give_up(call); }
  {
    inner_.give_up(call);
  }
  void abort_job(char const* cause) noexcept
    requires requires(C& comm) { comm.abort_job(cause); }
  {
    inner_.abort_job(cause);
  }

  /// See `mpi_comm`.
  void mark_incomplete() noexcept
    requires requires(C& comm) { comm.mark_incomplete(); }
  {
    inner_.mark_incomplete();
  }
  [[nodiscard]] bool is_incomplete() const noexcept
    requires requires(C const& comm) { comm.is_incomplete(); }
  {
    return inner_.is_incomplete();
  }

  /// See `alarming`; its messages are not counted.
  [[nodiscard]] auto make_alarm()
    requires detail::alarming<C>
  {
    return inner_.make_alarm();
  }

  /// See `mailing`.
  [[nodiscard]] auto make_mailbox()
    requires detail::mailing<C>
  {
    auto const watch = count(counts_->other, 0, 0);
    return counted_mailbox<decltype(inner_.make_mailbox())>(inner_.make_mailbox(), rank(), counts_);
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
    bool const sends = size() > 1 && bytes > 0;
    return count(kind, sends ? 1 : 0, sends ? bytes : 0);
  }

  C inner_;
  std::shared_ptr<traffic> counts_;
};

} // namespace glt

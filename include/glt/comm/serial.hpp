// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/mailbox.hpp>

#include <deque>

namespace glt {

/// Single rank: distributed code runs on it unchanged, and nothing is ever sent.
///
/// Concurrent calls: any; it has no state.
class serial_comm {
public:
  /// Exchange that is complete when it begins.
  class request {
  public:
    void wait() noexcept {}
  };

  /// Alarm that is never raised: there is no other rank that could fail.
  class alarm {
  public:
    void raise() noexcept {}
    [[nodiscard]] bool raised() const noexcept { return false; }
    void settle(std::span<char const>) noexcept {}
  };

  /// Messages to the rank itself; it never waits.
  class mailbox {
  public:
    [[nodiscard]] detail::byte_block make_block(std::int64_t bytes) { return pool_.take(bytes); }
    void send(int to, std::int64_t kind, detail::byte_block bytes) {
      detail::check_peer("send", to, 1);
      inbox_.push_back({0, kind, std::move(bytes)});
    }
    [[nodiscard]] std::optional<detail::mailbox_message> receive(detail::mailbox_limit) {
      return detail::take_message(inbox_, 0);
    }
    [[nodiscard]] std::optional<detail::mailbox_message> receive_from(int source, detail::mailbox_limit limit) {
      detail::check_peer("receive_from", source, 1);
      return receive(limit);
    }
    void flush() noexcept {}
    void close() noexcept {}

  private:
    std::deque<detail::mailbox_message> inbox_;
    detail::block_pool pool_;
  };

  [[nodiscard]] int rank() const noexcept { return 0; }
  [[nodiscard]] int size() const noexcept { return 1; }

  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    detail::check_bytes("all_to_all", bytes);
    detail::move_bytes(receive, send, bytes);
  }

  void all_to_all_v(outgoing out, incoming in) { detail::check_exchange(out, in, 0, 1); }

  [[nodiscard]] request start_all_to_all_v(outgoing out, incoming in) {
    all_to_all_v(out, in);
    return {};
  }

  void all_to_all_replies(outgoing out, std::span<char const> asked, std::span<char const> answering,
                          reply_buffer& replies) {
    detail::check_replies(out, asked, answering, 0, 1);
    replies.sizes.assign(1, 0);
    replies.offsets.assign(1, 0);
  }

  template <detail::reducible T>
  void all_reduce(std::span<T>, reduction) noexcept {}

  void broadcast(std::byte*, std::int64_t bytes, int root) {
    detail::check_bytes("broadcast", bytes);
    detail::check_root("broadcast", root, 1);
  }

  void barrier() noexcept {}

  [[nodiscard]] serial_comm split(int, int) const noexcept { return {}; }
  [[nodiscard]] serial_comm duplicate() const noexcept { return {}; }

  /// See `alarming`.
  [[nodiscard]] alarm make_alarm() const noexcept { return {}; }

  /// See `mailing`.
  [[nodiscard]] mailbox make_mailbox() const { return {}; }
};

static_assert(communicator<serial_comm> && detail::alarming<serial_comm> && detail::mailing<serial_comm>);

} // namespace glt

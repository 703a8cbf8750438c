// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/loading/detail/packed.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/detail/receive_in_time.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

namespace glt::detail {

/// Messages that servers of a group send each other outside rounds: that they run, call for a round, or end.
///
/// Concurrent calls: none on one object.
class fellow_servers {
public:
  template <communicator Comm>
  explicit fellow_servers(dist::role_context<Comm> const& roles) : own_(roles.world_rank()) {
    for (auto const& group : roles.groups()) {
      if (group.name == roles.group_name()) {
        ranks_ = group.ranks;
      }
    }
  }

  /// Returns all servers, this one included, as ranks of the world, ordered by group rank.
  [[nodiscard]] std::vector<int> const& ranks() const noexcept { return ranks_; }
  [[nodiscard]] bool contain(int rank) const noexcept { return std::ranges::binary_search(ranks_, rank); }

  /// Returns true if all other servers have reported that they run.
  [[nodiscard]] bool are_present() const noexcept { return num_present_ == ranks_.size(); }
  /// Returns true if another server has called for a round since the last `answer_call`.
  [[nodiscard]] bool have_called() const noexcept { return have_called_; }
  void answer_call() noexcept { have_called_ = false; }

  template <mailbox Box>
  void tell(Box& box, service_message kind, std::int64_t number) const {
    for (int const other : ranks_) {
      if (other != own_) {
        send_packed(box, other, kind, number);
      }
    }
  }
  /// Handles a message of another server; `round` is the number of the next round.
  ///
  /// @throws agreed_error  if there will be no next round
  void hear(mailbox_message const& message, std::int64_t round) {
    auto reader = read_message(message);
    switch (static_cast<service_message>(message.kind)) {
    case service_message::present:
      ++num_present_;
      break;
    case service_message::bell: {
      std::int64_t wanted = 0;
      reader.get(wanted);
      have_called_ |= wanted >= round;
      break;
    }
    case service_message::gone: {
      failed_message head;
      reader.get(head);
      throw agreed_error(static_cast<int>(ranks_.size()), message.source, head.cause); // no round will be
    }
    default:
      throw error(
          detail::message("message of unknown kind ", message.kind, " from the server that is rank ", message.source));
    }
  }
  /// Says farewell after all clients have gone; `round` is the number of the next round. Afterwards no message of a
  /// server is in flight. Only a failed server still calls for another round.
  ///
  /// @comm   one message to every other server
  template <communicator Comm, mailbox Box>
  void part(Comm& world, Box& box, std::int64_t round) {
    tell(box, service_message::farewell, 0);
    for (auto left = ranks_.size() - 1; left > 0 && !have_called_;) {
      auto const message = receive_in_time(world, box, for_ever, [] { return "the end of another server"; });
      if (static_cast<service_message>(message->kind) == service_message::farewell) {
        --left;
      } else {
        hear(*message, round);
      }
    }
  }

private:
  int own_;
  std::vector<int> ranks_;
  std::size_t num_present_ = 1;
  bool have_called_ = false;
};

} // namespace glt::detail

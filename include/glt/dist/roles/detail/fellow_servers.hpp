// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/loading/detail/packed.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt::detail {

/// What the servers of a group say to each other outside of rounds: that they run, that they call for a round, and that
/// they end.
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

  /// All servers, this one included, as ranks of the world, by rank of the group.
  [[nodiscard]] std::vector<int> const& ranks() const noexcept { return ranks_; }
  [[nodiscard]] bool contain(int rank) const noexcept { return std::ranges::binary_search(ranks_, rank); }
  /// Who has failed, as rank of the world. Between threads, a rank that is no server's may have: this one then.
  [[nodiscard]] int world_rank_of(collective_error const& failure) const noexcept {
    auto const rank = static_cast<std::size_t>(failure.rank());
    return rank < ranks_.size() ? ranks_[rank] : own_;
  }

  /// True if all others have said that they run.
  [[nodiscard]] bool are_present() const noexcept { return num_present_ == ranks_.size(); }
  /// True if another one has called for a round since the last `answer_call`.
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
  /// Takes in what another one says while `round` is the next round.
  ///
  /// @throws agreed_error  if it never runs
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
      auto const rank = std::ranges::lower_bound(ranks_, message.source) - ranks_.begin();
      throw agreed_error(static_cast<int>(ranks_.size()), static_cast<int>(rank), head.cause); // no round will be
    }
    default:
      throw error(
          detail::message("message of unknown kind ", message.kind, " from the server that is rank ", message.source));
    }
  }
  /// When all clients have gone and `round` would be the next one: no message of a server is on its way afterwards, unless
  /// one calls for another round, which means that it has failed.
  ///
  /// @comm   one message to every other server
  template <mailbox Box>
  void part(Box& box, std::int64_t round) {
    tell(box, service_message::farewell, 0);
    for (auto left = ranks_.size() - 1; left > 0 && !have_called_;) {
      auto const message = box.receive(for_ever);
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

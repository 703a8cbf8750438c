// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/roles/context.hpp>

#include <chrono>

namespace glt::detail {

/// Makes the mailbox of servers and their clients; fails on all of them if a rank failed before.
///
/// @comm   collective over the world; one header exchange and the exchanges of `make_mailbox`
/// @throws collective_error  on every rank, if a rank failed or makes another call
template <communicator Comm>
  requires mailing<Comm>
[[nodiscard]] auto join_mailbox(dist::role_context<Comm>& roles) {
  exchange_values(host_comm(roles.world()), {.what = operation::join_roles, .hop = 1}, {});
  return roles.world().make_mailbox();
}

/// Lets ranks of one machine wake each other when they send, if their mailboxes need it; mailboxes of threads do not.
///
/// @comm   as `share`, or none
template <mailbox Box, node_memory Node>
void share_bells(Box& box, Node& node) {
  if constexpr (requires { Box::make_bells(node); }) {
    box.listen(Box::make_bells(node));
  }
}

/// Mailbox that tells whether the process of a rank has died, and whether it is of another job. MPI's mailbox does.
template <class Box>
concept tells_deaths = mailbox<Box> && requires(Box const& box) {
  { box.has_died(0) } -> std::same_as<bool>;
  { box.is_of_another_job(0) } -> std::same_as<bool>;
};

/// Time between two looks for dead processes.
inline constexpr mailbox_limit look_every{1};

/// Returns the next message of any rank, or nothing after `limit` or once `look()` returns true. If the mailbox tells
/// deaths, `look()` is called every second, and the communicator's time limit holds. After the time limit, this rank
/// asks all ranks where they are and ends the job, as in a collective: the awaited rank may itself wait for a stopped
/// one. `what()` names the expected message.
template <communicator Comm, mailbox Box, class What, class Look>
[[nodiscard]] std::optional<mailbox_message> receive_in_time(Comm& world, Box& box, mailbox_limit limit, What what,
                                                             Look look) {
  if constexpr (tells_deaths<Box>) {
    mailbox_limit const longest = world.options().time_limit;
    auto const begun = std::chrono::steady_clock::now();
    auto const waited = [&]() -> mailbox_limit { return std::chrono::steady_clock::now() - begun; };
    for (;;) {
      auto const to_longest = longest.count() > 0 ? longest - waited() : limit;
      if (auto message = box.receive(std::min({limit - waited(), to_longest, look_every}))) {
        return message;
      }
      if (look() || waited() >= limit) {
        return std::nullopt;
      }
      if (longest.count() > 0 && waited() >= longest) {
        world.give_up(message("receive, for ", what()).c_str());
      }
    }
  } else {
    return box.receive(limit);
  }
}
template <communicator Comm, mailbox Box, class What>
[[nodiscard]] std::optional<mailbox_message> receive_in_time(Comm& world, Box& box, mailbox_limit limit, What what) {
  return receive_in_time(world, box, limit, what, [] { return false; });
}

} // namespace glt::detail

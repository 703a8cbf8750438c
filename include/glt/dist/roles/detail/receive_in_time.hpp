// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/core/detail/message.hpp>

#include <optional>

namespace glt::detail {

/// The next message of any rank, or nothing after `limit`. A rank that has waited longer than its communicator allows
/// ends the job, as in a collective: one that was stopped answers nobody. `what()` names what it waits for.
template <communicator Comm, mailbox Box, class What>
[[nodiscard]] std::optional<mailbox_message> receive_in_time(Comm& world, Box& box, mailbox_limit limit, What what) {
  if constexpr (requires {
                  world.options().time_limit;
                  world.abort_job("");
                }) {
    mailbox_limit const longest = world.options().time_limit;
    if (longest.count() > 0 && longest < limit) {
      if (auto message = box.receive(longest)) {
        return message;
      }
      world.abort_job(message("has waited ", longest.count(), " s for ", what()).c_str());
    }
  }
  return box.receive(limit);
}

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/core/detail/message.hpp>

#include <optional>

namespace glt::detail {

/// Returns the next message of any rank, or nothing after `limit`. After the time limit of its communicator a waiting
/// rank ends the job, as in a collective: a stopped rank never answers. `what()` names the expected message.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/node_memory.hpp>

namespace glt::detail {

/// Lets ranks of one machine wake each other when they send, if their mailboxes need it; mailboxes of threads do not.
///
/// @comm   as `share`, or none
template <mailbox Box, node_memory Node>
void share_bells(Box& box, Node& node) {
  if constexpr (requires { Box::make_bells(node); }) {
    box.listen(Box::make_bells(node));
  }
}

} // namespace glt::detail

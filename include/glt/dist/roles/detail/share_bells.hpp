// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/node_memory.hpp>

#include <cstddef>
#include <span>

namespace glt::detail {

/// Lets the ranks of one machine wake each other up when they send something, where their mailboxes need that: mailboxes of
/// threads sleep anyway.
///
/// @comm   that of `share`, or none
template <mailbox Box, node_memory Node>
void share_bells(Box& box, Node& node) {
  if constexpr (requires { Box::make_bells(node); }) {
    box.listen(Box::make_bells(node));
  }
}

} // namespace glt::detail

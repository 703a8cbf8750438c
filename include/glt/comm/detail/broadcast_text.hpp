// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/lost_rank.hpp>

namespace glt::detail {

/// Gives the text of rank 0, or its bytes, to all ranks. A rank without memory for it is lost, as the others go on.
///
/// @pre    nothing can fail on a rank since the last header exchange; not checked
/// @comm   collective; two broadcasts
template <communicator C>
void broadcast_text(C& comm, std::string& text) {
  committed(comm, [&] {
    auto size = std::ssize(text);
    comm.broadcast(reinterpret_cast<std::byte*>(&size), sizeof(size), 0);
    text.resize(static_cast<std::size_t>(size));
    if (size > 0) {
      comm.broadcast(reinterpret_cast<std::byte*>(text.data()), size, 0);
    }
  });
}

} // namespace glt::detail

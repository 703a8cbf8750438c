// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/detail/exchange/gather_lists.hpp>

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace glt::io::detail {

/// Sends a text of every rank to rank 0.
///
/// @shape  → [R], by rank, on rank 0; on the other ranks their own text is followed by empty ones
/// @comm   collective; one header exchange and one variable exchange
template <communicator Comm>
[[nodiscard]] std::vector<std::string> gather_texts(Comm& comm, std::string const& text) {
  return glt::detail::gather_lists(comm, {.what = glt::detail::operation::shuffle}, {}, text,
                                   [](int rank) { return rank == 0; });
}

/// Gives the text of rank 0 to all ranks.
///
/// @comm   collective; two broadcasts
template <communicator Comm>
void broadcast_text(Comm& comm, std::string& text) {
  auto size = std::ssize(text);
  comm.broadcast(reinterpret_cast<std::byte*>(&size), sizeof(size), 0);
  text.resize(static_cast<std::size_t>(size));
  comm.broadcast(reinterpret_cast<std::byte*>(text.data()), size, 0);
}

} // namespace glt::io::detail

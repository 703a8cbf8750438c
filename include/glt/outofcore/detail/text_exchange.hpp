// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/view.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace glt::io::detail {

/// Sends a text of every rank to rank 0.
///
/// @shape  → [R], by rank, on rank 0; on the other ranks their own text is followed by empty ones
/// @comm   collective; one header exchange and one variable exchange
template <communicator Comm>
[[nodiscard]] std::vector<std::string> gather_texts(Comm& comm, std::string const& text) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> send(ranks, 0);
  send[0] = comm.rank() == 0 ? 0 : std::ssize(text);
  std::vector<glt::detail::call_header> headers(ranks);
  glt::detail::exchange_headers(comm, {.what = glt::detail::operation::shuffle}, send, 0, {}, headers);
  std::vector<std::int64_t> receive;
  for (auto const& header : headers) {
    receive.push_back(header.count);
  }
  std::string arrived(static_cast<std::size_t>(std::accumulate(receive.begin(), receive.end(), std::int64_t{0})), ' ');
  glt::detail::exchange_rows(comm, host_view<char const>(text.data(), send[0]), send,
                host_view<char>(arrived.data(), std::ssize(arrived)), receive);
  std::vector<std::string> texts;
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    bool const own = static_cast<int>(rank) == comm.rank();
    texts.push_back(own ? text : arrived.substr(next, static_cast<std::size_t>(receive[rank])));
    next += static_cast<std::size_t>(receive[rank]);
  }
  return texts;
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

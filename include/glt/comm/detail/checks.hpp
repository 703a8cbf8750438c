// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

#include <cstring>

namespace glt::detail {

/// Refuses a number of bytes below 0.
inline void check_bytes(std::string_view call, std::int64_t bytes) {
  if (bytes < 0) {
    throw precondition_error(message(call, ": ", bytes, " bytes; pass 0 or more"));
  }
}

/// Refuses a root that is not a rank.
inline void check_root(std::string_view call, int root, int ranks) {
  if (root < 0 || root >= ranks) {
    throw precondition_error(message(call, ": root ", root, " is no rank; ranks are 0 to ", ranks - 1));
  }
}

/// Refuses a peer that is not a rank.
inline void check_peer(std::string_view call, int peer, int ranks) {
  if (peer < 0 || peer >= ranks) {
    throw precondition_error(message(call, ": there is no rank ", peer, "; ranks are 0 to ", ranks - 1));
  }
}

/// Refuses an array that does not have one element per rank.
inline void check_length(std::string_view call, std::string_view array, std::size_t size, int ranks) {
  if (size != static_cast<std::size_t>(ranks)) {
    throw precondition_error(
        message(call, ": ", array, " has ", size, " elements; pass one per rank, that is ", ranks));
  }
}

/// Refuses sizes that are not one per rank, negative, or not 0 for the rank itself.
inline void check_sizes(std::string_view call, std::string_view array, std::span<std::int64_t const> sizes, int rank,
                        int ranks) {
  check_length(call, array, sizes.size(), ranks);
  for (std::size_t peer = 0; peer < sizes.size(); ++peer) {
    if (sizes[peer] < 0) {
      throw precondition_error(message(call, ": ", array, "[", peer, "] is ", sizes[peer], "; pass 0 or more bytes"));
    }
  }
  if (auto const own = sizes[static_cast<std::size_t>(rank)]; own != 0) {
    throw precondition_error(message(call, ": ", array, "[", rank, "] is ", own,
                                     ", but that is this rank itself; pass 0 and copy own bytes locally"));
  }
}

/// Refuses arguments that `all_to_all_v` does not accept.
inline void check_exchange(outgoing const& out, incoming const& in, int rank, int ranks) {
  check_sizes("all_to_all_v", "outgoing sizes", out.sizes, rank, ranks);
  check_length("all_to_all_v", "outgoing offsets", out.offsets.size(), ranks);
  check_sizes("all_to_all_v", "incoming sizes", in.sizes, rank, ranks);
  check_length("all_to_all_v", "incoming offsets", in.offsets.size(), ranks);
}

/// Refuses arguments that `all_to_all_replies` does not accept.
inline void check_replies(outgoing const& out, std::span<char const> asked, std::span<char const> answering, int rank,
                          int ranks) {
  constexpr std::string_view call = "all_to_all_replies";
  check_sizes(call, "outgoing sizes", out.sizes, rank, ranks);
  check_length(call, "outgoing offsets", out.offsets.size(), ranks);
  check_length(call, "asked", asked.size(), ranks);
  check_length(call, "answering", answering.size(), ranks);
  auto const self = static_cast<std::size_t>(rank);
  if (asked[self] != 0 || answering[self] != 0) {
    throw precondition_error(message(call, ": rank ", rank, " asks or answers itself; pass 0 for the own rank"));
  }
  for (std::size_t peer = 0; peer < out.sizes.size(); ++peer) {
    if (answering[peer] == 0 && out.sizes[peer] > 0) {
      throw precondition_error(message(call, ": ", out.sizes[peer], " bytes for rank ", peer,
                                       ", which expects no reply; set answering[", peer, "]"));
    }
  }
}

/// Copies bytes; accepts null pointers for 0 bytes.
inline void move_bytes(std::byte* to, std::byte const* from, std::int64_t bytes) noexcept {
  if (bytes > 0) {
    std::memmove(to, from, static_cast<std::size_t>(bytes));
  }
}

} // namespace glt::detail

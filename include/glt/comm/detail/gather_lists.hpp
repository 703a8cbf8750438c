// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/exchange.hpp>

namespace glt::detail {

/// Sends the list of every rank to the ranks with `receives(rank)`, which is the same function on all ranks. A list is
/// a `std::vector` or a `std::string`, of another length on each rank.
///
/// @shape  → [R], by rank, on a rank that receives; on other ranks only the local list is not empty
/// @comm   collective; one header exchange and one variable exchange; none on one rank
/// @throws collective_error  on every rank, if `failure` is not empty on one
template <communicator C, class List, std::predicate<int> Receives>
  requires bytes_copyable<typename List::value_type>
[[nodiscard]] std::vector<List> gather_lists(C& comm, call_site site, std::string const& failure, List const& own,
                                             Receives receives) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  auto const self = static_cast<std::size_t>(comm.rank());
  std::vector<std::int64_t> counts(ranks, 0);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    counts[rank] = rank != self && receives(static_cast<int>(rank)) ? std::ssize(own) : 0;
  }
  std::vector<call_header> headers;
  exchange_headers(comm, site, counts, 0, failure, headers);
  return committed(comm, [&] {
    constexpr auto item = static_cast<std::int64_t>(sizeof(typename List::value_type));
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> arriving;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      sizes.push_back(counts[rank] * item);
      arriving.push_back(headers[rank].count);
    }
    byte_counts received;
    received.set(arriving, item);
    List arrived;
    arrived.resize(static_cast<std::size_t>(received.total() / item));
    if (ranks > 1) {
      std::vector<std::int64_t> const from_the_start(ranks, 0);
      comm.all_to_all_v({reinterpret_cast<std::byte const*>(own.data()), sizes, from_the_start},
                        received.in(arrived.data()));
    }
    std::vector<List> lists;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const first = arrived.begin() + received.offset(rank) / item;
      lists.push_back(rank == self ? own : List(first, first + arriving[rank]));
    }
    return lists;
  });
}

/// Sends the list of every rank to all ranks.
template <communicator C, class List>
[[nodiscard]] std::vector<List> gather_lists(C& comm, call_site site, std::string const& failure, List const& own) {
  return gather_lists(comm, site, failure, own, [](int) { return true; });
}

} // namespace glt::detail

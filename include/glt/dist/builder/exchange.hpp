// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/detail/exchange/agree.hpp>

namespace glt::detail {

/// Lists of items from all ranks, one after the other.
///
/// @shape  items [offsets.back()] · offsets [R + 1]
template <bytes_copyable T>
struct rank_lists {
  buffer<device::cpu, T> items;
  std::vector<std::int64_t> offsets;

  /// Returns the list of one rank; @pre the rank is in [0, R), not checked.
  [[nodiscard]] host_view<T const> from(int rank) const {
    auto const p = static_cast<std::size_t>(rank);
    return items.view().subview(offsets[p], offsets[p + 1] - offsets[p]);
  }
};

/// Bytes that a rank sends in one message round of an exchange, about.
inline constexpr std::int64_t exchange_round_bytes = std::int64_t{64} << 20;

/// Returns the most items of a round for all ranks together; at least 1.
[[nodiscard]] inline std::int64_t items_of_bytes(std::int64_t round_bytes, std::int64_t item_bytes) noexcept {
  return std::max<std::int64_t>(round_bytes / std::max<std::int64_t>(item_bytes, 1), 1);
}

/// Returns `round_bytes`, which all ranks pass.
///
/// @comm   collective; one header exchange
/// @throws collective_error  on every rank, if `failure` is not empty on one, or if ranks pass different values
template <communicator Comm>
std::int64_t agree_on_round_bytes(Comm& comm, std::string const& failure, std::int64_t round_bytes) {
  agree(comm, {.what = operation::user, .hop = -3}, failure, round_bytes, [](std::int64_t own, std::int64_t first) {
    return message("passes round_bytes ", own, " while rank 0 passes ", first, "; pass the same on all ranks");
  });
  return round_bytes;
}

/// Sends lists as `dist::exchange`; a rank that has a failure passes it instead of staying away.
template <communicator Comm, bytes_copyable T>
[[nodiscard]] rank_lists<T> exchange_lists(Comm& comm, call_site site, std::string failure, host_view<T const> items,
                                           std::span<std::int64_t const> counts, std::int64_t round_bytes) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  auto const self = static_cast<std::size_t>(comm.rank());
  std::vector<std::int64_t> sent_offsets;
  std::vector<std::int64_t> remote(ranks, 0);
  auto const most = items_of_bytes(round_bytes / comm.size(), sizeof(T)); // for one rank in a round
  attempt(failure, [&] {
    if (counts.size() != ranks || std::ranges::any_of(counts, [](auto count) { return count < 0; })) {
      throw precondition_error(message("exchange with ", counts.size(), " counts for ", ranks,
                                       " ranks; give one per rank, of 0 or more items"));
    }
    prefix_sums(counts, sent_offsets);
    if (sent_offsets.back() != items.size()) {
      throw precondition_error(
          message("exchange of ", items.size(), " items, but the counts say ", sent_offsets.back()));
    }
    std::ranges::copy(counts, remote.begin());
    remote[self] = 0;
  });
  std::vector<call_header> headers;
  exchange_headers(comm, site, remote, (std::ranges::max(remote) + most - 1) / most, failure, headers);
  return committed(comm, [&] {
    auto const rounds = std::ranges::max(headers, {}, &call_header::value).value;
    std::vector<std::int64_t> arriving;
    for (auto const& header : headers) {
      arriving.push_back(header.count);
    }
    arriving[self] = counts[self];
    rank_lists<T> made;
    prefix_sums(arriving, made.offsets);
    made.items.resize(made.offsets.back());
    if (counts[self] > 0) {
      std::copy_n(items.data() + sent_offsets[self], counts[self], made.items.data() + made.offsets[self]);
    }
    arriving[self] = 0;
    struct slices {
      std::vector<std::int64_t> sizes;
      std::vector<std::int64_t> begins;
      void set(std::span<std::int64_t const> all, std::span<std::int64_t const> offsets, std::int64_t first,
               std::int64_t count) {
        sizes.clear();
        begins.clear();
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
          auto const begin = std::min(first, all[rank]);
          sizes.push_back(std::min(count, all[rank] - begin) * static_cast<std::int64_t>(sizeof(T)));
          begins.push_back((offsets[rank] + begin) * static_cast<std::int64_t>(sizeof(T)));
        }
      }
    };
    slices out;
    slices in;
    for (std::int64_t round = 0; round < rounds; ++round) {
      out.set(remote, sent_offsets, round * most, most);
      in.set(arriving, made.offsets, round * most, most);
      comm.all_to_all_v({reinterpret_cast<std::byte const*>(items.data()), out.sizes, out.begins},
                        {reinterpret_cast<std::byte*>(made.items.data()), in.sizes, in.begins});
    }
    return made;
  });
}

} // namespace glt::detail

namespace glt::dist {

/// Lists of items that all ranks sent to this one: every rank sends a list to every rank. The lists of different ranks
/// may have different lengths, known only to their senders. Items travel straight between the two lists, in rounds.
///
///     auto const received = glt::dist::exchange<double>(comm, values, counts); // counts[r] values for rank r
///     for (auto const value : received.from(0)) { … }
///
/// @shape  items [offsets.back()] · offsets [R + 1], by the rank that sent
template <bytes_copyable T>
struct exchange : glt::detail::rank_lists<T> {
  /// Sends and receives; `round_bytes`, the same on all ranks, are sent in one message round, about.
  ///
  /// @shape  sent [sum of counts], the items for rank 0 first · counts [R]
  /// @comm   collective; two header exchanges, and a variable exchange per round
  /// @throws collective_error  on every rank, if a rank does not have R counts of 0 or more, or another number of items
  ///                           than they say, or if ranks differ in `round_bytes`
  template <communicator Comm>
  exchange(Comm& comm, host_view<T const> sent, std::span<std::int64_t const> counts,
           std::int64_t round_bytes = glt::detail::exchange_round_bytes)
      : glt::detail::rank_lists<T>(glt::detail::exchange_lists(
            glt::detail::host_comm(comm), {.what = glt::detail::operation::user, .hop = sizeof(T)}, {}, sent, counts,
            glt::detail::agree_on_round_bytes(glt::detail::host_comm(comm), {}, round_bytes))) {}
};

} // namespace glt::dist

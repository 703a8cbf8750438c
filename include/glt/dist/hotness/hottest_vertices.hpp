// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/exchange.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/partition/book.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace glt::detail {

/// The vertices of this rank from the hottest to the coldest, the lower id first where two are as hot; without
/// those that are never touched.
class vertices_by_heat {
public:
  /// @throws precondition_error  if a hotness is negative or no number
  explicit vertices_by_heat(host_view<double const> hotness) {
    for (std::int64_t v = 0; v < hotness.size(); ++v) {
      if (!(hotness[v] >= 0)) {
        throw precondition_error(
            message("hotness of vertex ", v, " of the part is ", hotness[v], "; it is 0 or more"));
      }
      if (hotness[v] > 0) {
        vertices_.push_back(static_cast<local_id>(v));
      }
    }
    std::ranges::stable_sort(vertices_, std::greater<>(), [&](local_id v) { return hotness[v]; });
    for (auto const v : vertices_) {
      heats_.push_back(std::bit_cast<std::int64_t>(hotness[v])); // numbers from 0 on are ordered as their bits
    }
  }

  [[nodiscard]] std::vector<local_id> const& vertices() const noexcept { return vertices_; }
  /// How many are hotter, by the bits of the hotness.
  [[nodiscard]] std::int64_t hotter_than(std::int64_t bits) const {
    return std::ranges::lower_bound(heats_, bits, std::greater<>()) - heats_.begin();
  }

private:
  std::vector<local_id> vertices_;
  std::vector<std::int64_t> heats_;
};

// One number for every rank, and one of every rank.
template <communicator Comm>
[[nodiscard]] std::vector<std::int64_t> trade_numbers(Comm& comm, std::vector<std::int64_t> const& sent) {
  std::vector<std::int64_t> received(sent.size());
  comm.all_to_all(reinterpret_cast<std::byte const*>(sent.data()), reinterpret_cast<std::byte*>(received.data()),
                  sizeof(std::int64_t));
  return received;
}

// Every rank's vertices that are hotter than a bound, which every rank sets for itself; 0 for itself.
template <communicator Comm>
[[nodiscard]] std::vector<std::int64_t> count_hotter(Comm& comm, vertices_by_heat const& own, std::int64_t bound) {
  auto counts = trade_numbers(comm, std::vector<std::int64_t>(static_cast<std::size_t>(comm.size()), bound));
  for (auto& asked : counts) {
    asked = own.hotter_than(asked);
  }
  counts[static_cast<std::size_t>(comm.rank())] = 0;
  return trade_numbers(comm, counts);
}

} // namespace glt::detail

namespace glt::dist {

/// The `count` hottest vertices of other ranks: what is worth a copy here. Vertices that are never touched are
/// not among them, so there may be fewer; of two that are as hot the one of the lower global id comes first.
///
/// Pass the hotness for the batches of all ranks; or let ranks take turns, in which all pass the hotness for
/// the batches of one and only that one a `count`.
///
/// @shape  hotness [rows of this part] → global ids, by owner, the hottest of an owner first
/// @comm   collective; a header exchange, 131 exchanges of 8 bytes a rank, and 4 bytes a vertex of the result
/// @throws collective_error  on every rank, if the book of a rank is not for these ranks or differs, there is
///                           not one hotness per vertex of the part, one is negative or no number, or a
///                           count is negative
/// @cost   O(n log n) for n vertices of the part; memory O(n + result)
template <communicator Comm>
[[nodiscard]] std::vector<global_id> hottest_vertices(Comm& comm, partition_book const& book,
                                                      host_view<double const> hotness, std::int64_t count) {
  std::vector<detail::vertices_by_heat> sorted;
  auto const failure = failure_of([&] {
    if (book.num_parts() != comm.size() || hotness.size() != book.size(comm.rank())) {
      throw precondition_error(detail::message("hotness of ", hotness.size(), " vertices for a book of ",
                                                    book.num_parts(), " parts on rank ", comm.rank(), " of ",
                                                    comm.size(), "; give one number per vertex of the part"));
    }
    if (count < 0) {
      throw precondition_error(detail::message(count, " hottest vertices; ask for 0 or more"));
    }
    sorted.emplace_back(hotness);
  });
  agree(comm, {.what = operation::estimate_hotness}, failure, book_fingerprint(book), [](auto, auto) {
    return "chooses hot vertices by another partition book than rank 0; load parts of one partition on all ranks";
  });
  auto const& own = sorted.front();
  auto const total = [](std::vector<std::int64_t> const& counts) {
    std::int64_t sum = 0;
    for (auto const each : counts) {
      sum += each;
    }
    return sum;
  };
  // Bisects the bits of the hotness for the lowest bound that at most `count` vertices are above.
  std::int64_t bound = 0;
  for (std::int64_t beyond = std::int64_t{1} << 62; beyond > 0; beyond /= 2) {
    if (total(detail::count_hotter(comm, own, bound + beyond - 1)) > count) {
      bound += beyond;
    }
  }
  auto taken = detail::count_hotter(comm, own, bound);
  auto const not_colder = detail::count_hotter(comm, own, bound - 1);
  auto left = count - total(taken);
  for (std::size_t rank = 0; rank < taken.size(); ++rank) {
    auto const ties = std::min(left, not_colder[rank] - taken[rank]);
    taken[rank] += ties;
    left -= ties;
  }

  auto const given = detail::trade_numbers(comm, taken);
  byte_counts sent_bytes;
  byte_counts received_bytes;
  sent_bytes.set(given, sizeof(local_id));
  received_bytes.set(taken, sizeof(local_id));
  std::vector<local_id> received(static_cast<std::size_t>(total(taken)));
  auto out = sent_bytes.out(reinterpret_cast<std::byte const*>(own.vertices().data()));
  std::vector<std::int64_t> const from_the_hottest(taken.size(), 0);
  out.offsets = from_the_hottest;
  comm.all_to_all_v(out, received_bytes.in(reinterpret_cast<std::byte*>(received.data())));
  std::vector<global_id> hottest;
  hottest.reserve(received.size());
  for (std::size_t rank = 0; rank < taken.size(); ++rank) {
    for (std::int64_t i = 0; i < taken[rank]; ++i) {
      hottest.push_back(book.begin(static_cast<int>(rank)) + received[hottest.size()]);
    }
  }
  return hottest;
}

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/detail/bucket_sort.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::detail {

/// Sends items of a fixed size to ranks: `routed_list` for items that are more than a vertex, in ordinary memory.
///
/// Items for the own rank never enter a message, and lie among the received ones like those of others. The
/// order between two ranks is that of the list. Reusable; the memory is kept. Concurrent calls: none.
template <communicator Comm, bytes_copyable Item>
class routed_items {
public:
  explicit routed_items(Comm comm) : exchange_(std::move(comm)) {}

  /// Takes item(i) for rank_of(i), for i in [0, count). What rank_of throws leaves here; the rank then calls
  /// `send` with the failure.
  ///
  /// @cost   O(count)
  template <class ItemAt, class RankOf>
  void route(std::int64_t count, ItemAt item, RankOf rank_of) {
    sorted_.resize(static_cast<std::size_t>(count));
    offsets_ = sort_.sort(count, exchange_.size(), rank_of, [&](std::int64_t at, std::int64_t i, int) {
      sorted_[static_cast<std::size_t>(at)] = item(i);
    });
  }

  /// Agrees with the other ranks on this call, and sends.
  ///
  /// @comm   collective; one header exchange and, if any rank has an item for another, one variable exchange
  ///         of sizeof(Item) bytes an item
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  void send(call_site site, std::int64_t value = 0, std::string const& failure = {}) {
    if (!failure.empty()) {
      route(
          0, [](std::int64_t) { return Item(); }, [](std::int64_t) { return 0; });
    }
    counts_.resize(static_cast<std::size_t>(exchange_.size()));
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      counts_[rank] = offsets_[rank + 1] - offsets_[rank];
    }
    exchange_.exchange_counts(site, counts_, value, failure);
    received_.resize(static_cast<std::size_t>(exchange_.received_offsets().back()));
    exchange_.start(host_view<Item const>(sorted_), host_view<Item>(received_));
    exchange_.wait();
  }

  /// Sends a reply for every received item to where it came from.
  ///
  /// @shape  replies [received] · arrived [sent], written, in the order of `places`
  /// @comm   collective; one variable exchange if any rank sent an item to another
  template <bytes_copyable Reply>
  void reply(std::span<Reply const> replies, std::span<Reply> arrived) {
    exchange_.start_back(host_view<Reply const>(replies), host_view<Reply>(arrived));
    exchange_.wait();
  }

  /// True if any rank sent anything to another.
  [[nodiscard]] bool anything() const noexcept { return exchange_.anything(); }
  /// What the ranks passed as `value`.
  [[nodiscard]] std::span<call_header const> headers() const noexcept { return exchange_.headers(); }

  /// The place in the list of every item, by receiver.
  [[nodiscard]] std::span<std::int64_t const> places() const noexcept { return sort_.places(); }

  /// By sender, own items included.
  [[nodiscard]] std::span<Item const> received() const noexcept { return received_; }
  /// @shape  [R + 1]
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept {
    return exchange_.received_offsets();
  }
  /// What one rank sent.
  [[nodiscard]] std::span<Item const> received_of(int rank) const {
    auto const p = static_cast<std::size_t>(rank);
    return received().subspan(static_cast<std::size_t>(received_offsets()[p]),
                              static_cast<std::size_t>(received_offsets()[p + 1] - received_offsets()[p]));
  }

  [[nodiscard]] Comm& comm() noexcept { return exchange_.comm(); }

private:
  bucket_sort<device::cpu> sort_;
  std::span<std::int64_t const> offsets_; // of `sort_`
  std::vector<Item> sorted_;
  std::vector<std::int64_t> counts_;
  std::vector<Item> received_;
  slice_exchange<Comm> exchange_; // last: completed before the memory goes
};

} // namespace glt::detail

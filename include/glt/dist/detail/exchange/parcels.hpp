// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Sends items of a fixed size to ranks: `requests` for items that are more than a vertex.
///
/// Items for the own rank never enter a message, and lie among the received ones like those of others. The
/// order between two ranks is that of the list. Reusable; the memory is kept.
template <communicator Comm, bytes_copyable Item>
class parcels {
public:
  explicit parcels(Comm comm) : comm_(std::move(comm)) {}

  /// Takes item(i) for rank_of(i), for i in [0, count). What rank_of throws leaves here; the rank then calls
  /// `send` with the failure.
  ///
  /// @cost   O(count)
  template <class ItemAt, class RankOf>
  void route(std::int64_t count, ItemAt item, RankOf rank_of) {
    rank_.resize(static_cast<std::size_t>(count));
    counts_.assign(static_cast<std::size_t>(comm_.size()), 0);
    for (std::int64_t i = 0; i < count; ++i) {
      rank_[static_cast<std::size_t>(i)] = rank_of(i);
      ++counts_[static_cast<std::size_t>(rank_[static_cast<std::size_t>(i)])];
    }
    detail::prefix_sums(counts_, offsets_);
    sorted_.resize(rank_.size());
    places_.resize(rank_.size());
    next_ = offsets_;
    for (std::int64_t i = 0; i < count; ++i) {
      auto const at = static_cast<std::size_t>(next_[static_cast<std::size_t>(rank_[static_cast<std::size_t>(i)])]++);
      sorted_[at] = item(i);
      places_[at] = i;
    }
  }

  /// Agrees with the other ranks on this call, and sends.
  ///
  /// @comm   collective; one header exchange and, if any rank has an item for another, one variable exchange
  ///         of sizeof(Item) bytes an item
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  void send(call_site site, std::int64_t value = 0, std::string const& failure = {}) {
    auto const self = static_cast<std::size_t>(comm_.rank());
    if (!failure.empty()) {
      route(0, [](std::int64_t) { return Item(); }, [](std::int64_t) { return 0; });
    }
    auto const own = std::exchange(counts_[self], 0);
    headers_.resize(counts_.size());
    exchange_headers(comm_, site, counts_, value, failure, headers_);
    anything_ = false;
    received_counts_.resize(counts_.size());
    for (std::size_t rank = 0; rank < headers_.size(); ++rank) {
      received_counts_[rank] = rank == self ? own : headers_[rank].count;
      anything_ = anything_ || headers_[rank].total > 0;
    }
    detail::prefix_sums(received_counts_, received_offsets_);
    received_.resize(static_cast<std::size_t>(received_offsets_.back()));
    counts_[self] = own;
    slices_.run(comm_, anything_, std::span<Item const>(sorted_), offsets_, std::span(received_), received_offsets_);
  }

  /// True if any rank sent anything to another.
  [[nodiscard]] bool anything() const noexcept { return anything_; }
  /// What the ranks passed as `value`.
  [[nodiscard]] std::span<call_header const> headers() const noexcept { return headers_; }

  /// The place in the list of every item, by receiver.
  [[nodiscard]] std::span<std::int64_t const> places() const noexcept { return places_; }
  /// @shape  [R + 1]
  [[nodiscard]] std::span<std::int64_t const> sent_offsets() const noexcept { return offsets_; }

  /// By sender, own items included.
  [[nodiscard]] std::span<Item const> received() const noexcept { return received_; }
  /// @shape  [R + 1]
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept { return received_offsets_; }
  /// What one rank sent.
  [[nodiscard]] std::span<Item const> received_of(int rank) const {
    auto const p = static_cast<std::size_t>(rank);
    return received().subspan(static_cast<std::size_t>(received_offsets_[p]),
                              static_cast<std::size_t>(received_offsets_[p + 1] - received_offsets_[p]));
  }

  [[nodiscard]] Comm& comm() noexcept { return comm_; }

private:
  Comm comm_;
  std::vector<int> rank_;
  std::vector<Item> sorted_;
  std::vector<std::int64_t> places_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> next_;
  std::vector<Item> received_;
  std::vector<std::int64_t> received_counts_;
  std::vector<std::int64_t> received_offsets_;
  std::vector<call_header> headers_;
  slice_exchange slices_;
  bool anything_ = false;
};

} // namespace glt::dist

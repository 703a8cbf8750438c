// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/owner_buckets.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::detail {

/// The item of a vertex that travels alone: the number by which its owner knows it.
struct row_alone {
  GLT_HOST_DEVICE local_id operator()(std::int64_t, local_id row) const { return row; }
};

template <memory_space Space, class Item, class ItemOf>
struct make_routed_item {
  ItemOf item_of;
  array_view<Space, std::int64_t const> places;
  array_view<Space, local_id const> rows;
  array_view<Space, Item> items;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { items[i] = item_of(places[i], rows[i]); }
};

/// Sends an item of a fixed size to the owner of each key of a list; the first half of every request.
///
/// Items for the own rank never enter a message, and lie among the received ones like those of others. The order
/// between two ranks is that of the list. Reusable; the memory is kept.
template <communicator Comm, device_policy Policy, bytes_copyable Item>
class routed_items {
  static constexpr memory_space space = Policy::space;

public:
  /// @comm   that of `slice_exchange`
  explicit routed_items(Comm comm, Policy policy = {})
      : policy_(policy), exchange_(std::move(comm), policy), counts_(static_cast<std::size_t>(exchange_.size()), 0),
        items_(make_message_buffer<Item>(policy)), received_(make_message_buffer<Item>(policy)) {}

  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }
  [[nodiscard]] int rank() const noexcept { return exchange_.rank(); }
  [[nodiscard]] int size() const noexcept { return exchange_.size(); }
  /// What payloads along the routes, and back, go through.
  [[nodiscard]] slice_exchange<Comm, Policy>& exchange() noexcept { return exchange_; }

  /// Takes item_of(i, number of key i in its part) for the owner of every key i.
  ///
  /// @where  waits for the sizes of the buckets
  /// @throws precondition_error  if a key is not in [0, book.num_vertices()); call `send` with that failure
  /// @cost   O(S log P)
  template <class Vertex, class ItemOf>
  void route(partition_book const& book, array_view<space, Vertex> keys, ItemOf item_of) {
    if (!buckets_ || !(buckets_->book() == book)) {
      buckets_.emplace(book, policy_);
    }
    auto const offsets = buckets_->sort(keys);
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      counts_[rank] = offsets[rank + 1] - offsets[rank];
    }
    items_.clear(); // nothing to keep
    items_.resize(keys.size());
    policy_.executor().for_each(
        keys.size(), make_routed_item<space, Item, ItemOf>{item_of, places(), buckets_->rows(), items_.view()});
  }

  /// Agrees with the other ranks on this call, and sends; returns what the ranks passed as `value`.
  ///
  /// @shape  returns [R]
  /// @comm   collective; one header exchange and, if any rank has an item for another, one variable exchange of
  ///         sizeof(Item) bytes an item
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  std::span<call_header const> send(call_site site, std::int64_t value = 0, std::string const& failure = {}) {
    if (!failure.empty()) {
      counts_.assign(counts_.size(), 0);
    }
    auto const headers = exchange_.exchange_counts(site, counts_, value, failure);
    if (anything()) {
      committed(exchange_.host(), [&] {
        received_.clear();
        received_.resize(received_offsets().back());
        exchange_.start(std::as_const(items_).view(), received_.view());
        exchange_.wait();
      });
    }
    return headers;
  }

  /// True if any rank sent anything to another: if not, `received()` are the own items. The same on all ranks.
  [[nodiscard]] bool anything() const noexcept { return exchange_.anything(); }

  /// The place in the list of every item, by receiver.
  [[nodiscard]] array_view<space, std::int64_t const> places() const noexcept { return buckets_->places(); }
  /// By sender, own items included.
  [[nodiscard]] array_view<space, Item const> received() const noexcept {
    return anything() ? received_.view() : items_.view();
  }
  /// @shape  [R + 1]
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept { return exchange_.received_offsets(); }
  /// What one rank sent.
  [[nodiscard]] array_view<space, Item const> received_of(int rank) const {
    auto const p = static_cast<std::size_t>(rank);
    return received().subview(received_offsets()[p], received_offsets()[p + 1] - received_offsets()[p]);
  }

private:
  Policy policy_;
  slice_exchange<Comm, Policy> exchange_;
  std::optional<owner_buckets<Policy>> buckets_; // of the book of the last list
  std::vector<std::int64_t> counts_;             // [R]
  buffer<message_policy<Policy>, Item> items_;
  buffer<message_policy<Policy>, Item> received_;
};

} // namespace glt::detail

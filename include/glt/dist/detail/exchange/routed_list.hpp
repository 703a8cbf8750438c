// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/core/core.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/owner_buckets.hpp>

namespace glt::detail {

/// Number of a vertex in its part, flagged or not, with a value, as sent to the owner: without gaps, in a multiple of 4
/// bytes.
template <bytes_copyable T>
class row_with {
public:
  row_with() = default;
  GLT_HOST_DEVICE row_with(local_id row, T value) noexcept : row_(row) { copy_bytes(words_, &value, sizeof(value)); }

  [[nodiscard]] GLT_HOST_DEVICE local_id row() const noexcept { return row_; }
  [[nodiscard]] GLT_HOST_DEVICE T value() const noexcept {
    T value;
    copy_bytes(&value, words_, sizeof(value));
    return value;
  }

private:
  local_id row_;
  local_id words_[(sizeof(T) + 3) / 4]; // the alignment of a value may be larger
};

/// Functor that makes items of rows with the values of a list.
template <memory_space Space, class T>
struct make_row_with {
  array_view<Space, T const> values;
  GLT_HOST_DEVICE row_with<T> operator()(std::int64_t i, local_id row) const { return {row, values[i]}; }
};

/// Item of a vertex that travels alone: its number in its owner's part.
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

/// Fixed-size items that are sent to the owner of each key of a list: the first half of every request.
///
/// Call `route` and `send`; or `route`, `agree`, `start` and, after local work, `finish`. Items for this rank never
/// enter a message: they lie among the received items, in rank order, or stay apart. Items between two ranks keep the
/// order of the list. Reusable; the memory is kept.
template <communicator Comm, device_policy Policy = device::cpu, bytes_copyable Item = local_id>
class routed_list {
  static constexpr memory_space space = Policy::space;

public:
  /// @comm   as the constructor of `slice_exchange`
  explicit routed_list(Comm comm, Policy policy = {}, own_rows own = own_rows::received)
      : policy_(policy), own_(own), counts_(static_cast<std::size_t>(comm.size()), 0),
        made_(make_message_buffer<Item>(policy)), received_(make_message_buffer<Item>(policy)),
        exchange_(std::move(comm), policy) {}

  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }
  [[nodiscard]] int rank() const noexcept { return exchange_.rank(); }
  [[nodiscard]] int size() const noexcept { return exchange_.size(); }
  /// Returns the exchange for payloads along the routes and back.
  [[nodiscard]] slice_exchange<Comm, Policy>& exchange() noexcept { return exchange_; }

  /// Keeps items for these ranks here from now on: they are routed but not sent.
  ///
  /// @shape  is_kept [R], or more
  /// @pre    local items stay apart; not checked
  void keep(std::span<char const> is_kept) { is_kept_.assign(is_kept.begin(), is_kept.end()); }

  /// Routes item_of(i, number of key i in its part) to the owner of every key i.
  ///
  /// @where  waits for the sizes of the buckets
  /// @throws precondition_error  if a key is not in [0, book.num_vertices()); pass that failure to `send`
  /// @cost   O(S log P)
  template <class Vertex, class ItemOf = row_alone>
  void route(partition_book const& book, array_view<space, Vertex> keys, ItemOf item_of = {}) {
    if (!buckets_ || !(buckets_->book() == book)) {
      buckets_.emplace(book, policy_);
    }
    offsets_ = buckets_->sort(keys);
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      counts_[rank] = !is_kept_.empty() && is_kept_[rank] != 0 ? 0 : offsets_[rank + 1] - offsets_[rank];
    }
    if constexpr (std::is_same_v<ItemOf, row_alone>) {
      items_ = rows();
    } else {
      made_.clear(); // nothing to keep
      made_.resize(keys.size());
      policy_.executor().for_each(keys.size(),
                                  make_routed_item<space, Item, ItemOf>{item_of, places(), rows(), made_.view()});
      items_ = std::as_const(made_).view();
    }
  }

  /// Agrees with the other ranks on this call; returns the `value` of every rank.
  ///
  /// @shape  returns [R]
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  std::span<call_header const> agree(call_site site, std::int64_t value = 0) {
    return exchange_.exchange_counts(site, counts_, value, {}, own_);
  }
  /// Takes part in `agree` only to report a failure; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(call_site site, std::string const& failure) { exchange_.refuse(site, failure); }

  /// Starts to send the items that `agree` announced.
  ///
  /// @comm   collective; if any rank has an item for another, one variable exchange of sizeof(Item) bytes an item
  void start() {
    committed(exchange_.host(), [&] {
      received_.clear();
      if (anything()) {
        received_.resize(received_offsets().back());
        exchange_.start_from(offsets_, items_, received_.view());
      }
    });
  }
  /// Waits until all items have arrived.
  void finish() { exchange_.wait(); }

  /// Calls `agree`, `start` and `finish`; or `refuse` if there is a failure.
  std::span<call_header const> send(call_site site, std::int64_t value = 0, std::string const& failure = {}) {
    if (!failure.empty()) {
      refuse(site, failure);
    }
    auto const headers = agree(site, value);
    start();
    committed(exchange_.host(), [&] { finish(); });
    return headers;
  }

  /// Returns true if any rank sends an item to another; the same on all ranks.
  [[nodiscard]] bool anything() const noexcept { return exchange_.anything(); }

  /// Return the whole list by owner: items, the keys' numbers in their owners' parts, and places in the list.
  ///
  /// @shape  items, rows, places [S] · offsets [R + 1] · counts [R], of items that are not kept
  [[nodiscard]] array_view<space, Item const> items() const noexcept { return items_; }
  [[nodiscard]] array_view<space, local_id const> rows() const noexcept { return buckets_->rows(); }
  [[nodiscard]] array_view<space, std::int64_t const> places() const noexcept { return buckets_->places(); }
  [[nodiscard]] std::span<std::int64_t const> counts() const noexcept { return counts_; }
  [[nodiscard]] std::span<std::int64_t const> offsets() const noexcept { return offsets_; }

  /// Returns the items by sender; local items are among them unless they stay apart.
  ///
  /// @shape  received [n] · received_counts [R] · received_offsets [R + 1]
  [[nodiscard]] array_view<space, Item const> received() const noexcept {
    return anything() || own_ == own_rows::apart ? received_.view() : items_;
  }
  [[nodiscard]] std::span<std::int64_t const> received_counts() const noexcept { return exchange_.received_counts(); }
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept { return exchange_.received_offsets(); }
  [[nodiscard]] array_view<space, Item const> received_of(int rank) const {
    auto const p = static_cast<std::size_t>(rank);
    return received().subview(received_offsets()[p], received_counts()[p]);
  }

private:
  Policy policy_;
  own_rows own_;
  std::optional<owner_buckets<Policy>> buckets_; // of the book of the last list
  std::span<std::int64_t const> offsets_;        // [R + 1], of the buckets
  std::vector<char> is_kept_;                    // [R], or empty if none is
  std::vector<std::int64_t> counts_;             // [R]
  buffer<message_policy<Policy>, Item> made_;
  array_view<space, Item const> items_; // of the list, by owner
  buffer<message_policy<Policy>, Item> received_;
  slice_exchange<Comm, Policy> exchange_; // last: it completes before the memory is freed
};

} // namespace glt::detail

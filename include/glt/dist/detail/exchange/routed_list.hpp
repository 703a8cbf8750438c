// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/core/config.hpp>
#include <glt/core/error.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/owner_buckets.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::dist {

/// A number by which the owner of a vertex knows it, as it travels: 32 bits, negative (the complement) if
/// flagged.
using wire_row = std::int32_t;

/// The row behind a `wire_row`.
[[nodiscard]] constexpr local_id row_of(wire_row wire) noexcept {
  return wire < 0 ? ~wire : wire;
}

/// True if the requester flagged the vertex.
[[nodiscard]] constexpr bool is_marked(wire_row wire) noexcept {
  return wire < 0;
}

} // namespace glt::dist

namespace glt::detail {

/// Brings item places[i] of a list to place i.
///
/// @shape  places [n] · from [n] · to [n], written
template <memory_space Space, class Item>
struct gather_items {
  array_view<Space, std::int64_t const> places;
  Item const* from;
  Item* to;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[places[i]]; }
};

/// Sends every vertex of a list to its owner, and tells what came from the others: the first half of every look-up
/// across parts.
///
/// `route` sorts the list by owner, and `attach` lets items travel with the vertices. `start` agrees with the other
/// ranks and sends; own work fits between it and `finish`. Own vertices never travel: by policies of the host they stay
/// apart; by others they are among the received ones too, since there one pass over all takes less time. Inside an
/// owner's slice the order is that of the list. Reusable; the memory is kept. Concurrent calls: none.
///
/// @where  memory of `Policy`; lists of policies of the host are spans
template <communicator Comm, device_policy Policy = device::cpu>
class routed_list {
  static_assert(!host_policy<Policy> || carries<Comm, memory_space::host>,
                "this communicator does not carry ordinary memory: with a policy of the host take the communicator "
                "that it is made of, or a policy of a GPU");
  static constexpr memory_space space = Policy::space;

public:
  /// True if the own vertices are not among the received ones.
  static constexpr bool own_apart = host_policy<Policy>;
  template <class T>
  using list = std::conditional_t<host_policy<Policy>, std::span<T const>, array_view<space, T const>>;

  /// @comm   none, or one reduction; see `device_comm`
  explicit routed_list(Comm comm, Policy policy = {})
      : policy_(policy), received_(make_message_buffer<dist::wire_row>(policy)), items_(0, policy), packed_(0, policy),
        arrived_(make_message_buffer<std::byte>(policy)), received_items_(make_message_buffer<std::byte>(policy)),
        asked_counts_(static_cast<std::size_t>(comm.size()), 0), offsets_(asked_counts_.size() + 1, 0),
        exchange_(std::move(comm), policy) {}

  [[nodiscard]] int rank() const noexcept { return exchange_.rank(); }
  [[nodiscard]] int size() const noexcept { return exchange_.size(); }
  [[nodiscard]] auto& comm() noexcept { return exchange_.comm(); }
  /// What payloads along the routes, and back, go through.
  [[nodiscard]] slice_exchange<Comm, Policy>& exchange() noexcept { return exchange_; }

  /// Sorts a list by owner; of the first `num_flagged` vertices those of other ranks travel with a flag.
  ///
  /// @where  waits for the sizes of the slices
  /// @throws precondition_error  if a vertex is not in [0, book.num_vertices())
  /// @cost   O(S log P)
  template <memory_space Space, class Vertex>
    requires(Space == space || (host_policy<Policy> && host_accessible(Space)))
  void route(partition_book const& book, array_view<Space, Vertex> vertices, std::int64_t num_flagged = 0) {
    item_bytes_ = 0;
    if (!buckets_ || !(buckets_->book() == book)) {
      buckets_.emplace(book, policy_);
    }
    auto const offsets =
        buckets_->sort(array_view<space, Vertex>(vertices.data(), vertices.size()), num_flagged, rank());
    offsets_.assign(offsets.begin(), offsets.end());
    for (std::size_t rank = 0; rank < asked_counts_.size(); ++rank) {
      asked_counts_[rank] = rank == own_rank() ? 0 : offsets_[rank + 1] - offsets_[rank];
    }
  }

  /// Lets an item of a fixed size travel with every vertex of the next `start`, beside its row.
  ///
  /// @shape  items [S], in the order of the routed list
  /// @cost   O(S)
  template <class Items>
  void attach(Items const& items) {
    using item = std::remove_cvref_t<decltype(*items.data())>;
    static_assert(bytes_copyable<item>);
    item_bytes_ = sizeof(item);
    items_.clear();
    items_.resize(places_view().size() * item_size());
    policy_.executor().for_each(
        places_view().size(),
        gather_items<space, item>{places_view(), items.data(), reinterpret_cast<item*>(items_.data())});
    packed_.clear();
    packed_.resize(places_view().size() * (row_size + item_size()));
    for (std::size_t rank = 0; rank < asked_counts_.size(); ++rank) {
      if (!own_apart || rank != own_rank()) {
        auto const count = offsets_[rank + 1] - offsets_[rank];
        auto* const out = packed_.data() + offsets_[rank] * (row_size + item_size());
        copy(out, buckets_->rows().data() + offsets_[rank], count * row_size);
        copy(out + count * row_size, items_.data() + offsets_[rank] * item_size(), count * item_size());
      }
    }
  }

  /// Agrees with the other ranks on this call and starts to send.
  ///
  /// @comm   collective; one header exchange and, if any rank asks anything, one variable exchange of 4 bytes
  ///         a vertex, and those of the items that are attached
  /// @throws collective_error  on every rank, if one reports a failure, is at another call, or has another
  ///                           `value`
  void start(call_site site, std::int64_t value, std::string const& failure) {
    auto const headers = announce(site, value, failure);
    auto const other =
        std::ranges::find_if(headers, [&](call_header const& header) { return header.value != headers[0].value; });
    if (other != headers.end()) {
      throw agreed_error(static_cast<int>(other - headers.begin()),
                         "calls with another key than rank 0; pass the same seed, epoch and step on all ranks");
    }
    committed(exchange_.host(), [&] { start_payload(); });
  }

  /// `start` and `finish` where ranks may have different values.
  ///
  /// @comm   collective; as `start`
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  std::span<call_header const> send(call_site site, std::int64_t value, std::string const& failure = {}) {
    auto const headers = announce(site, value, failure);
    committed(exchange_.host(), [&] { start_payload(); });
    finish();
    return headers;
  }

  /// Takes part in `start` only to report a failure; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(call_site site, std::string const& failure) {
    std::ranges::fill(offsets_, 0);
    static_cast<void>(announce(site, 0, failure));
    throw error(failure); // not reached: a failure leaves every header exchange as an exception
  }

  /// Waits until all requests have arrived.
  void finish() {
    exchange_.wait();
    if (item_bytes_ > 0 && anything()) {
      committed(exchange_.host(), [&] { unpack(); }); // the others wait for replies
    }
  }

  /// True if any rank asks any other: if not, there are no payload messages at all in this call.
  [[nodiscard]] bool anything() const noexcept { return exchange_.anything(); }
  /// The most vertices that any rank asks of all others in this call; the same on all ranks.
  [[nodiscard]] std::int64_t largest_asked() const noexcept { return exchange_.most_sent(); }

  /// The whole list by owner: the numbers that the owners know the vertices by, and the places in the list.
  ///
  /// @shape  routed, places [S] · routed_offsets [R + 1]
  [[nodiscard]] list<dist::wire_row> routed() const noexcept { return as_list(buckets_->rows()); }
  [[nodiscard]] list<std::int64_t> places() const noexcept { return as_list(places_view()); }
  [[nodiscard]] std::span<std::int64_t const> routed_offsets() const noexcept { return offsets_; }
  /// How many vertices a rank is asked for, the own one included.
  [[nodiscard]] std::int64_t num_routed(int rank) const noexcept {
    auto const r = static_cast<std::size_t>(rank);
    return offsets_[r + 1] - offsets_[r];
  }
  /// How many vertices other ranks are asked for.
  [[nodiscard]] std::int64_t num_asked() const noexcept { return places_view().size() - num_routed(rank()); }

  /// Own rows, in list order, and their places in the list.
  [[nodiscard]] list<local_id> own() const noexcept { return part_of(buckets_->rows(), offsets_, own_rank()); }
  [[nodiscard]] list<std::int64_t> own_places() const noexcept { return part_of(places_view(), offsets_, own_rank()); }

  /// What is asked of another rank, and the places of that in the list; nothing for the own one.
  ///
  /// @shape  asked_counts [R]
  [[nodiscard]] std::span<std::int64_t const> asked_counts() const noexcept { return asked_counts_; }
  [[nodiscard]] list<dist::wire_row> asked_of(std::size_t rank) const {
    return rank == own_rank() ? list<dist::wire_row>{} : part_of(buckets_->rows(), offsets_, rank);
  }
  [[nodiscard]] list<std::int64_t> asked_places_of(std::size_t rank) const {
    return rank == own_rank() ? list<std::int64_t>{} : part_of(places_view(), offsets_, rank);
  }

  /// The rows that the other ranks ask for, by requester, and, unless `own_apart`, the own ones in their place.
  ///
  /// @shape  received [n] · received_counts [R] · received_offsets [R + 1]
  [[nodiscard]] list<dist::wire_row> received() const noexcept {
    return as_list(own_apart || anything() ? received_.view() : buckets_->rows());
  }
  [[nodiscard]] std::span<std::int64_t const> received_counts() const noexcept { return exchange_.received_counts(); }
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept { return exchange_.received_offsets(); }
  /// What one rank asks of this one.
  [[nodiscard]] list<dist::wire_row> received_of(std::size_t rank) const {
    auto const rows = received();
    return {rows.data() + received_offsets()[rank], static_cast<decltype(rows.size())>(received_counts()[rank])};
  }

  /// What was attached to the own rows, in list order, and to the received ones, by requester.
  ///
  /// @pre    `Item` is what was attached, on all ranks; not checked
  template <bytes_copyable Item>
  [[nodiscard]] list<Item> own_items() const noexcept {
    return part_of(items_of<Item>(items_.view()), offsets_, own_rank());
  }
  template <bytes_copyable Item>
  [[nodiscard]] list<Item> received_items() const noexcept {
    return as_list(items_of<Item>(own_apart || anything() ? received_items_.view() : items_.view()));
  }

private:
  static constexpr auto row_size = static_cast<std::int64_t>(sizeof(dist::wire_row));

  [[nodiscard]] std::int64_t item_size() const noexcept { return static_cast<std::int64_t>(item_bytes_); }
  [[nodiscard]] std::size_t own_rank() const noexcept { return static_cast<std::size_t>(rank()); }
  [[nodiscard]] array_view<space, std::int64_t const> places_view() const noexcept { return buckets_->places(); }

  template <class T>
  static list<T> as_list(array_view<space, T const> view) noexcept {
    return {view.data(), static_cast<decltype(list<T>{}.size())>(view.size())};
  }
  template <class T>
  static list<T> part_of(array_view<space, T const> all, std::span<std::int64_t const> offsets, std::size_t rank) {
    return as_list(all.subview(offsets[rank], offsets[rank + 1] - offsets[rank]));
  }
  template <class Item>
  static array_view<space, Item const> items_of(array_view<space, std::byte const> bytes) noexcept {
    return {reinterpret_cast<Item const*>(bytes.data()), bytes.size() / static_cast<std::int64_t>(sizeof(Item))};
  }

  void copy(void* to, void const* from, std::int64_t bytes) const {
    if (bytes > 0) {
      policy_.resource().copy(to, from, static_cast<std::size_t>(bytes));
    }
  }

  std::span<call_header const> announce(call_site site, std::int64_t value, std::string const& failure) {
    counts_.resize(asked_counts_.size());
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      counts_[rank] = offsets_[rank + 1] - offsets_[rank];
    }
    return exchange_.exchange_counts(site, counts_, value, failure, own_apart ? own_rows::apart : own_rows::received);
  }

  void start_payload() {
    auto const num_received = exchange_.received_offsets().back();
    received_.clear();
    received_.resize(own_apart || anything() ? num_received : 0);
    if (item_bytes_ > 0) {
      received_items_.clear();
      received_items_.resize(received_.size() * item_size());
      arrived_.clear();
      arrived_.resize(anything() ? num_received * (row_size + item_size()) : 0);
    }
    if (anything() && item_bytes_ == 0) {
      exchange_.start(buckets_->rows(), received_.view());
    } else if (anything()) {
      exchange_.start(std::as_const(packed_).view(), arrived_.view(), row_size + item_size());
    }
  }

  // What arrived is rows and items, rank by rank.
  void unpack() {
    auto const offsets = received_offsets();
    for (std::size_t rank = 0; rank < received_counts().size(); ++rank) {
      auto const count = received_counts()[rank];
      auto const* const in = arrived_.data() + offsets[rank] * (row_size + item_size());
      copy(received_.data() + offsets[rank], in, count * row_size);
      copy(received_items_.data() + offsets[rank] * item_size(), in + count * row_size, count * item_size());
    }
  }

  Policy policy_;
  std::optional<owner_buckets<Policy>> buckets_; // of the book of the last list
  buffer<message_policy<Policy>, dist::wire_row> received_;
  std::size_t item_bytes_ = 0;                               // of what is attached; 0 if nothing is
  buffer<Policy, std::byte> items_;                          // of the whole list, by owner
  buffer<Policy, std::byte> packed_;                         // messages of rows and items
  buffer<message_policy<Policy>, std::byte> arrived_;        // the same of the others
  buffer<message_policy<Policy>, std::byte> received_items_; // by requester
  std::vector<std::int64_t> asked_counts_;                   // [R], 0 for the own rank
  std::vector<std::int64_t> counts_;                         // [R], to be sent
  std::vector<std::int64_t> offsets_;                        // [R + 1]
  slice_exchange<Comm, Policy> exchange_;                    // last: completed before the memory goes
};

} // namespace glt::detail

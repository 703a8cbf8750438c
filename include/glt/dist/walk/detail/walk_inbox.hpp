// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/detail/owner_buckets.hpp>

namespace glt::detail {

template <memory_space Space>
struct rank_of_item {
  array_view<Space, local_id const> ranks;
  GLT_HOST_DEVICE int operator()(std::int64_t i) const { return ranks[i]; }
};

/// Items that wait to be sent, with their destination ranks.
template <device_policy Policy, class Item>
class outbox {
public:
  explicit outbox(Policy policy) : items(0, policy), ranks(0, policy), buckets_(policy) {}

  buffer<Policy, Item> items;
  buffer<Policy, local_id> ranks;

  [[nodiscard]] std::int64_t size() const noexcept { return items.size(); }
  void resize(std::int64_t size) {
    items.resize(size);
    ranks.resize(size);
  }

  /// Sorts the places of the items by rank.
  void sort(int num_ranks) {
    offsets_ = buckets_.sort(size(), num_ranks, rank_of_item<Policy::space>{std::as_const(ranks).view()});
  }
  [[nodiscard]] std::int64_t count(std::size_t rank) const noexcept { return offsets_[rank + 1] - offsets_[rank]; }
  [[nodiscard]] auto places(std::size_t rank) const noexcept {
    return buckets_.places().subview(offsets_[rank], count(rank));
  }

private:
  bucket_sort<Policy> buckets_;
  std::span<std::int64_t const> offsets_; // [R + 1]
};

/// The part of an item that is sent: its bytes from `Skipped` on.
template <class Item, std::size_t Skipped, std::size_t Size>
struct item_bytes {
  static constexpr auto size = static_cast<std::int64_t>(Size - Skipped);
  static GLT_HOST_DEVICE void write(std::byte* to, Item const& item) noexcept {
    copy_bytes(to, reinterpret_cast<std::byte const*>(&item) + Skipped, size);
  }
  static GLT_HOST_DEVICE Item read(std::byte const* from) noexcept {
    Item item{};
    copy_bytes(reinterpret_cast<std::byte*>(&item) + Skipped, from, size);
    return item;
  }
};

template <class Bytes, memory_space Space, class Item>
struct write_items {
  array_view<Space, Item const> items;
  array_view<Space, std::int64_t const> places;
  std::byte* to;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { Bytes::write(to + i * Bytes::size, items[places[i]]); }
};

/// Calls use(i, item) for the items of a message.
template <class Bytes, class Use>
struct read_items {
  std::byte const* from;
  Use use;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { use(i, Bytes::read(from + i * Bytes::size)); }
};

/// Exchange of walkers with the owners of the rows they need, and of visits with the walkers' homes.
///
/// Reusable; the memory is kept. A message is the number of its walkers, the walkers, and the visits.
template <communicator Comm, device_policy Policy, bytes_copyable Walker, vertex_id Vertex>
class walk_inbox {
public:
  walk_inbox(Comm comm, bool edge_ids, Policy policy)
      : exchange_(std::move(comm), policy), edge_ids_(edge_ids), walkers_(policy), visits_(policy),
        counts_(static_cast<std::size_t>(exchange_.size()), 0), sent_(0, policy),
        received_(make_message_buffer<std::byte>(policy)) {}

  [[nodiscard]] std::int32_t rank() const noexcept { return exchange_.rank(); }
  [[nodiscard]] auto& host() noexcept { return exchange_.host(); }
  [[nodiscard]] outbox<Policy, Walker>& walkers() noexcept { return walkers_; }
  [[nodiscard]] outbox<Policy, walk_visit<Vertex>>& visits() noexcept { return visits_; }

  /// Drops items that were not sent.
  void clear() {
    walkers_.resize(0);
    visits_.resize(0);
    std::ranges::fill(counts_, 0);
  }

  /// Packs the items of the outboxes into messages, and empties the outboxes.
  void pack() {
    walkers_.sort(exchange_.size());
    visits_.sort(exchange_.size());
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      auto const content = walkers_.count(rank) * walker_bytes::size + visits_.count(rank) * visit_size();
      counts_[rank] = content == 0 ? 0 : content + number_size;
    }
    sent_.clear();
    sent_.resize(std::reduce(counts_.begin(), counts_.end()));
    auto* to = sent_.data();
    for (std::size_t rank = 0; rank < counts_.size(); to += counts_[rank++]) {
      if (counts_[rank] > 0) {
        auto const num_walkers = walkers_.count(rank);
        sent_.policy().resource().copy_in(to, &num_walkers, number_size);
        write<walker_bytes>(walkers_, rank, to + number_size);
        auto* const visits = to + number_size + num_walkers * walker_bytes::size;
        edge_ids_ ? write<visit_bytes<true>>(visits_, rank, visits) : write<visit_bytes<false>>(visits_, rank, visits);
      }
    }
    walkers_.resize(0);
    visits_.resize(0);
  }

  /// Agrees with the other ranks on this call, and exchanges the messages; returns the headers, which hold each rank's
  /// `value`.
  ///
  /// @comm   collective; one header exchange and, if any rank has a message for another, one variable exchange: 8 bytes
  ///         per message, sizeof(Walker) per walker, and per visit 8 + sizeof(Vertex) bytes, plus 8 for an edge id
  /// @throws collective_error  on every rank, if a rank reports a failure or makes another call
  std::span<call_header const> send(call_site site, std::int64_t value, std::string const& failure) {
    if (!failure.empty()) {
      clear();
    }
    auto const headers = exchange_.exchange_counts(site, counts_, value, failure);
    received_.clear();
    received_.resize(exchange_.received_offsets().back());
    exchange_.start(std::as_const(sent_).view(), received_.view());
    exchange_.wait();
    return headers;
  }

  /// Calls admit_walkers(n)(i, walker) for the n walkers of each message, and admit_visit(i, visit) for its visits.
  void open(auto admit_walkers, auto admit_visit) {
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      auto const bytes = exchange_.received_counts()[rank];
      if (bytes > 0) {
        auto const* const from = received_.data() + exchange_.received_offsets()[rank];
        std::int64_t num_walkers = 0;
        received_.policy().resource().copy_out(&num_walkers, from, number_size);
        read<walker_bytes>(num_walkers, from + number_size, admit_walkers(num_walkers));
        auto const walkers_end = number_size + num_walkers * walker_bytes::size;
        auto const num_visits = (bytes - walkers_end) / visit_size();
        edge_ids_ ? read<visit_bytes<true>>(num_visits, from + walkers_end, admit_visit)
                  : read<visit_bytes<false>>(num_visits, from + walkers_end, admit_visit);
      }
    }
  }

private:
  static constexpr std::int64_t number_size = sizeof(std::int64_t);
  static constexpr auto visit_end = sizeof(edge_id) + 2 * sizeof(std::int32_t) + sizeof(Vertex);
  using walker_bytes = item_bytes<Walker, 0, sizeof(Walker)>;
  template <bool EdgeIds>
  using visit_bytes = item_bytes<walk_visit<Vertex>, EdgeIds ? 0 : sizeof(edge_id), visit_end>;

  [[nodiscard]] std::int64_t visit_size() const noexcept {
    return edge_ids_ ? visit_bytes<true>::size : visit_bytes<false>::size;
  }
  template <class Bytes, class Item>
  void write(outbox<Policy, Item> const& box, std::size_t rank, std::byte* to) const {
    write_items<Bytes, Policy::space, Item> const f{box.items.view(), box.places(rank), to};
    sent_.policy().executor().for_each(box.count(rank), f);
  }
  template <class Bytes, class Use>
  void read(std::int64_t count, std::byte const* from, Use use) const {
    sent_.policy().executor().for_each(count, read_items<Bytes, Use>{from, use});
  }

  slice_exchange<Comm, Policy> exchange_;
  bool edge_ids_;
  outbox<Policy, Walker> walkers_;
  outbox<Policy, walk_visit<Vertex>> visits_;
  std::vector<std::int64_t> counts_; // [R], bytes
  buffer<Policy, std::byte> sent_;
  buffer<message_policy<Policy>, std::byte> received_;
};

} // namespace glt::detail

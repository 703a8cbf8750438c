// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/config.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/view_exchange.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/owner_buckets.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Brings item places[i] of a list to place i.
///
/// @shape  places [n] · from [n] · to [n], written
template <memory_space Space, class Item>
struct bring_items {
  array_view<Space, std::int64_t const> places;
  array_view<Space, Item const> from;
  array_view<Space, Item> to;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[places[i]]; }
};

/// `requests` for policies whose memory the host does not work on: sends every vertex of a list to its owner, and
/// tells what came from the others.
///
/// What is routed and what is received is in memory of the policy, rank by rank, the own rank among them.
template <communicator Comm, device_policy Policy>
class routed_vertices {
  static constexpr memory_space space = Policy::space;

public:
  routed_vertices(Comm comm, Policy policy)
      : policy_(policy), exchange_(std::move(comm), policy), received_(0, policy), items_(0, policy) {}

  [[nodiscard]] int rank() const noexcept { return exchange_.rank(); }
  [[nodiscard]] int size() const noexcept { return exchange_.size(); }
  /// What payloads along the routes, and back, go through.
  [[nodiscard]] view_exchange<Comm, Policy>& exchange() noexcept { return exchange_; }

  /// Sorts a list by owner.
  ///
  /// @where  waits for the sizes of the buckets
  /// @throws precondition_error  if a vertex is not in [0, book.num_vertices())
  template <class Vertex>
  void route(partition_book const& book, array_view<space, Vertex> vertices) {
    if (!buckets_ || !(buckets_->book() == book)) {
      buckets_.emplace(book, policy_);
    }
    auto const offsets = buckets_->sort(vertices);
    offsets_.assign(offsets.begin(), offsets.end());
  }

  /// Tells every rank how many vertices to expect, and sends them.
  ///
  /// Ranks that must agree on `value` are checked for that by the caller.
  ///
  /// @comm   collective; one header exchange and, if any rank asks another, one exchange of 4 bytes a vertex
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  std::span<call_header const> send(call_site site, std::int64_t value) {
    auto const headers = announce(site, value, {});
    if (exchange_.anything()) {
      received_.resize(exchange_.received_offsets().back());
      exchange_.start(buckets_->rows(), received_.view());
      exchange_.wait();
    }
    return headers;
  }

  /// Takes part in `send` only to report a failure; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(call_site site, std::string const& failure) {
    offsets_.assign(static_cast<std::size_t>(size()) + 1, 0);
    static_cast<void>(announce(site, 0, failure));
    throw error(failure); // not reached: a failure leaves every header exchange as an exception
  }

  /// Sends an item with every vertex, after `send`.
  ///
  /// @shape  items [S], in the order of the list · arrived, written: one for each of `received()`
  /// @comm   collective; one exchange if any rank asks another
  template <bytes_copyable Item>
  void send_items(array_view<space, Item const> items, buffer<Policy, Item>& arrived) {
    arrived.resize(received().size());
    if (!exchange_.anything()) { // the list is the own bucket
      policy_.executor().for_each(items.size(), bring_items<space, Item>{places(), items, arrived.view()});
      return;
    }
    items_.resize(items.size() * static_cast<std::int64_t>(sizeof(Item)));
    array_view<space, Item> const sorted(reinterpret_cast<Item*>(items_.data()), items.size());
    policy_.executor().for_each(items.size(), bring_items<space, Item>{places(), items, sorted});
    exchange_.start(array_view<space, Item const>(sorted), arrived.view());
    exchange_.wait();
  }

  /// True if any rank asks any other: if not, there are no payloads at all in this call.
  [[nodiscard]] bool anything() const noexcept { return exchange_.anything(); }

  /// The places in the list of the vertices that go to every rank.
  ///
  /// @shape  places [S] · routed_offsets [R + 1]
  [[nodiscard]] array_view<space, std::int64_t const> places() const noexcept { return buckets_->places(); }
  [[nodiscard]] std::span<std::int64_t const> routed_offsets() const noexcept { return offsets_; }
  [[nodiscard]] std::int64_t num_routed(int rank) const noexcept {
    auto const r = static_cast<std::size_t>(rank);
    return offsets_[r + 1] - offsets_[r];
  }
  /// The routed vertices, by the numbers that their owners know them by.
  [[nodiscard]] array_view<space, local_id const> routed() const noexcept { return buckets_->rows(); }

  /// The rows that every rank asked for, the own one among them.
  ///
  /// @shape  received [n] · received_offsets [R + 1]
  [[nodiscard]] array_view<space, local_id const> received() const noexcept {
    return exchange_.anything() ? std::as_const(received_).view() : buckets_->rows();
  }
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept {
    return exchange_.received_offsets();
  }

private:
  std::span<call_header const> announce(call_site site, std::int64_t value, std::string const& failure) {
    counts_.resize(static_cast<std::size_t>(size()));
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      counts_[rank] = offsets_[rank + 1] - offsets_[rank];
    }
    return exchange_.exchange_counts(site, counts_, value, failure);
  }

  Policy policy_;
  view_exchange<Comm, Policy> exchange_;
  std::optional<detail::owner_buckets<Policy>> buckets_; // of the book of the last list
  std::vector<std::int64_t> offsets_;            // [R + 1]
  std::vector<std::int64_t> counts_;             // [R]
  buffer<Policy, local_id> received_;
  buffer<Policy, std::byte> items_; // those of the list, in the order of the buckets
};

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/error.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/partition/book.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// A number by which the owner of a vertex knows it, as it travels: 32 bits, negative (the complement) if
/// marked.
using wire_row = std::int32_t;

/// Sends every vertex of a list to its owner, and tells what came from the others: the first half of every
/// look-up across parts.
///
/// Own vertices never travel. The order inside an owner's bucket is that of the list. Reusable; the memory is
/// kept.
template <communicator Comm>
class requests {
  static_assert(carries<Comm, memory_space::host>,
                "this communicator does not carry ordinary memory: with a policy of the host take the communicator that "
                "it is made of, or a policy of a GPU");

public:
  explicit requests(Comm comm) : comm_(std::move(comm)) {}

  /// Sorts a list by owner; the first `num_marked` vertices travel with a mark.
  ///
  /// @throws precondition_error  if a vertex is not in [0, book.num_vertices())
  /// @cost   O(S log P)
  template <memory_space Space, class Vertex>
    requires(host_accessible(Space))
  void route(partition_book const& book, array_view<Space, Vertex const> vertices, std::int64_t num_marked = 0) {
    item_bytes_ = 0;
    auto const ranks = static_cast<std::size_t>(comm_.size());
    auto const self = static_cast<std::size_t>(comm_.rank());
    owner_.resize(static_cast<std::size_t>(vertices.size()));
    asked_counts_.assign(ranks, 0);
    for (std::size_t i = 0; i < owner_.size(); ++i) {
      owner_[i] = book.owner(vertices[static_cast<std::int64_t>(i)]);
      ++asked_counts_[static_cast<std::size_t>(owner_[i])];
    }
    own_.clear();
    own_.reserve(static_cast<std::size_t>(asked_counts_[self]));
    own_places_.clear();
    own_places_.reserve(own_.capacity());
    asked_counts_[self] = 0;
    detail::prefix_sums(asked_counts_, asked_offsets_);
    auto const num_asked = static_cast<std::size_t>(asked_offsets_.back());
    asked_.resize(num_asked);
    asked_places_.resize(num_asked);
    next_ = asked_offsets_;
    for (std::size_t i = 0; i < owner_.size(); ++i) {
      auto const place = static_cast<std::int64_t>(i);
      auto const row = static_cast<local_id>(vertices[place] - book.begin(owner_[i]));
      if (owner_[i] == comm_.rank()) {
        own_.push_back(row);
        own_places_.push_back(place);
        continue;
      }
      auto const at = static_cast<std::size_t>(next_[static_cast<std::size_t>(owner_[i])]++);
      asked_[at] = place < num_marked ? ~row : row;
      asked_places_[at] = place;
    }
  }

  /// Lets an item of a fixed size travel with every vertex of the next `start`, beside its row.
  ///
  /// @shape  items [S], in the order of the routed list
  /// @cost   O(S)
  template <bytes_copyable Item>
  void attach(std::span<Item const> items) {
    item_bytes_ = sizeof(Item);
    own_items_.resize(own_places_.size() * sizeof(Item));
    for (std::size_t i = 0; i < own_places_.size(); ++i) {
      std::memcpy(&own_items_[i * sizeof(Item)], &items[static_cast<std::size_t>(own_places_[i])], sizeof(Item));
    }
    packed_.resize(asked_.size() * (sizeof(wire_row) + sizeof(Item)));
    for (std::size_t rank = 0; rank < asked_counts_.size(); ++rank) {
      auto const rows = asked_of(rank);
      auto const places = asked_places_of(rank);
      auto* out = packed_.data() + static_cast<std::size_t>(asked_offsets_[rank]) * (sizeof(wire_row) + sizeof(Item));
      detail::copy_bytes(out, rows.data(), static_cast<std::int64_t>(rows.size_bytes()));
      out += rows.size_bytes();
      for (auto const place : places) {
        std::memcpy(out, &items[static_cast<std::size_t>(place)], sizeof(Item));
        out += sizeof(Item);
      }
    }
  }

  /// Agrees with the other ranks on this call and starts to send; own work fits between `start` and `finish`.
  ///
  /// @comm   collective; one header exchange and, if any rank asks anything, one variable exchange of 4 bytes
  ///         a vertex
  /// @throws collective_error  on every rank, if one reports a failure, is at another call, or has another
  ///                           `value`
  void start(call_site site, std::int64_t value, std::string const& failure) {
    headers_.resize(asked_counts_.size());
    exchange_headers(comm_, site, asked_counts_, value, failure, headers_);
    received_counts_.clear();
    largest_asked_ = 0;
    for (std::size_t rank = 0; rank < headers_.size(); ++rank) {
      if (headers_[rank].value != headers_[0].value) {
        throw collective_error(static_cast<int>(rank), "calls with another key than rank 0; pass the same seed, epoch "
                                                       "and step on all ranks");
      }
      received_counts_.push_back(headers_[rank].count);
      largest_asked_ = std::max(largest_asked_, headers_[rank].total);
    }
    detail::prefix_sums(received_counts_, received_offsets_);
    received_.resize(static_cast<std::size_t>(received_offsets_.back()));
    if (anything()) {
      auto const bytes = static_cast<std::int64_t>(sizeof(wire_row) + item_bytes_);
      asked_bytes_.set(asked_counts_, bytes);
      received_bytes_.set(received_counts_, bytes);
      if (item_bytes_ == 0) {
        travelling_.emplace(
            comm_.start_all_to_all_v(asked_bytes_.out(asked_.data()), received_bytes_.in(received_.data())));
      } else {
        arrived_.resize(static_cast<std::size_t>(received_bytes_.total()));
        travelling_.emplace(
            comm_.start_all_to_all_v(asked_bytes_.out(packed_.data()), received_bytes_.in(arrived_.data())));
      }
    }
  }

  /// Takes part in `start` only to report a failure; never returns.
  ///
  /// @throws collective_error  on every rank
  void refuse(call_site site, std::string const& failure) {
    asked_counts_.assign(static_cast<std::size_t>(comm_.size()), 0);
    item_bytes_ = 0;
    start(site, 0, failure);
  }

  /// Waits until all requests have arrived.
  void finish() {
    if (travelling_) {
      travelling_->wait();
      travelling_.reset();
    }
    if (item_bytes_ > 0) {
      unpack();
    }
  }

  /// True if any rank asks any other: if not, there are no payload messages at all in this call.
  [[nodiscard]] bool anything() const noexcept { return largest_asked_ > 0; }
  /// The most vertices that any rank asks of all others in this call; the same on all ranks.
  [[nodiscard]] std::int64_t largest_asked() const noexcept { return largest_asked_; }

  /// What was attached to the own rows, in list order, and to the received ones, by requester.
  ///
  /// @pre    `Item` is what was attached, on all ranks; not checked
  template <bytes_copyable Item>
  [[nodiscard]] std::span<Item const> own_items() const noexcept {
    return {reinterpret_cast<Item const*>(own_items_.data()), own_items_.size() / sizeof(Item)};
  }
  template <bytes_copyable Item>
  [[nodiscard]] std::span<Item const> received_items() const noexcept {
    return {reinterpret_cast<Item const*>(received_items_.data()), received_items_.size() / sizeof(Item)};
  }

  [[nodiscard]] std::span<local_id const> own() const noexcept { return own_; }                    ///< own rows, in list order
  [[nodiscard]] std::span<std::int64_t const> own_places() const noexcept { return own_places_; }  ///< their places in the list

  [[nodiscard]] std::span<wire_row const> asked() const noexcept { return asked_; } ///< sent, by owner
  [[nodiscard]] std::span<std::int64_t const> asked_places() const noexcept { return asked_places_; }
  [[nodiscard]] std::span<std::int64_t const> asked_counts() const noexcept { return asked_counts_; }   ///< [R]
  [[nodiscard]] std::span<std::int64_t const> asked_offsets() const noexcept { return asked_offsets_; } ///< [R + 1]

  [[nodiscard]] std::span<wire_row const> received() const noexcept { return received_; } ///< by requester
  [[nodiscard]] std::span<std::int64_t const> received_counts() const noexcept { return received_counts_; }   ///< [R]
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept { return received_offsets_; } ///< [R + 1]

  /// What this rank asked of another one, and the places of that in the list.
  [[nodiscard]] std::span<wire_row const> asked_of(std::size_t rank) const { return slice(asked(), asked_offsets_, rank); }
  [[nodiscard]] std::span<std::int64_t const> asked_places_of(std::size_t rank) const {
    return slice(asked_places(), asked_offsets_, rank);
  }
  /// What another rank asked of this one.
  [[nodiscard]] std::span<wire_row const> received_of(std::size_t rank) const {
    return slice(received(), received_offsets_, rank);
  }

  [[nodiscard]] Comm& comm() noexcept { return comm_; }

private:
  // What arrived is rows and items, rank by rank.
  void unpack() {
    received_items_.resize(received_.size() * item_bytes_);
    for (std::size_t rank = 0; rank < received_counts_.size(); ++rank) {
      auto const first = static_cast<std::size_t>(received_offsets_[rank]);
      auto const count = static_cast<std::size_t>(received_counts_[rank]);
      if (count > 0) {
        auto const* const in = arrived_.data() + first * (sizeof(wire_row) + item_bytes_);
        std::memcpy(&received_[first], in, count * sizeof(wire_row));
        std::memcpy(&received_items_[first * item_bytes_], in + count * sizeof(wire_row), count * item_bytes_);
      }
    }
  }

  template <class T>
  static std::span<T const> slice(std::span<T const> all, std::vector<std::int64_t> const& offsets, std::size_t rank) {
    return all.subspan(static_cast<std::size_t>(offsets[rank]),
                       static_cast<std::size_t>(offsets[rank + 1] - offsets[rank]));
  }

  using request = decltype(std::declval<Comm&>().start_all_to_all_v(outgoing{}, incoming{}));

  Comm comm_;
  std::vector<int> owner_;
  std::vector<local_id> own_;
  std::vector<std::int64_t> own_places_;
  std::vector<wire_row> asked_;
  std::vector<std::int64_t> asked_places_;
  std::vector<std::int64_t> asked_counts_;
  std::vector<std::int64_t> asked_offsets_;
  std::vector<std::int64_t> next_;
  std::vector<wire_row> received_;
  std::vector<std::int64_t> received_counts_;
  std::vector<std::int64_t> received_offsets_;
  std::vector<call_header> headers_;
  detail::byte_counts asked_bytes_;
  detail::byte_counts received_bytes_;
  std::int64_t largest_asked_ = 0;
  std::size_t item_bytes_ = 0;             // of what is attached; 0 if nothing is
  std::vector<std::byte> own_items_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> arrived_;
  std::vector<std::byte> received_items_;
  std::optional<request> travelling_; // last: completed before the memory goes
};

/// The row behind a `wire_row`.
[[nodiscard]] constexpr local_id row_of(wire_row wire) noexcept { return wire < 0 ? ~wire : wire; }

/// True if the requester marked the vertex.
[[nodiscard]] constexpr bool is_marked(wire_row wire) noexcept { return wire < 0; }

} // namespace glt::dist

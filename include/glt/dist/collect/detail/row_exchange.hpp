// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/memory/buffer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// About what a rank receives in one round of a `row_exchange`: much less would cost messages, much more does
/// not stay in the cache.
[[nodiscard]] constexpr std::int64_t default_round_bytes(int ranks) noexcept {
  return std::max(std::int64_t{1} << 20, ranks * (std::int64_t{1} << 15));
}

/// Sends the rows that other ranks requested and receives those that this rank requested: the second half of
/// a feature look-up.
///
/// Rows go in rounds, as many on all ranks: while one travels, the next is packed. So a rank needs room for
/// two rounds, whatever the size of the batch. `Message` says what a row is: see `row_message`.
template <communicator Comm, device_policy Policy, class Message>
class row_exchange {
public:
  /// `round_bytes` must be the same on all ranks.
  row_exchange(Message message, Policy policy, std::int64_t round_bytes)
      : message_(std::move(message)),
        rows_per_round_(std::max<std::int64_t>(1, round_bytes / message_.largest_row())),
        memory_(0, std::move(policy)) {}

  /// Makes room for whatever a call may need, up to `limit` bytes; what is beyond that is allocated when the
  /// other ranks have said what they want.
  void reserve(int ranks, std::int64_t limit = std::int64_t{1} << 26) {
    auto const peers = std::int64_t{ranks} - 1;
    auto const rows = peers * rows_per_round_ + (rows_per_round_ + peers);
    if (peers > 0) {
      memory_.reserve(std::min(limit, 2 * (rows * message_.largest_row() + 2 * line_bytes)));
    }
  }

  /// Fills in the rows that were requested, by `requests` or what wraps them.
  ///
  /// @comm   collective, after `requests.finish()`; one variable exchange a round
  template <class Requests, class Rows>
  void run(Requests& requests, Rows& out, collector_seconds& seconds) {
    auto const rounds = (requests.largest_asked() + rows_per_round_ - 1) / rows_per_round_;
    if (rounds == 0) {
      return;
    }
    stopwatch watch;
    divide_memory(requests, rounds);
    pack({0, rounds}, requests);
    watch.lap(seconds.packing);
    start({0, rounds}, requests);
    for (std::int64_t i = 0; i < rounds; ++i) {
      if (i + 1 < rounds) {
        watch.lap(seconds.exchanging);
        pack({i + 1, rounds}, requests);
        watch.lap(seconds.packing);
      }
      travelling_->wait();
      if (i + 1 < rounds) {
        start({i + 1, rounds}, requests);
      }
      watch.lap(seconds.exchanging);
      unpack({i, rounds}, requests, out);
      watch.lap(seconds.unpacking);
    }
    travelling_.reset();
  }

private:
  static constexpr std::int64_t line_bytes = 64;

  // A round, and the share that it takes of what one rank requests of another.
  struct round {
    std::int64_t number;
    std::int64_t rounds;

    template <class U>
    [[nodiscard]] std::span<U> share(std::span<U> all) const {
      auto const begin = std::ssize(all) * number / rounds;
      auto const end = std::ssize(all) * (number + 1) / rounds;
      return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    }
  };

  // The memory of one of the two rounds that are under way at a time.
  struct half {
    std::byte* sent = nullptr;
    std::byte* received = nullptr;
    detail::byte_counts sent_bytes;
    detail::byte_counts received_bytes;
  };
  half& half_of(round which) { return halves_[static_cast<std::size_t>(which.number % 2)]; }

  template <class Requests>
  void divide_memory(Requests const& requests, std::int64_t rounds) {
    auto const room = [&](std::span<std::int64_t const> counts) {
      std::int64_t rows = 0;
      for (auto const count : counts) {
        rows += (count + rounds - 1) / rounds;
      }
      return (rows * message_.largest_row() + line_bytes - 1) / line_bytes * line_bytes;
    };
    auto const sent = room(requests.received_counts());
    auto const received = room(requests.asked_counts());
    memory_.clear();
    memory_.resize(2 * (sent + received));
    halves_[0].sent = memory_.data();
    halves_[0].received = halves_[0].sent + sent;
    halves_[1].sent = halves_[0].received + received;
    halves_[1].received = halves_[1].sent + sent;
  }

  template <class Requests>
  void pack(round which, Requests const& requests) {
    auto& to = half_of(which);
    sent_sizes_.clear();
    received_sizes_.clear();
    auto* out = to.sent;
    for (std::size_t rank = 0; rank < requests.received_counts().size(); ++rank) {
      auto const rows = which.share(requests.received_of(rank));
      out = message_.pack(rows, out);
      sent_sizes_.push_back(message_.bytes(rows));
      received_sizes_.push_back(message_.bytes(which.share(requests.asked_of(rank))));
    }
    to.sent_bytes.set(sent_sizes_, 1);
    to.received_bytes.set(received_sizes_, 1);
  }

  template <class Requests>
  void start(round which, Requests& requests) {
    auto const& from = half_of(which);
    travelling_.emplace(
        requests.comm().start_all_to_all_v(from.sent_bytes.out(from.sent), from.received_bytes.in(from.received)));
  }

  template <class Requests, class Rows>
  void unpack(round which, Requests const& requests, Rows& out) {
    std::byte const* in = half_of(which).received;
    for (std::size_t rank = 0; rank < requests.asked_counts().size(); ++rank) {
      in = message_.unpack(in, which.share(requests.asked_of(rank)), which.share(requests.asked_places_of(rank)), out);
    }
  }

  using request = decltype(std::declval<Comm&>().start_all_to_all_v(outgoing{}, incoming{}));

  Message message_;
  std::int64_t rows_per_round_;
  buffer<Policy, std::byte> memory_;
  std::array<half, 2> halves_;
  std::vector<std::int64_t> sent_sizes_;     // [R], scratch
  std::vector<std::int64_t> received_sizes_; // [R], scratch
  std::optional<request> travelling_; // last: completed before the memory goes
};

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/row_list.hpp>
#include <glt/dist/collect/detail/row_message.hpp>
#include <glt/dist/collect/detail/row_requests.hpp>
#include <glt/dist/collect/detail/row_targets.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>

namespace glt::detail {

/// Returns roughly how many bytes a rank receives in one round of a `row_exchange`. Much less would cost messages, much
/// more does not fit the cache; a GPU needs work for all its threads.
template <device_policy Policy>
[[nodiscard]] constexpr std::int64_t default_round_bytes(int ranks) noexcept {
  constexpr int shift = host_policy<Policy> ? 0 : 3;
  return std::max(std::int64_t{1} << (20 + shift), ranks * (std::int64_t{1} << (15 + shift)));
}

/// Exchange of requested rows between ranks: the second half of a feature look-up.
///
/// Rows travel in rounds; all ranks have the same number of rounds. While one round travels, the next is packed, so a
/// rank needs memory for two rounds, whatever the size of the batch.
template <communicator Comm, device_policy Policy>
class row_exchange {
public:
  /// Takes `round_bytes` and `limit`, both equal on all ranks; `reserve` allocates at most `limit` bytes.
  row_exchange(row_message<Policy> message, Policy policy, std::int64_t round_bytes,
               std::int64_t limit = std::int64_t{1} << 26)
      : message_(std::move(message)), rows_per_round_(std::max<std::int64_t>(1, round_bytes / message_.largest_row())),
        limit_(limit), memory_(0, std::move(policy)) {}

  [[nodiscard]] row_message<Policy> const& message() const noexcept { return message_; }
  [[nodiscard]] row_message<Policy>& message() noexcept { return message_; }

  /// Reserves memory for any call, up to the limit. Memory beyond it is allocated when the other ranks' requests are
  /// known.
  void reserve(int ranks) { memory_.reserve(std::min(limit_, most_bytes(ranks, rows_per_round_))); }

  /// Fills in the requested rows.
  ///
  /// @comm   collective, after `requests.finish()`; one variable exchange per round, and before them a header exchange
  ///         if any rank may need more than the limit
  /// @throws collective_error  on every rank, if such a rank has no memory
  template <class Conversions>
  void run(row_requests<Comm, Policy>& requests, call_site site, row_targets const& out, collector_seconds& seconds) {
    auto const rounds = (requests.largest_asked() + rows_per_round_ - 1) / rows_per_round_;
    if (rounds == 0) {
      return;
    }
    committed(requests.host(), [&] { run_rounds<Conversions>(requests, {0, rounds}, site, out, seconds); });
  }

private:
  static constexpr std::int64_t line_bytes = 64;

  // A round, and its share of the rows that one rank requests from another.
  struct round {
    std::int64_t number;
    std::int64_t rounds;

    [[nodiscard]] row_list share(row_list const& all) const {
      return all.part(all.size * number / rounds, all.size * (number + 1) / rounds);
    }
    // Returns the most rows of any share.
    [[nodiscard]] std::int64_t most(std::int64_t rows) const { return (rows + rounds - 1) / rounds; }
  };

  // Packs each round while the round before it travels.
  template <class Conversions>
  void run_rounds(row_requests<Comm, Policy>& requests, round first, call_site site, row_targets const& out,
                  collector_seconds& seconds) {
    auto const rounds = first.rounds;
    stopwatch watch;
    make_room(requests, rounds, site);
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
      unpack<Conversions>({i, rounds}, requests, out);
      watch.lap(seconds.unpacking);
    }
    travelling_.reset();
  }

  // Memory of one round; two rounds are under way at a time.
  struct half {
    std::byte* sent = nullptr;
    std::byte* received = nullptr;
    byte_counts sent_bytes;
    byte_counts received_bytes;
  };
  half& half_of(round which) { return halves_[static_cast<std::size_t>(which.number % 2)]; }

  [[nodiscard]] std::int64_t bytes_of(std::int64_t rows, std::int64_t messages) const {
    return (message_.capacity(rows, messages) + line_bytes - 1) / line_bytes * line_bytes;
  }
  // Returns the most bytes that a rank needs if no rank requests more than `rows` rows in a round.
  [[nodiscard]] std::int64_t most_bytes(int ranks, std::int64_t rows) const {
    auto const peers = std::int64_t{ranks} - 1;
    return peers == 0 ? 0 : 2 * (bytes_of(peers * rows, peers) + bytes_of(rows + peers, peers));
  }

  void make_room(row_requests<Comm, Policy>& requests, std::int64_t rounds, call_site site) {
    round const which{0, rounds};
    std::int64_t sent_rows = 0;
    std::int64_t received_rows = 0;
    for (int rank = 0; rank < requests.size(); ++rank) {
      sent_rows += which.most(requests.received(rank).size);
      received_rows += which.most(requests.asked(rank).size);
    }
    auto const sent = bytes_of(sent_rows, requests.size() - 1);
    auto const received = bytes_of(received_rows, requests.size() - 1);
    auto const failure = failure_of([&] {
      memory_.clear();
      memory_.resize(2 * (sent + received));
    });
    if (most_bytes(requests.size(), which.most(requests.largest_asked())) > limit_) {
      agree(requests.host(), site, failure);
    }
    if (!failure.empty()) { // does not happen after `reserve`
      throw error(failure);
    }
    halves_[0].sent = memory_.data();
    halves_[0].received = halves_[0].sent + sent;
    halves_[1].sent = halves_[0].received + received;
    halves_[1].received = halves_[1].sent + sent;
  }

  void pack(round which, row_requests<Comm, Policy> const& requests) {
    auto& to = half_of(which);
    sent_sizes_.clear();
    received_sizes_.clear();
    auto* out = to.sent;
    for (int rank = 0; rank < requests.size(); ++rank) {
      auto const rows = which.share(requests.received(rank));
      out = message_.pack(rows, out);
      sent_sizes_.push_back(message_.bytes(rows));
      received_sizes_.push_back(message_.bytes(which.share(requests.asked(rank))));
    }
    to.sent_bytes.set(sent_sizes_, 1);
    to.received_bytes.set(received_sizes_, 1);
  }

  void start(round which, row_requests<Comm, Policy>& requests) {
    auto const& from = half_of(which);
    travelling_.emplace(
        requests.payload().start_all_to_all_v(from.sent_bytes.out(from.sent), from.received_bytes.in(from.received)));
  }

  template <class Conversions>
  void unpack(round which, row_requests<Comm, Policy> const& requests, row_targets const& out) {
    std::byte const* in = half_of(which).received;
    for (int rank = 0; rank < requests.size(); ++rank) {
      in = message_.template unpack<Conversions>(in, which.share(requests.asked(rank)), out.of(rank));
    }
  }

  using payload = payload_comm<Comm, Policy>;
  using request = decltype(std::declval<payload&>().start_all_to_all_v(outgoing{}, incoming{}));

  row_message<Policy> message_;
  std::int64_t rows_per_round_;
  std::int64_t limit_;
  buffer<Policy, std::byte> memory_;
  std::array<half, 2> halves_;
  std::vector<std::int64_t> sent_sizes_;     // [R], scratch
  std::vector<std::int64_t> received_sizes_; // [R], scratch
  std::optional<request> travelling_;        // last: it completes before the memory is freed
};

} // namespace glt::detail

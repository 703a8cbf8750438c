// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/detail/exchange/agree.hpp>

namespace glt::detail {

/// Exchange of fixed-size records with the ranks that own them, in rounds that bound the memory.
///
/// @where  twice the bytes of a round, kept for the next round
template <communicator Comm>
class record_shuffle {
public:
  /// @pre    record_bytes > 0, the same on all ranks; not checked
  /// @comm   none
  record_shuffle(Comm comm, std::int64_t record_bytes)
      : comm_(std::move(comm)), record_bytes_(record_bytes), for_ranks_(static_cast<std::size_t>(comm_.size())),
        headers_(for_ranks_.size()) {}

  /// Adds a record to this round's bytes for a rank, which may be this one.
  void add(int rank, void const* record) {
    auto& bytes = for_ranks_[static_cast<std::size_t>(rank)];
    auto const* const first = static_cast<std::byte const*>(record);
    bytes.insert(bytes.end(), first, first + record_bytes_);
  }

  /// Ends the round: calls take(record) for all records that the ranks added for this rank, in the order of the ranks
  /// and of their `add`s. A record is valid until `take` returns and need not be aligned. Returns true if any rank has
  /// `more` to send in a later round.
  ///
  /// @comm   collective; one header exchange and one variable exchange
  /// @throws collective_error  on every rank, if a rank passes a failure
  template <class Take>
  bool exchange(std::int64_t step, std::string const& failure, Take take, bool more = false) {
    auto const ranks = for_ranks_.size();
    auto const own = static_cast<std::size_t>(comm_.rank());
    send_counts_.assign(ranks, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      send_counts_[rank] = rank == own ? 0 : std::ssize(for_ranks_[rank]);
    }
    exchange_headers(comm_, {.what = operation::shuffle, .step = step}, send_counts_, more ? 1 : 0, failure, headers_);
    committed(comm_, [&] { send(own); });
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const& bytes = rank == own ? for_ranks_[own] : received_;
      auto const first = rank == own ? std::size_t{0} : next;
      auto const count = rank == own ? for_ranks_[own].size() : static_cast<std::size_t>(receive_counts_[rank]);
      for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(record_bytes_)) {
        take(bytes.data() + first + i);
      }
      next += rank == own ? 0 : count;
    }
    for_ranks_[own].clear();
    return any_above_zero(headers_);
  }

private:
  void send(std::size_t own) {
    auto const ranks = for_ranks_.size();
    receive_counts_.assign(ranks, 0);
    std::int64_t arriving = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      receive_counts_[rank] = headers_[rank].count;
      arriving += headers_[rank].count;
    }
    sent_.clear();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (rank != own) {
        sent_.insert(sent_.end(), for_ranks_[rank].begin(), for_ranks_[rank].end());
        for_ranks_[rank].clear();
      }
    }
    received_.resize(static_cast<std::size_t>(arriving));
    exchange_rows(comm_, host_view<std::byte const>(sent_), send_counts_, host_view<std::byte>(received_),
                  receive_counts_);
  }

  Comm comm_;
  std::int64_t record_bytes_;
  std::vector<std::vector<std::byte>> for_ranks_;
  std::vector<call_header> headers_;
  std::vector<std::int64_t> send_counts_;
  std::vector<std::int64_t> receive_counts_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
};

/// Processes the items [first, last) of this rank piece by piece, and exchanges records after each piece.
///
/// work(begin, end) adds the records of a piece to the shuffle, take(record) gets the records that arrive. All ranks
/// make as many rounds as the rank with the most items, and at least one. An exception of `work` or `take` ends the
/// rounds of all ranks, as does a `failure` from before.
///
/// @comm   collective; per round one of `record_shuffle`, and a header exchange at the end
/// @throws collective_error  on every rank, if `work` or `take` throws on a rank
template <communicator Comm, class Work, class Take>
void shuffle_in_rounds(Comm& comm, record_shuffle<Comm>& shuffle, std::int64_t first, std::int64_t last,
                       std::int64_t items_a_round, Work work, Take take, std::string failure = {}) {
  std::int64_t step = 0;
  for (bool more = true; more; ++step) {
    auto const end = first + std::min(items_a_round, last - first);
    attempt(failure, [&] { work(first, end); });
    first = end;
    more = shuffle.exchange(
        step, failure, [&](std::byte const* record) { attempt(failure, [&] { take(record); }); }, first < last);
  }
  agree(comm, {.what = operation::shuffle, .step = step}, failure);
}

} // namespace glt::detail

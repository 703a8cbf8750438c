// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/row_lists.hpp>
#include <glt/dist/collect/detail/row_requests.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/tier/detail/striped_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Layout of requested rows in a message: tensor by tensor, as stored. A `seeds_only` tensor contains only the flagged
/// rows.
///
/// @where  all work is enqueued on the policy's executor
template <device_policy Policy>
class row_message {
  static constexpr memory_space space = Policy::space;
  // A GPU copies aligned data in longer words; a message in host memory has no gaps.
  static constexpr std::int64_t alignment = host_policy<Policy> ? 1 : 16;

public:
  /// Borrows the rows of this rank, which must outlive this object.
  row_message(std::vector<planned_tensor<space>> plan, Policy policy)
      : plan_(std::move(plan)), policy_(std::move(policy)) {
    for (auto const& each : plan_) {
      row_bytes_ += each.local.row_bytes();
    }
  }

  [[nodiscard]] std::vector<planned_tensor<space>> const& plan() const noexcept { return plan_; }
  /// Returns true if there is a `seeds_only` tensor.
  [[nodiscard]] bool flags() const noexcept { return std::ranges::any_of(plan_, &planned_tensor<space>::seeds_only); }

  /// Reads rows of a tensor from tiers from now on.
  void set_tier(std::size_t tensor, std::byte const* cold, row_tier<space> tier) noexcept {
    plan_[tensor].local.data = cold;
    plan_[tensor].local.tier = tier;
  }

  /// Returns the bytes of a row of all tensors; at least 1.
  [[nodiscard]] std::int64_t largest_row() const noexcept { return std::max<std::int64_t>(1, row_bytes_); }
  /// Returns the most bytes that `rows` rows in `messages` messages take.
  [[nodiscard]] std::int64_t capacity(std::int64_t rows, std::int64_t messages) const noexcept {
    return rows * largest_row() + messages * std::ssize(plan_) * (alignment - 1);
  }

  /// Returns true if rows of a tensor of this rank are read from storage; the same on all ranks. Call `read` before they
  /// are packed or scattered.
  [[nodiscard]] bool reads() const noexcept {
    return host_policy<Policy> &&
           std::ranges::any_of(plan_, [](auto const& each) { return each.local.storage != nullptr; });
  }
  /// Reads rows of this rank from storage, if there is one, into memory of this object: until the next call, they are
  /// packed and scattered from there. Counts them.
  ///
  /// @shape  rows of all lists lie one after the other
  /// @throws io_error  if a row cannot be read
  void read(std::span<row_list const> lists, collected_counts& counts) {
    read_.resize(plan_.size());
    first_read_ = lists.empty() ? nullptr : lists.front().rows;
    std::vector<std::int64_t> numbers;
    for (std::size_t t = 0; !lists.empty() && t < plan_.size(); ++t) {
      auto const& local = plan_[t].local;
      if (local.storage == nullptr) {
        continue;
      }
      read_[t].clear(); // old rows need not move
      read_[t].resize((lists.back().rows - first_read_ + lists.back().size) * local.row_bytes());
      for (auto const& list : lists) {
        numbers.resize(static_cast<std::size_t>(count_of(plan_[t], list)));
        std::transform(list.rows, list.rows + std::ssize(numbers), numbers.begin(), unflagged);
        if (!numbers.empty()) {
          counts.disk_cached += local.storage->read(host_view<std::int64_t const>(numbers),
                                                    read_[t].data() + (list.rows - first_read_) * local.row_bytes());
          counts.disk += std::ssize(numbers);
        }
      }
    }
  }

  [[nodiscard]] std::int64_t bytes(row_list const& rows) const noexcept {
    std::int64_t sum = 0;
    for (auto const& each : plan_) {
      sum += padded(count_of(each, rows) * each.local.row_bytes());
    }
    return sum;
  }

  /// Writes rows of this rank and returns the end of the message; `out` has room for bytes(rows).
  ///
  /// @pre    the rows exist, and `read` has read them if need be; not checked
  std::byte* pack(row_list const& rows, std::byte* out) const {
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      auto const& local = plan_[t].local;
      copy_rows_of<cached_writes, no_conversion>(t, local, rows, rows_in_order{}, local.type, out);
      out += padded(count_of(plan_[t], rows) * local.row_bytes());
    }
    return out;
  }

  /// Scatters the rows of a message to their places, converted to the requested types, and returns its end.
  ///
  /// @pre    the plans of all ranks have the same tensors; not checked
  template <class Conversions>
  std::byte const* unpack(std::byte const* in, row_list const& rows, row_targets const& to) const {
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      auto sent = plan_[t].local;
      sent.data = in;
      sent.tier = {};
      sent.storage = nullptr;
      to.for_each_run(rows, [&](row_run const& run) {
        sent.num_rows = count_of(plan_[t], run.rows);
        transfer_any_rows<streamed_writes, Conversions>(policy_.executor(), sent.num_rows, sent, rows_in_order{},
                                                        run.places(), run.targets[t].type, run.targets[t].data);
        sent.data += sent.num_rows * sent.row_bytes();
      });
      in += padded(count_of(plan_[t], rows) * sent.row_bytes());
    }
    return in;
  }

  /// Scatters rows that this rank can read to their places.
  ///
  /// @shape  from [tensors]
  template <class Conversions>
  void scatter(std::span<any_rows<space> const> from, row_list const& rows, row_targets const& to) const {
    to.for_each_run(rows, [&](row_run const& run) {
      for (std::size_t t = 0; t < plan_.size(); ++t) {
        copy_rows_of<streamed_writes, Conversions>(t, from[t], run.rows, run.places(), run.targets[t].type,
                                                   run.targets[t].data);
      }
    });
  }

private:
  [[nodiscard]] static std::int64_t padded(std::int64_t bytes) noexcept {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  [[nodiscard]] static std::int64_t count_of(planned_tensor<space> const& tensor, row_list const& rows) noexcept {
    return tensor.seeds_only ? rows.num_flagged : rows.size;
  }

  // Copies rows of tensor t from memory, or from where `read` has put them.
  template <class Writes, class Conversions, class To>
  void copy_rows_of(std::size_t t, any_rows<space> from, row_list const& rows, To to, element_type type,
                    std::byte* out) const {
    auto const count = count_of(plan_[t], rows);
    if (host_policy<Policy> && from.storage != nullptr) {
      from.data = count == 0 ? nullptr : read_[t].data() + (rows.rows - first_read_) * from.row_bytes();
      from.storage = nullptr;
      transfer_any_rows<Writes, Conversions>(policy_.executor(), count, from, rows_in_order{}, to, type, out);
    } else {
      transfer_any_rows<Writes, Conversions>(policy_.executor(), count, from, rows_unflagged{rows.rows}, to, type, out);
    }
  }

  std::vector<planned_tensor<space>> plan_;
  std::int64_t row_bytes_ = 0;
  Policy policy_;
  std::vector<buffer<Policy, std::byte>> read_; // [tensors], rows of the lists of `read`
  local_id const* first_read_ = nullptr;
};

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

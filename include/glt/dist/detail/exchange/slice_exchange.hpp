// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Policy of memory that is allocated between a header exchange and its payload: ordinary memory on hosts, since the
/// other ranks already wait there.
template <device_policy Policy>
using message_policy =
    std::conditional_t<host_policy<Policy> && Policy::space == memory_space::host, device::cpu, Policy>;

template <bytes_copyable T, device_policy Policy>
[[nodiscard]] buffer<message_policy<Policy>, T> make_message_buffer([[maybe_unused]] Policy const& policy) {
  if constexpr (std::is_same_v<message_policy<Policy>, Policy>) {
    return buffer<Policy, T>(0, policy);
  } else {
    return {};
  }
}

/// Place of the local rows of an exchange: with the rows received from other ranks, or where they are.
enum class own_rows { received, apart };

/// Exchange of slices of arrays in a policy's memory: counts go through ordinary memory, rows stay in the policy's
/// memory. The local slice is only copied.
///
/// Call `exchange_counts`, then `start` and `wait` for every array of rows, then `start_back` and `wait` for replies of
/// as many rows. Reusable; the memory is kept. Concurrent calls: none.
template <communicator Comm, device_policy Policy = device::cpu>
class slice_exchange {
  static constexpr memory_space space = Policy::space;

public:
  /// @comm   none, or one reduction; see `device_comm`
  explicit slice_exchange(Comm comm, Policy policy = {}, staging_options options = {})
      : comm_(make_payload_comm(std::move(comm), policy, options)), policy_(std::move(policy)),
        counts_(static_cast<std::size_t>(comm_.size()), 0), received_counts_(counts_), headers_(counts_.size()) {
    prefix_sums(counts_, sent_offsets_);
    prefix_sums(counts_, received_offsets_);
  }

  [[nodiscard]] int rank() const noexcept { return comm_.rank(); }
  [[nodiscard]] int size() const noexcept { return comm_.size(); }
  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }
  [[nodiscard]] auto& host() noexcept { return host_comm(comm_); }
  /// Returns the communicator that carries the rows.
  [[nodiscard]] payload_comm<Comm, Policy>& comm() noexcept { return comm_; }

  /// Tells every rank its number of rows, and checks that all ranks succeeded and are at the same call.
  ///
  /// @shape  counts [R], rows for every rank, this one included · returns [R], with 0 local rows
  /// @comm   collective; see `exchange_headers`
  /// @throws collective_error  on every rank, the same one: if `failure` is not empty on a rank, or if a rank is at
  ///                           another `site`
  std::span<call_header const> exchange_counts(call_site site, std::span<std::int64_t const> counts,
                                               std::int64_t value = 0, std::string const& failure = {},
                                               own_rows own = own_rows::received) {
    wait();
    check_length("exchange_counts", "counts", counts.size(), comm_.size());
    auto const self = static_cast<std::size_t>(comm_.rank());
    counts_.assign(counts.begin(), counts.end());
    counts_[self] = 0;
    exchange_headers(host(), site, counts_, value, failure, headers_);
    counts_[self] = counts[self];
    for (std::size_t rank = 0; rank < headers_.size(); ++rank) {
      received_counts_[rank] = rank != self ? headers_[rank].count : own == own_rows::received ? counts[self] : 0;
    }
    prefix_sums(counts_, sent_offsets_);
    prefix_sums(received_counts_, received_offsets_);
    most_sent_ = std::ranges::max(headers_, {}, &call_header::total).total;
    return headers_;
  }

  /// Takes part in `exchange_counts` only to report a failure; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(call_site site, std::string const& failure) {
    wait();
    std::ranges::fill(counts_, 0);
    exchange_headers(host(), site, counts_, 0, failure, headers_);
    throw error(failure); // not reached: a failure leaves every header exchange as an exception
  }

  [[nodiscard]] std::span<std::int64_t const> received_counts() const noexcept { return received_counts_; } ///< [R]
  /// [R + 1]
  [[nodiscard]] std::span<std::int64_t const> received_offsets() const noexcept { return received_offsets_; }
  /// Returns true if any rank has rows for another; otherwise `start` and `start_back` send nothing. The same on all
  /// ranks.
  [[nodiscard]] bool anything() const noexcept { return most_sent_ > 0; }
  /// Returns the most rows that any rank sends to all others; the same on all ranks.
  [[nodiscard]] std::int64_t most_sent() const noexcept { return most_sent_; }

  /// Sends the counted rows; do not change `send` until `wait()`.
  ///
  /// @shape  send [counted rows · columns], by receiver · receive [received_offsets().back() · columns], written, by
  ///         sender; both may be longer
  /// @comm   collective; one variable exchange, or none if no rank has rows for another
  /// @throws precondition_error  if a view is too short or columns is negative
  template <class Element, bytes_copyable T>
    requires std::same_as<std::remove_const_t<Element>, T>
  void start(array_view<space, Element> send, array_view<space, T> receive, std::int64_t columns = 1) {
    start_from<Element, T>(sent_offsets_, send, receive, columns);
  }

  /// Sends the counted rows as `start` does, from slices that lie apart or overlap.
  ///
  /// @shape  begins [R] or more, rows from 0: start of the slice for each rank in `send`
  template <class Element, bytes_copyable T>
    requires std::same_as<std::remove_const_t<Element>, T>
  void start_from(std::span<std::int64_t const> begins, array_view<space, Element> send, array_view<space, T> receive,
                  std::int64_t columns = 1) {
    move<T>("start", send, counts_, begins, receive, received_counts_, received_offsets_, columns);
  }

  /// Sends a reply for every received row to its sender.
  ///
  /// @shape  send [received_offsets().back() · columns], by requester · receive [counted rows · columns], written; both
  ///         may be longer
  /// @comm   as `start`
  /// @throws precondition_error  if a view is too short or columns is negative
  template <class Element, bytes_copyable T>
    requires std::same_as<std::remove_const_t<Element>, T>
  void start_back(array_view<space, Element> send, array_view<space, T> receive, std::int64_t columns = 1) {
    move<T>("start_back", send, received_counts_, received_offsets_, receive, counts_, sent_offsets_, columns);
  }

  /// Waits until the started exchange has arrived, for work enqueued from now on; returns at once if there is none.
  void wait() {
    if (travelling_) {
      auto travelling = std::exchange(travelling_, std::nullopt);
      travelling->wait();
    }
  }

private:
  using payload = payload_comm<Comm, Policy>;
  using request = decltype(std::declval<payload&>().start_all_to_all_v(outgoing{}, incoming{}));

  // One side of an exchange in bytes, without the local slice.
  struct slices {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> begins;

    void set(std::span<std::int64_t const> counts, std::span<std::int64_t const> first_rows, std::size_t self,
             std::int64_t row_bytes) {
      sizes.resize(counts.size());
      begins.resize(counts.size());
      for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
        sizes[rank] = rank == self ? 0 : counts[rank] * row_bytes;
        begins[rank] = first_rows[rank] * row_bytes;
      }
    }
  };

  static void check(std::string_view call, std::string_view array, std::int64_t size,
                    std::span<std::int64_t const> counts, std::span<std::int64_t const> begins, std::int64_t columns) {
    if (columns < 0) {
      throw precondition_error(message(call, ": rows of ", columns, " columns; pass 0 or more"));
    }
    std::int64_t end = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      end = std::max(end, begins[rank] + counts[rank]);
    }
    if (size < end * columns) {
      throw precondition_error(
          message(call, ": ", array, " has ", size, " elements, but its slices have ", end, " rows of ", columns));
    }
  }

  template <class T>
  void move(std::string_view call, array_view<space, T const> send, std::span<std::int64_t const> send_counts,
            std::span<std::int64_t const> from, array_view<space, T> receive,
            std::span<std::int64_t const> receive_counts, std::span<std::int64_t const> to, std::int64_t columns) {
    check(call, "send", send.size(), send_counts, from, columns);
    check(call, "receive", receive.size(), receive_counts, to, columns);
    wait();
    auto const self = static_cast<std::size_t>(comm_.rank());
    auto const row_bytes = columns * static_cast<std::int64_t>(sizeof(T));
    if (anything()) {
      out_.set(send_counts, from, self, row_bytes);
      in_.set(receive_counts, to, self, row_bytes);
      travelling_.emplace(
          comm_.start_all_to_all_v({reinterpret_cast<std::byte const*>(send.data()), out_.sizes, out_.begins},
                                   {reinterpret_cast<std::byte*>(receive.data()), in_.sizes, in_.begins}));
    }
    // 0 if local rows stay apart
    if (auto const bytes = std::min(send_counts[self], receive_counts[self]) * row_bytes; bytes > 0) {
      policy_.resource().copy(receive.data() + to[self] * columns, send.data() + from[self] * columns,
                              static_cast<std::size_t>(bytes));
    }
  }

  payload comm_;
  Policy policy_;
  std::vector<std::int64_t> counts_;           // [R]
  std::vector<std::int64_t> received_counts_;  // [R]
  std::vector<std::int64_t> sent_offsets_;     // [R + 1]
  std::vector<std::int64_t> received_offsets_; // [R + 1]
  std::vector<call_header> headers_;           // [R]
  std::int64_t most_sent_ = 0;
  slices out_;
  slices in_;
  std::optional<request> travelling_; // last: it completes before the memory is freed
};

} // namespace glt::detail

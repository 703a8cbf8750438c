// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/detail/edge_keys.hpp>
#include <glt/dist/collect/detail/flag_counter.hpp>
#include <glt/dist/collect/detail/row_list.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::detail {

/// Asks other ranks for the rows that are not at hand, and tells what they ask for: 4 bytes a vertex, 12 an edge.
///
/// `sources().sort`, `start`, `finish`; own work fits between `start` and `finish`. Reusable; the memory is kept.
template <communicator Comm, device_policy Policy>
class row_requests {
  using index_policy = typename row_sources<Policy>::index_policy;
  static constexpr memory_space index_space = index_policy::space;

public:
  /// `flags` says whether lists may have flagged rows, on all ranks.
  ///
  /// @comm   none, or one reduction; see `device_comm`
  row_requests(Comm comm, partition_book const& book, bool by_edge, bool flags, Policy policy)
      : comm_(make_payload_comm(std::move(comm), policy)), flags_(flags),
        sources_(book, comm_.rank(), by_edge, policy), asked_(static_cast<std::size_t>(comm_.size()), 0),
        asked_bytes_(asked_), asked_begins_(asked_), received_counts_(asked_), headers_(asked_.size()),
        flag_counter_(sources_.index()), received_(0, sources_.index()), found_(0, sources_.index()) {}

  [[nodiscard]] row_sources<Policy>& sources() noexcept { return sources_; }
  [[nodiscard]] auto& host() noexcept { return host_comm(comm_); }
  /// What carries memory of the policy.
  [[nodiscard]] auto& payload() noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return comm_.rank(); }
  [[nodiscard]] int size() const noexcept { return comm_.size(); }

  /// Agrees with the other ranks on this call and starts to send what was sorted.
  ///
  /// @comm   collective; one header exchange and, if any rank asks anything, one variable exchange
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  void start(call_site site) {
    for (int rank = 0; rank < size(); ++rank) {
      asked_[static_cast<std::size_t>(rank)] = asked(rank).size;
    }
    announce(site, {});
    committed(host(), [&] { send_keys(); });
  }

  /// Takes part in `start` only to report a failure; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(call_site site, std::string const& failure) {
    std::ranges::fill(asked_, 0);
    announce(site, failure);
    throw error(failure); // not reached: a failure leaves every header exchange as an exception
  }

  /// Waits until all requests have arrived, and finds the rows of edges.
  ///
  /// @throws precondition_error  if this rank has not an edge that it is asked for; it is lost then (see `losable`)
  void finish() {
    if (travelling_) {
      auto travelling = std::exchange(travelling_, std::nullopt);
      travelling->wait();
    }
    committed(host(), [&] { find_rows(); }); // which the others wait for
  }

  /// True if any rank asks any other: if not, there are no payload messages at all in this call.
  [[nodiscard]] bool anything() const noexcept { return largest_asked_ > 0; }
  /// The most rows that any rank asks of all others in this call; the same on all ranks.
  [[nodiscard]] std::int64_t largest_asked() const noexcept { return largest_asked_; }

  /// What this rank asks of another one; nothing if the rows of that one are at hand.
  [[nodiscard]] row_list asked(int rank) const {
    return sources_.is_local(rank) ? row_list{} : sources_.list(rank);
  }
  /// What another rank asks of this one, after `finish`.
  [[nodiscard]] row_list received(int rank) const {
    auto const r = static_cast<std::size_t>(rank);
    return {received_rows() + received_offsets_[r], nullptr, received_counts_[r],
            received_flags_.empty() ? 0 : received_flags_[r]};
  }

private:
  // Finds the rows of edges, and counts the flagged ones.
  void find_rows() {
    auto const size = received_offsets_.back();
    if (sources_.by_edge()) {
      found_.clear();
      found_.resize(size);
      find_edge_rows(sources_.index(), reinterpret_cast<edge_key const*>(received_.data()), size,
                     sources_.table(rank()), found_.data());
    }
    received_flags_ = flags_ && anything() ? flag_counter_.count(received_rows(), received_offsets_)
                                           : std::span<std::int64_t const>();
  }

  // Starts to send what was sorted, if any rank asks anything.
  void send_keys() {
    if (anything()) {
      for (std::size_t rank = 0; rank < asked_.size(); ++rank) {
        asked_bytes_[rank] = asked_[rank] * key_bytes();
        asked_begins_[rank] = sources_.offset(static_cast<int>(rank)) * key_bytes();
      }
      received_bytes_.set(received_counts_, static_cast<std::size_t>(key_bytes()));
      received_.clear();
      received_.resize(received_bytes_.total());
      auto const* const keys = sources_.by_edge() ? reinterpret_cast<std::byte const*>(sources_.edge_keys())
                                                  : reinterpret_cast<std::byte const*>(sources_.rows());
      travelling_.emplace(comm_.start_all_to_all_v({keys, asked_bytes_, asked_begins_},
                                                   received_bytes_.in(received_.data())));
    }
  }

  [[nodiscard]] std::int64_t key_bytes() const noexcept {
    return static_cast<std::int64_t>(sources_.by_edge() ? sizeof(edge_key) : sizeof(local_id));
  }
  [[nodiscard]] local_id const* received_rows() const noexcept {
    return sources_.by_edge() ? found_.data() : reinterpret_cast<local_id const*>(received_.data());
  }

  void announce(call_site site, std::string const& failure) {
    exchange_headers(host(), site, asked_, 0, failure, headers_);
    largest_asked_ = 0;
    for (std::size_t rank = 0; rank < headers_.size(); ++rank) {
      received_counts_[rank] = headers_[rank].count;
      largest_asked_ = std::max(largest_asked_, headers_[rank].total);
    }
    prefix_sums(received_counts_, received_offsets_);
  }

  using payload_type = payload_comm<Comm, Policy>;
  using request = decltype(std::declval<payload_type&>().start_all_to_all_v(outgoing{}, incoming{}));

  payload_type comm_;
  bool flags_;
  row_sources<Policy> sources_;
  std::vector<std::int64_t> asked_;       // [R], as those that follow
  std::vector<std::int64_t> asked_bytes_; // those of own and shared rows stay out of the messages
  std::vector<std::int64_t> asked_begins_;
  std::vector<std::int64_t> received_counts_;
  std::vector<std::int64_t> received_offsets_{0}; // [R + 1]
  std::vector<call_header> headers_;
  byte_counts received_bytes_;
  std::int64_t largest_asked_ = 0;
  flag_counter<index_policy> flag_counter_;
  std::span<std::int64_t const> received_flags_; // [R], or empty if there are none
  buffer<index_policy, std::byte> received_;
  buffer<index_policy, local_id> found_;
  std::optional<request> travelling_; // last: completed before the memory goes
};

} // namespace glt::detail

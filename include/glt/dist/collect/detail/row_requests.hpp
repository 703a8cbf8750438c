// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/collect/detail/row_lists.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

/// Requests for rows between ranks: those that this rank sends, and those that it receives; 4 bytes a vertex, 12 an
/// edge.
///
/// Call `sources().sort`, `start` and `finish`, in this order; local work fits between `start` and `finish`. Reusable;
/// the memory is kept.
template <communicator Comm, device_policy Policy>
class row_requests {
  using index_policy = typename row_sources<Policy>::index_policy;
  static constexpr memory_space space = Policy::space;

public:
  /// Takes `flags`, true if lists may have flagged rows; the same on all ranks.
  ///
  /// @comm   none, or one reduction; see `device_comm`
  row_requests(Comm comm, partition_book const& book, bool by_edge, bool flags, Policy policy)
      : flags_(flags), sources_(book, comm.rank(), by_edge, policy), asked_(static_cast<std::size_t>(comm.size()), 0),
        unflagged_(sources_.index()), received_(0, sources_.index()), found_(0, sources_.index()),
        exchange_(std::move(comm), policy) {}

  [[nodiscard]] row_sources<Policy>& sources() noexcept { return sources_; }
  [[nodiscard]] auto& host() noexcept { return exchange_.host(); }
  /// Returns the communicator for memory of the policy.
  [[nodiscard]] auto& payload() noexcept { return exchange_.comm(); }
  [[nodiscard]] int rank() const noexcept { return exchange_.rank(); }
  [[nodiscard]] int size() const noexcept { return exchange_.size(); }

  /// Agrees with the other ranks on this call and starts to send the sorted keys.
  ///
  /// @comm   collective; one header exchange and, if any rank requests rows, one variable exchange
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  void start(call_site site) {
    for (int rank = 0; rank < size(); ++rank) {
      asked_[static_cast<std::size_t>(rank)] = asked(rank).size;
    }
    exchange_.exchange_counts(site, asked_);
    if (anything()) {
      committed(host(), [&] { send_keys(); });
    }
  }

  /// Takes part in `start` only to report a failure; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(call_site site, std::string const& failure) { exchange_.refuse(site, failure); }

  /// Waits until all requests have arrived, and finds the rows of edges. Other ranks already wait for the rows: a
  /// failure needs an agreement, or this rank is lost (see `committed`).
  ///
  /// @throws precondition_error  if a requested edge is not stored on this rank
  void finish() {
    exchange_.wait();
    find_rows();
  }

  /// Returns true if any rank requests rows; otherwise this call sends no payload.
  [[nodiscard]] bool anything() const noexcept { return exchange_.anything(); }
  /// Returns the most rows that any rank requests from all others in this call; the same on all ranks.
  [[nodiscard]] std::int64_t largest_asked() const noexcept { return exchange_.most_sent(); }

  /// Returns the rows that this rank requests from another rank; none if it can read them itself.
  [[nodiscard]] row_list asked(int rank) const { return sources_.is_local(rank) ? row_list{} : sources_.list(rank); }
  /// Returns the rows that another rank requests from this one, after `finish`.
  [[nodiscard]] row_list received(int rank) const {
    auto const r = static_cast<std::size_t>(rank);
    auto const first = exchange_.received_offsets()[r];
    return {received_rows() + first, nullptr, exchange_.received_counts()[r],
            flags_end_.empty() ? 0 : flags_end_[r] - first};
  }

private:
  // Finds the rows of edges, and counts the flagged ones.
  void find_rows() {
    auto const offsets = exchange_.received_offsets();
    if (sources_.by_edge()) {
      found_.clear();
      found_.resize(offsets.back());
      find_edge_rows(sources_.index(), reinterpret_cast<edge_key const*>(received_.data()), offsets.back(),
                     sources_.table(rank()), found_.data());
    }
    flags_end_ = flags_ && anything() ? unflagged_.find(received_rows(), offsets, first_unflagged)
                                      : std::span<std::int64_t const>();
  }

  void send_keys() {
    auto const key_bytes = static_cast<std::int64_t>(sources_.by_edge() ? sizeof(edge_key) : sizeof(local_id));
    auto const* const keys = sources_.by_edge() ? reinterpret_cast<std::byte const*>(sources_.edge_keys())
                                                : reinterpret_cast<std::byte const*>(sources_.rows());
    received_.clear();
    received_.resize(exchange_.received_offsets().back() * key_bytes);
    exchange_.start_from(sources_.offsets(),
                         array_view<space, std::byte const>(keys, sources_.offsets().back() * key_bytes),
                         array_view<space, std::byte>(received_.data(), received_.size()), key_bytes);
  }

  [[nodiscard]] local_id const* received_rows() const noexcept {
    return sources_.by_edge() ? found_.data() : reinterpret_cast<local_id const*>(received_.data());
  }

  bool flags_;
  row_sources<Policy> sources_;
  std::vector<std::int64_t> asked_; // [R]; 0 for this rank and for ranks whose rows are read in place
  slice_bounds<index_policy> unflagged_;
  std::span<std::int64_t const> flags_end_; // [R], end of each rank's flagged rows; empty if there are none
  buffer<index_policy, std::byte> received_;
  buffer<index_policy, local_id> found_;
  slice_exchange<Comm, Policy> exchange_; // last: it completes before the memory is freed
};

} // namespace glt::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/parallel_row_messages.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_vertices.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/memory/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// `feature_collector` for policies whose memory the host does not work on: the same rows, made by nothing but the
/// calls of the policy's executor. The store may be in another space than the result, such as pinned memory.
///
/// @comm   per call one header exchange and, where a rank needs remote rows, one exchange of their numbers, one header
///         exchange, and one of rows: 4 bytes a remote vertex out, F · sizeof(T) bytes back, and 8 for a label of every
///         remote vertex where a rank wants labels
template <communicator Comm, device_policy Policy, bytes_copyable T, device_policy StorePolicy = Policy>
class parallel_feature_collector {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the store, which must outlive the collector.
  ///
  /// @comm   none, or one small reduction where the communicator must find out what memory it carries
  /// @throws precondition_error  if the store was not made for this rank of as many ranks
  parallel_feature_collector(Comm comm, feature_store<StorePolicy, T> const& store, Policy policy = {})
      : store_(&store), policy_(policy), messages_(store.local(), policy), sent_(0, policy),
        arrived_(0, policy), routed_(std::move(comm), policy) {
    detail::check_collected(store.book(), store.local().num_vertices(), routed_.rank(), routed_.size());
  }

  /// Why rows of some ranks are not read in place; empty if those of all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return why_not_in_place_; }
  /// Time that this collector has spent so far: that of the calling thread, which does not wait for enqueued work.
  [[nodiscard]] collector_seconds seconds() const noexcept { return seconds_; }
  /// Rows that this collector has collected so far.
  [[nodiscard]] collected_counts counts() const noexcept { return counts_; }

  /// Writes the features of all vertices and the labels of the first `num_labels` of them; see `feature_collector`.
  ///
  /// @shape  vertices [N] global ids; distinct ones save bytes but need not be
  /// @where  enqueues; waits for the sizes of what is asked of every rank
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), asks for labels that
  ///                           do not exist, or for more than it has vertices, or has no memory for the rows;
  ///                           `out` keeps its sizes then
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_labels, std::int64_t step,
               collected_rows<Policy, Out>& out) {
    stopwatch watch;
    call_site const site{.what = operation::collect, .step = step};
    auto const failure = failure_of([&] {
      detail::check_num_labels(num_labels, vertices.size(), store_->has_labels());
      routed_.route(store_->book(), vertices);
      make_room(vertices.size(), num_labels, out);
    });
    if (!failure.empty()) {
      routed_.refuse(site, failure);
    }
    auto const headers = routed_.send(site, num_labels > 0 ? 1 : 0);
    watch.lap(seconds_.requesting);
    out.features.resize(vertices.size() * store_->num_columns());
    out.labels.resize(num_labels);
    messages_.bring(part_of(routed_.routed(), routed_.rank()), part_of(routed_.places(), routed_.rank()),
                    out);
    watch.lap(seconds_.own_rows);
    if (routed_.anything()) {
      wants_labels_.clear();
      for (auto const& header : headers) {
        wants_labels_.push_back(header.value > 0 ? 1 : 0);
      }
      exchange(site, num_labels > 0, out, watch);
    }
    counts_.own += routed_.num_routed(routed_.rank());
    counts_.remote += vertices.size() - routed_.num_routed(routed_.rank());
  }

private:
  // Whatever this rank knows that it needs, before the others are told to send.
  template <class Out>
  void make_room(std::int64_t num_vertices, std::int64_t num_labels, collected_rows<Policy, Out>& out) {
    if (out.features.capacity() == 0) {
      out.features = buffer<Policy, Out>(0, policy_);
    }
    if (out.labels.capacity() == 0) {
      out.labels = buffer<Policy, label_type>(0, policy_);
    }
    out.features.reserve(num_vertices * store_->num_columns());
    out.labels.reserve(num_labels);
    arrived_offsets_.assign(static_cast<std::size_t>(routed_.size()) + 1, 0);
    for (int rank = 0; rank < routed_.size(); ++rank) {
      auto const r = static_cast<std::size_t>(rank);
      arrived_offsets_[r + 1] =
          arrived_offsets_[r] +
          (rank == routed_.rank() ? 0 : messages_.bytes(routed_.num_routed(rank), num_labels > 0));
    }
    arrived_.resize(arrived_offsets_.back());
  }

  template <class Out>
  void exchange(call_site site, bool labels, collected_rows<Policy, Out>& out, stopwatch& watch) {
    auto const failure = failure_of([&] { pack(); });
    no_counts_.assign(wants_labels_.size(), 0);
    headers_.resize(wants_labels_.size());
    exchange_headers(routed_.exchange().host(), site, no_counts_, 0, failure, headers_);
    watch.lap(seconds_.packing);
    routed_.exchange().start_slices(std::as_const(sent_).view(), sent_offsets_, arrived_.view(),
                                    arrived_offsets_);
    routed_.exchange().wait();
    watch.lap(seconds_.exchanging);
    for (int rank = 0; rank < routed_.size(); ++rank) {
      if (rank != routed_.rank() && routed_.num_routed(rank) > 0) {
        messages_.unpack(arrived_.data() + arrived_offsets_[static_cast<std::size_t>(rank)], labels,
                         part_of(routed_.places(), rank), out);
      }
    }
    watch.lap(seconds_.unpacking);
  }

  void pack() {
    auto const first = routed_.received_offsets();
    sent_offsets_.assign(first.size(), 0);
    for (std::size_t rank = 0; rank + 1 < first.size(); ++rank) {
      bool const is_own = static_cast<int>(rank) == routed_.rank();
      sent_offsets_[rank + 1] =
          sent_offsets_[rank] +
          (is_own ? 0 : messages_.bytes(first[rank + 1] - first[rank], wants_labels_[rank] != 0));
    }
    sent_.resize(sent_offsets_.back());
    for (std::size_t rank = 0; rank + 1 < first.size(); ++rank) {
      if (sent_offsets_[rank + 1] > sent_offsets_[rank]) {
        messages_.pack(routed_.received().subview(first[rank], first[rank + 1] - first[rank]),
                       wants_labels_[rank] != 0, sent_.data() + sent_offsets_[rank]);
      }
    }
  }

  template <class U>
  [[nodiscard]] array_view<space, U> part_of(array_view<space, U> routed, int rank) const {
    return routed.subview(routed_.routed_offsets()[static_cast<std::size_t>(rank)], routed_.num_routed(rank));
  }

  feature_store<StorePolicy, T> const* store_;
  Policy policy_;
  parallel_row_messages<Policy, T, StorePolicy::space> messages_;
  std::vector<char> wants_labels_;         // [R]
  std::vector<std::int64_t> sent_offsets_; // [R + 1]
  std::vector<std::int64_t> arrived_offsets_;
  std::vector<std::int64_t> no_counts_;
  std::vector<call_header> headers_;
  buffer<Policy, std::byte> sent_;
  buffer<Policy, std::byte> arrived_;
  routed_vertices<Comm, Policy> routed_; // after the memory that it writes to
  std::string why_not_in_place_ = "rows are read in place by policies of the host";
  collector_seconds seconds_;
  collected_counts counts_;
};

} // namespace glt::dist

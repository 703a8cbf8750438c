// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/parallel_feature_collector.hpp>
#include <glt/dist/collect/detail/row_exchange.hpp>
#include <glt/dist/collect/detail/row_message.hpp>
#include <glt/dist/collect/detail/row_requests.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/shared/near_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace glt::dist {

/// Fetches features and labels of vertices, wherever they live.
///
/// @comm   per call one header exchange and, where a rank needs remote rows that it does not read in place and
///         that are not among its hot rows, one exchange of their numbers and one of rows for every
///         `default_round_bytes`: 4 bytes a remote vertex out, F · sizeof(T) bytes and 8 for a label back;
///         features and labels of an owner come in one message
template <communicator Comm, device_policy Policy, bytes_copyable T, device_policy StorePolicy = Policy>
class feature_collector {
  static_assert(std::is_same_v<Policy, StorePolicy>,
                "a feature_collector on a policy of the host takes features of the same policy");
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the store, which must outlive the collector; rows are copied by the policy's executor.
  ///
  /// @comm   none
  /// @throws precondition_error  if the store was not made for this rank of as many ranks
  feature_collector(Comm comm, feature_store<Policy, T> const& store, Policy policy = {})
      : store_(&store), policy_(policy),
        exchange_({store.local(), policy}, policy, default_round_bytes(comm.size())), requests_(std::move(comm)) {
    auto const& own = requests_.comm();
    detail::check_collected(store.book(), store.local().num_vertices(), own.rank(), own.size());
  }

  /// The same with hot rows: see `use`.
  feature_collector(Comm comm, feature_store<Policy, T> const& store, hot_rows<Policy, T> const& hot,
                    Policy policy = {})
      : feature_collector(std::move(comm), store, std::move(policy)) {
    use(hot);
  }

  /// Borrows hot rows from now on: vertices among them are not asked for, and the results are the same. Ranks may
  /// have different ones, or none. Where they have no labels, vertices whose labels are wanted are asked for.
  ///
  /// @comm   none
  /// @throws precondition_error  if the hot rows have other columns than the store
  void use(hot_rows<Policy, T> const& hot) {
    if (hot.size() > 0 && hot.rows().num_columns() != store_->num_columns()) {
      throw precondition_error(detail::message("hot rows of ", hot.rows().num_columns(), " columns for features of ",
                                               store_->num_columns(), " columns; make them from the same store"));
    }
    hot_ = &hot;
  }

  /// Reads rows of other ranks in place from now on, where there are views of them; the results are the same, and
  /// ranks may read different ones. The memory is kept as long as the collector.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows
  ///                             of its part, the columns of the store and its labels
  void read_in_place(node_views<feature_view<space, T>> neighborhood) {
    near_rows near(neighborhood, requests_.comm().rank(), requests_.comm().size());
    for (std::size_t rank = 0; rank < neighborhood.of_rank.size(); ++rank) {
      if (auto& view = neighborhood.of_rank[rank]) {
        check(*view, static_cast<int>(rank));
        view->scales = store_->local().scales;
      }
    }
    neighborhood_ = std::move(neighborhood);
    requests_.set_near(std::move(near));
  }

  /// Why rows of some ranks are not read in place; empty if those of all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return requests_.near().reason(); }

  /// Time that this collector has spent so far.
  [[nodiscard]] collector_seconds seconds() const noexcept { return seconds_; }
  /// Rows that this collector has collected so far.
  [[nodiscard]] collected_counts counts() const noexcept { return counts_; }

  /// Writes the features of all vertices and the labels of the first `num_labels` of them; elements of another
  /// type than the result's travel as they are stored and are converted on arrival, with the scale of their
  /// column if there are scales.
  ///
  /// @shape  vertices [N] global ids; distinct ones save bytes but need not be
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), asks for labels that
  ///                           do not exist, or for more than it has vertices, or has no memory for the rows;
  ///                           `out` is unchanged then
  /// @cost   O(N · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_labels, std::int64_t step,
               collected_rows<Policy, Out>& out) {
    stopwatch watch;
    call_site const site{.what = operation::collect, .step = step};
    // Whatever may fail comes before the header exchange: afterwards the other ranks wait for this one's
    // rows.
    auto const failure = failure_of([&] {
      check(vertices, num_labels);
      bool const all_are_hot = hot_ != nullptr && !hot_->rows().labels.empty();
      requests_.route(store_->book(), vertices, num_labels, hot_ != nullptr ? &hot_->vertices() : nullptr,
                      all_are_hot ? 0 : num_labels);
      exchange_.reserve(requests_.comm().size());
      out.features.reserve(vertices.size() * store_->num_columns());
      out.labels.reserve(num_labels);
    });
    if (!failure.empty()) {
      requests_.refuse(site, failure);
    }
    requests_.start(site, 0, {});
    watch.lap(seconds_.requesting);
    out.features.resize(vertices.size() * store_->num_columns());
    out.labels.resize(num_labels);
    put(store_->local(), requests_.own(), requests_.own_places(), out);
    put_near(out);
    if (hot_ != nullptr) {
      auto rows = hot_->rows();
      rows.scales = store_->local().scales;
      put(rows, requests_.cached(), requests_.cached_places(), out);
    }
    watch.lap(seconds_.own_rows);
    requests_.finish();
    watch.lap(seconds_.requesting);
    exchange_.run(requests_, out, seconds_);
    requests_.count(counts_);
  }

private:
  template <class Vertex>
  void check(array_view<space, Vertex const> vertices, std::int64_t num_labels) const {
    validate_vertices("vertex", vertices, store_->book().num_vertices());
    detail::check_num_labels(num_labels, vertices.size(), store_->has_labels());
  }

  void check(feature_view<space, T> const& view, int rank) const {
    auto const rows = store_->book().size(rank);
    bool const lacks_labels = store_->has_labels() && view.labels.size() != rows;
    if (view.num_vertices() != rows || view.num_columns() != store_->num_columns() || lacks_labels) {
      throw precondition_error(detail::message("view of ", view.num_vertices(), " rows of ", view.num_columns(),
                                               " columns with", lacks_labels ? "out" : "", " labels for part ", rank,
                                               " of ", rows, " vertices and ", store_->num_columns(),
                                               " columns; share the features that the stores were made with"));
    }
  }

  template <class Out>
  void put_near(collected_rows<Policy, Out>& out) const {
    auto const& near = requests_.near();
    for (std::size_t part = 0; part < near.num_parts(); ++part) {
      if (near.is_near(part)) {
        put(*neighborhood_.of_rank[part], near.rows_of(part), near.places_of(part), out);
      }
    }
  }

  // Rows that lie in memory of this rank, or that it reaches, to their places.
  template <class Out>
  void put(feature_view<space, T> from, std::span<local_id const> rows, std::span<std::int64_t const> places,
           collected_rows<Policy, Out>& out) const {
    detail::transfer_rows<detail::streamed_writes>(policy_.executor(), std::ssize(rows), from,
                                              detail::rows_listed<local_id>{rows.data()},
                                              detail::rows_listed<std::int64_t>{places.data()}, out.features.data());
    for (std::size_t i = 0; i < places.size() && places[i] < out.labels.size(); ++i) { // places ascend
      out.labels[places[i]] = from.labels[rows[i]];
    }
  }

  feature_store<Policy, T> const* store_;
  hot_rows<Policy, T> const* hot_ = nullptr;
  Policy policy_;
  row_exchange<Comm, Policy, row_message<Policy, T>> exchange_;
  row_requests<Comm> requests_;
  node_views<feature_view<space, T>> neighborhood_;
  collector_seconds seconds_;
  collected_counts counts_;
};

/// The same for policies whose memory the host does not work on; the features may be in another space that the
/// policy's executor reaches.
template <communicator Comm, device_policy Policy, bytes_copyable T, device_policy StorePolicy>
  requires(!host_policy<Policy>)
class feature_collector<Comm, Policy, T, StorePolicy>
    : public parallel_feature_collector<Comm, Policy, T, StorePolicy> {
public:
  using parallel_feature_collector<Comm, Policy, T, StorePolicy>::parallel_feature_collector;
};

template <communicator Comm, device_policy Policy, bytes_copyable T>
feature_collector(Comm, feature_store<Policy, T> const&) -> feature_collector<Comm, Policy, T>;
template <communicator Comm, device_policy StorePolicy, bytes_copyable T, device_policy Policy>
feature_collector(Comm, feature_store<StorePolicy, T> const&, Policy)
    -> feature_collector<Comm, Policy, T, StorePolicy>;

} // namespace glt::dist

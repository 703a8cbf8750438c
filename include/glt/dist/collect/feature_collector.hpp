// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/bulk_list.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/matrix_collector.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/tier/tiered_store.hpp>
#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace glt::dist {

/// Fetches features and labels of vertices, wherever they live. The features may be in another space that the policy's
/// executor reaches, such as pinned memory.
///
/// Concurrent calls: none on one object, nor on collectors of one communicator.
///
/// @comm   per call one header exchange and, where a rank needs remote rows that it does not read in place and
///         that are not among its hot rows, one exchange of their numbers and one of rows for every
///         `default_round_bytes`: 4 bytes a remote vertex out, F · sizeof(T) bytes and 8 for a label back;
///         features and labels of an owner come in one message
template <communicator Comm, device_policy Policy, bytes_copyable T, device_policy StorePolicy = Policy>
class feature_collector : public detail::matrix_collector<Comm, Policy, T> {
  using collector = detail::matrix_collector<Comm, Policy, T>;
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the store, which must outlive the collector; rows are copied by the policy's executor.
  ///
  /// @comm   none, or one small reduction where the communicator must find out what memory it carries
  /// @throws precondition_error  if the store was not made for this rank of as many ranks
  feature_collector(Comm comm, feature_store<StorePolicy, T> const& store, Policy policy = {})
      : collector(checked(std::move(comm), store), store.book(), store.local(), store.has_labels(), {},
                  std::move(policy)),
        store_(&store) {}

  /// The same with hot rows: see `use`.
  feature_collector(Comm comm, feature_store<StorePolicy, T> const& store, hot_rows<Policy, T> const& hot,
                    Policy policy = {})
      : feature_collector(std::move(comm), store, std::move(policy)) {
    this->use(hot);
  }

  using collector::use;
  /// Reads this rank's rows from a store of several memories from now on, as one of its devices does, for this rank and
  /// for others; the results are the same. The store must outlive the collector; see `tiered_store::borrow`.
  ///
  /// @comm   none; ranks may have different ones, or none
  /// @throws precondition_error  if the tiers have not the rows and columns of the store
  template <device_policy ColdPolicy>
    requires(!host_policy<Policy>)
  void use(tiered_store<Policy, ColdPolicy, T> const& tiers, int device = 0) {
    auto const view = tiers.view(device);
    if (view.num_vertices() != store_->local().num_vertices() || view.num_columns() != store_->num_columns()) {
      throw precondition_error(detail::message("tiers of ", view.num_vertices(), " rows of ", view.num_columns(),
                                               " columns for a part of ", store_->local().num_vertices(), " rows of ",
                                               store_->num_columns(), "; make them of the part's own rows"));
    }
    this->set_tier(0, reinterpret_cast<std::byte const*>(view.cold.data()), view.tier());
  }

  /// Reads rows of other ranks in place from now on, where there are views of them; the results are the same, and
  /// ranks may read different ones. The memory is kept as long as the collector.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows
  ///                             of its part, the columns of the store and its labels
  void read_in_place(node_views<feature_view<StorePolicy::space, T>> const& neighborhood) {
    this->set_shared(neighborhood, [this](feature_view<StorePolicy::space, T> const& view, int rank) {
      auto const rows = store_->book().size(rank);
      bool const lacks_labels = store_->has_labels() && view.labels.size() != rows;
      if (view.num_vertices() != rows || view.num_columns() != store_->num_columns() || lacks_labels) {
        throw precondition_error(detail::message("view of ", view.num_vertices(), " rows of ", view.num_columns(),
                                                 " columns with", lacks_labels ? "out" : "", " labels for part ", rank,
                                                 " of ", rows, " vertices and ", store_->num_columns(),
                                                 " columns; share the features that the stores were made with"));
      }
      return this->source_of(view);
    });
  }

  /// Writes the features of all vertices and the labels of the first `num_labels` of them; elements of another
  /// type than the result's travel as they are stored and are converted on arrival, with the scale of their
  /// column if there are scales.
  ///
  /// @shape  vertices [N] global ids; distinct ones save bytes but need not be
  /// @where  enqueues; waits for the sizes of what is asked of every rank
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), asks for labels that
  ///                           do not exist, or for more than it has vertices, or has no memory for the rows;
  ///                           `out` is unchanged then, or empty if its memory was of another policy
  /// @cost   O(N · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_labels, std::int64_t step,
               collected_rows<Policy, Out>& out) {
    this->collect_matrix(detail::row_keys<space, Vertex>{vertices}, num_labels, step, out);
  }

  /// Collects the rows of several lists, each as `collect` would, in one sweep of messages.
  ///
  /// @comm   collective, as `collect` of one list; ranks may have different numbers of lists, or none
  /// @throws collective_error  on every rank, as `collect`, or if a list of a rank has no `out`
  /// @cost   as `collect` of every list; allocates only while there are more or longer lists than ever before
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect_bulk(std::span<bulk_list<Policy, Vertex, collected_rows<Policy, Out>> const> lists, std::int64_t step) {
    this->collect_matrix(lists, step);
  }

private:
  static Comm checked(Comm comm, feature_store<StorePolicy, T> const& store) {
    detail::check_collected(store.book(), store.local().num_vertices(), comm.rank(), comm.size());
    return comm;
  }

  feature_store<StorePolicy, T> const* store_;
};

template <communicator Comm, device_policy Policy, bytes_copyable T>
feature_collector(Comm, feature_store<Policy, T> const&) -> feature_collector<Comm, Policy, T>;
template <communicator Comm, device_policy StorePolicy, bytes_copyable T, device_policy Policy>
feature_collector(Comm, feature_store<StorePolicy, T> const&, Policy)
    -> feature_collector<Comm, Policy, T, StorePolicy>;
template <communicator Comm, device_policy StorePolicy, bytes_copyable T, device_policy Policy>
feature_collector(Comm, feature_store<StorePolicy, T> const&, hot_rows<Policy, T> const&, Policy = {})
    -> feature_collector<Comm, Policy, T, StorePolicy>;

} // namespace glt::dist

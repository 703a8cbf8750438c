// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/row_collector.hpp>
#include <glt/dist/collect/detail/row_lists.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/tier/tiered_store.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Returns a matrix, and its labels if requested, as tensors: a schema of one or two.
template <memory_space Space, memory_space From, bytes_copyable T>
[[nodiscard]] std::vector<any_rows<Space>> matrix_tensors(feature_view<From, T> rows, bool labels) {
  auto const reached = []<class U>(matrix_view<From, U const> values) {
    return matrix_view<Space, U const>(values.data(), values.rows(), values.columns());
  };
  std::vector<any_rows<Space>> tensors{
      without_type(feature_view<Space, T>{.features = reached(rows.features),
                                          .scales = {rows.scales.data(), rows.scales.size()},
                                          .storage = rows.storage})};
  if (labels) {
    tensors.push_back(without_type(feature_view<Space, label_type>{
        .features = reached(matrix_view<From, label_type const>(rows.labels.data(), rows.labels.size(), 1))}));
  }
  return tensors;
}

} // namespace glt::detail

namespace glt::dist {

/// Collector of features and labels of vertices, wherever they are stored. The features may be in another space that
/// the policy's executor reaches, such as pinned memory.
///
/// Concurrent calls: none on one object, nor on collectors of one communicator.
///
/// @comm   per call one header exchange; if a rank needs remote rows that it neither reads in place nor has among its
///         hot rows, one exchange of their numbers and one exchange of rows for every `default_round_bytes`: 4 bytes a
///         remote vertex out, F · sizeof(T) bytes and 8 for a label back; features and labels of an owner come in one
///         message
template <communicator Comm, device_policy Policy, bytes_copyable T, device_policy StorePolicy = Policy>
  requires reaches<decltype(std::declval<Policy const&>().executor()), StorePolicy::space>
class feature_collector : public detail::row_collector<Comm, Policy> {
  using collector = detail::row_collector<Comm, Policy>;
  static constexpr memory_space space = Policy::space;

public:
  /// List of vertices in `collect_bulk`, and the place of their rows.
  template <vertex_id Vertex, class Out>
  using bulk_list = detail::bulk_list<Policy, Vertex, collected_rows<Policy, Out>>;

  /// Borrows the store, which must outlive the collector; rows are copied by the policy's executor. Policies of the
  /// host read rows in `store.neighborhood()` in place, as by `read_in_place`.
  ///
  /// @comm   none, or one small reduction if the communicator must find out which memory it carries
  /// @throws precondition_error  if the store was made for another rank or another number of ranks
  feature_collector(Comm comm, feature_store<StorePolicy, T> const& store, Policy policy = {})
      : collector(checked(std::move(comm), store), store.book(), plan_of(store), {}, std::move(policy)),
        store_(&store) {
    detail::read_neighborhood<Policy>(*this, store);
  }

  /// Borrows the store and hot rows; see `use`.
  feature_collector(Comm comm, feature_store<StorePolicy, T> const& store, hot_rows<Policy, T> const& hot,
                    Policy policy = {})
      : feature_collector(std::move(comm), store, std::move(policy)) {
    this->use(hot);
  }

  /// Borrows hot rows from now on: their keys are not requested from other ranks; the results are the same. Ranks may
  /// have different hot rows, or none. If hot rows have no labels, vertices whose labels are needed are requested.
  ///
  /// @comm   none
  /// @throws precondition_error  if the hot rows have other columns than the store, or are of another partitioning
  void use(hot_rows<Policy, T> const& hot) {
    detail::check_partitioning_of(hot, store_->book());
    if (hot.size() > 0 && hot.rows().num_columns() != store_->num_columns()) {
      throw precondition_error(detail::message("hot rows of ", hot.rows().num_columns(), " columns for features of ",
                                               store_->num_columns(), " columns; make them from the same store"));
    }
    this->set_hot(source_of(hot.rows(), hot.vertices().view()), !hot.rows().labels.empty());
  }

  /// Reads this rank's rows through one device of a tiered store from now on, for this rank and for others. The results
  /// are the same. The store must outlive the collector; see `tiered_store::borrow`.
  ///
  /// @comm   none; ranks may have different tiers, or none
  /// @throws precondition_error  if the tiers do not have the rows and columns of the store
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

  /// Reads rows of other ranks in place from now on, where there are views of them. The results are the same; ranks may
  /// read different rows. The memory is kept as long as the collector.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, this rank's is missing, or a view does not have
  ///                             the rows of its part, the columns of the store and its labels
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

  /// Writes the features of all vertices and the labels of the first `num_labels`. Elements travel as they are stored.
  /// They are converted to the type of the result on arrival, with the scale of their column if there are scales.
  ///
  /// @shape  vertices [N] global ids; distinct ids save bytes but are not required
  /// @where  enqueues; waits for the sizes of the requests to every rank
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), requests labels that do not
  ///                           exist, or more labels than vertices, or has no memory for the rows; `out` is then
  ///                           unchanged, or empty if its memory was of another policy
  /// @cost   O(N · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_labels, std::int64_t step,
               collected_rows<Policy, Out>& out) {
    detail::bulk_list<Policy, Vertex, collected_rows<Policy, Out>> const list{vertices, {}, num_labels, &out};
    collect_bulk(std::span(&list, 1), step);
  }

  /// Collects the rows of several lists, each as `collect` would, in one sweep of messages.
  ///
  /// @comm   collective, as `collect` of one list; ranks may have different numbers of lists, or none
  /// @throws collective_error  on every rank, as `collect`, or if a list of a rank has no `out`
  /// @cost   as `collect` of every list; allocates only while there are more or longer lists than ever before
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect_bulk(std::span<bulk_list<Vertex, Out> const> lists, std::int64_t step) {
    auto const prepare = [&] {
      targets_.reserve(2 * lists.size());
      for (auto const& list : lists) {
        detail::check_num_labels(list.num_seeds, list.vertices.size(), store_->has_labels());
        reserve(list.out->features, list.vertices.size() * store_->num_columns());
        reserve(list.out->labels, list.num_seeds);
      }
    };
    auto const resize = [&] {
      targets_.clear();
      for (auto const& [vertices, edges, num_labels, out] : lists) {
        out->features.clear(); // old rows need not move
        out->features.resize(vertices.size() * store_->num_columns());
        out->labels.clear();
        out->labels.resize(num_labels);
        out->num_rows = vertices.size();
        targets_.push_back({std::same_as<T, Out> ? detail::stored_type<T>() : detail::stored_type<Out>(),
                            reinterpret_cast<std::byte*>(out->features.data())});
        targets_.push_back(
            {detail::element_type_of<detail::label_type>, reinterpret_cast<std::byte*>(out->labels.data())});
      }
      return std::span<detail::row_target const>(targets_);
    };
    this->template collect_rows<detail::one_conversion<T, Out>>(lists, step, prepare, resize);
  }

private:
  static Comm checked(Comm comm, feature_store<StorePolicy, T> const& store) {
    detail::check_collected(store.book(), store.local().num_vertices(), comm);
    return comm;
  }

  static std::vector<detail::planned_tensor<space>> plan_of(feature_store<StorePolicy, T> const& store) {
    auto const tensors = detail::matrix_tensors<space>(store.local(), store.has_labels());
    std::vector<detail::planned_tensor<space>> plan{{"features", tensors[0], tensors[0].type, false}};
    if (store.has_labels()) {
      plan.push_back({"labels", tensors[1], tensors[1].type, true});
    }
    return plan;
  }

  // Returns rows of another source, with the scales of the local rows.
  template <memory_space From>
  [[nodiscard]] detail::source_rows<space> source_of(feature_view<From, T> rows,
                                                     detail::id_table_view<space> table = {}) const {
    detail::source_rows<space> made{detail::matrix_tensors<space>(rows, store_->has_labels()), table};
    made.tensors[0].scales = this->plan()[0].local.scales;
    return made;
  }

  template <class U>
  void reserve(buffer<Policy, U>& rows, std::int64_t size) const {
    detail::adopt_policy(this->policy(), rows);
    rows.reserve(size);
  }

  feature_store<StorePolicy, T> const* store_;
  std::vector<detail::row_target> targets_; // [lists, 2]
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/element_type.hpp>
#include <glt/dist/collect/bulk_list.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/row_collector.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/collect/detail/row_targets.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/exec/executor.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/detail/transfer_any_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/detail/adopt_policy.hpp>
#include <glt/memory/memory.hpp>

#include <concepts>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// Returns a matrix, and its labels if requested, as tensors: a schema of one or two.
template <memory_space Space, memory_space From, bytes_copyable T>
[[nodiscard]] std::vector<any_rows<Space>> matrix_tensors(feature_view<From, T> rows, bool labels) {
  auto const reached = []<class U>(matrix_view<From, U const> values) {
    return matrix_view<Space, U const>(values.data(), values.rows(), values.columns());
  };
  std::vector<any_rows<Space>> tensors{without_type(
      feature_view<Space, T>{.features = reached(rows.features), .scales = {rows.scales.data(), rows.scales.size()}})};
  if (labels) {
    tensors.push_back(without_type(feature_view<Space, label_type>{
        .features = reached(matrix_view<From, label_type const>(rows.labels.data(), rows.labels.size(), 1))}));
  }
  return tensors;
}

/// `row_collector` of one matrix and its labels.
template <communicator Comm, device_policy Policy, bytes_copyable T>
class matrix_collector : public row_collector<Comm, Policy> {
  static constexpr memory_space space = Policy::space;
  using collector = row_collector<Comm, Policy>;

public:
  /// Borrows hot rows from now on: their keys are not requested from other ranks; the results are the same. Ranks may
  /// have different hot rows, or none. If hot rows have no labels, vertices whose labels are needed are requested.
  ///
  /// @comm   none
  /// @throws precondition_error  if the hot rows have other columns than the store
  void use(dist::hot_rows<Policy, T> const& hot) {
    if (hot.size() > 0 && hot.rows().num_columns() != local_.num_columns()) {
      throw precondition_error(message("hot rows of ", hot.rows().num_columns(), " columns for features of ",
                                       local_.num_columns(), " columns; make them from the same store"));
    }
    this->set_hot(source_of(hot.rows(), hot.vertices().view()), !hot.rows().labels.empty());
  }

protected:
  template <memory_space From>
    requires reaches<decltype(std::declval<Policy const&>().executor()), From>
  matrix_collector(Comm comm, partition_book const& book, feature_view<From, T> local, bool labels,
                   std::optional<id_table_view<space>> const& edges, Policy policy)
      : collector(std::move(comm), book, plan_of(local, labels), edges, policy),
        local_{.features = {local.features.data(), local.num_vertices(), local.num_columns()},
               .scales = {local.scales.data(), local.scales.size()}} {}

  [[nodiscard]] bool has_labels() const noexcept { return this->plan().size() > 1; }
  [[nodiscard]] std::int64_t num_columns() const noexcept { return local_.num_columns(); }

  /// Returns rows of another source, with the scales of the local rows.
  template <memory_space From>
  [[nodiscard]] source_rows<space> source_of(feature_view<From, T> rows, id_table_view<space> table = {}) const {
    source_rows<space> made{matrix_tensors<space>(rows, has_labels()), table};
    made.tensors[0].scales = local_.scales;
    return made;
  }

  /// Collects features of all keys and the labels of the seeds of every list.
  template <class Vertex, class Out>
  void collect_matrix(std::span<dist::bulk_list<Policy, Vertex, dist::collected_rows<Policy, Out>> const> lists,
                      std::int64_t step) {
    auto const prepare = [&] {
      targets_.reserve(2 * lists.size());
      for (auto const& list : lists) {
        check_num_labels(list.num_seeds, list.vertices.size(), has_labels());
        reserve(list.out->features, list.vertices.size() * num_columns());
        reserve(list.out->labels, list.num_seeds);
      }
    };
    auto const resize = [&] {
      targets_.clear();
      for (auto const& [vertices, edges, num_labels, out] : lists) {
        out->features.clear(); // old rows need not move
        out->features.resize(vertices.size() * num_columns());
        out->labels.clear();
        out->labels.resize(num_labels);
        out->num_rows = vertices.size();
        targets_.push_back({std::same_as<T, Out> ? stored_type<T>() : stored_type<Out>(),
                            reinterpret_cast<std::byte*>(out->features.data())});
        targets_.push_back({element_type_of<label_type>, reinterpret_cast<std::byte*>(out->labels.data())});
      }
      return std::span<row_target const>(targets_);
    };
    this->template collect_rows<one_conversion<T, Out>>(lists, step, prepare, resize);
  }

  /// Collects one list, as above.
  template <class Vertex, class Out>
  void collect_matrix(row_keys<space, Vertex> const& keys, std::int64_t num_labels, std::int64_t step,
                      dist::collected_rows<Policy, Out>& out) {
    dist::bulk_list<Policy, Vertex, dist::collected_rows<Policy, Out>> const list{keys.vertices, keys.edges, num_labels,
                                                                                  &out};
    collect_matrix(std::span(&list, 1), step);
  }

private:
  template <memory_space From>
  [[nodiscard]] static std::vector<planned_tensor<space>> plan_of(feature_view<From, T> local, bool labels) {
    auto const tensors = matrix_tensors<space>(local, labels);
    std::vector<planned_tensor<space>> plan{{"features", tensors[0], tensors[0].type, false}};
    if (labels) {
      plan.push_back({"labels", tensors[1], tensors[1].type, true});
    }
    return plan;
  }

  template <class U>
  void reserve(buffer<Policy, U>& rows, std::int64_t size) const {
    adopt_policy(this->policy(), rows);
    rows.reserve(size);
  }

  feature_view<space, T> local_;    // without labels
  std::vector<row_target> targets_; // [lists, 2]
};

} // namespace glt::detail

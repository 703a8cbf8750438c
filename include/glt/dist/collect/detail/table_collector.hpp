// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/element_type.hpp>
#include <glt/dist/collect/bulk_list.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/row_collector.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/collect/detail/row_targets.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/hotness/named_hot_rows.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/detail/named_rows.hpp>
#include <glt/feature/detail/transfer_any_rows.hpp>
#include <glt/memory/detail/adopt_policy.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::detail {

/// `row_collector` of tensors by name.
template <communicator Comm, device_policy Policy>
class table_collector : public row_collector<Comm, Policy> {
  static constexpr memory_space space = Policy::space;
  using collector = row_collector<Comm, Policy>;

public:
  /// Borrows hot rows from now on: their keys are not requested from other ranks; the results are the same. Ranks may
  /// have different hot rows, or none. If hot rows lack a `seeds_only` tensor, seeds are requested.
  ///
  /// @comm   none
  /// @throws precondition_error  if hot rows lack another collected tensor, or have it with other elements or columns
  void use(dist::named_hot_rows<Policy> const& hot) {
    if (hot.size() == 0) {
      this->set_hot({}, true);
      return;
    }
    auto const tensors = hot.rows().tensors();
    auto const has = [&](auto const& each) {
      return std::ranges::find(tensors, each.name, &named_rows<space>::name) != tensors.end();
    };
    this->set_hot({find_planned(this->plan(), tensors, "hot rows"), hot.vertices().view()},
                  std::ranges::all_of(this->plan(), has));
  }

protected:
  table_collector(Comm comm, partition_book const& book, std::vector<planned_tensor<space>> tensors,
                  std::optional<id_table_view<space>> const& edges, Policy policy)
      : collector(std::move(comm), book, std::move(tensors), edges, policy) {}

  /// Returns the rows of all tensors in a view of a part.
  [[nodiscard]] source_rows<space> source_of(std::vector<named_rows<space>> const& view, int rank,
                                             std::int64_t num_rows, std::string_view keys,
                                             id_table_view<space> table = {}) const {
    auto const what = message("view of part ", rank);
    source_rows<space> made{find_planned(this->plan(), view, what), table};
    for (std::size_t t = 0; t < made.tensors.size(); ++t) {
      if (made.tensors[t].num_rows != num_rows) {
        throw precondition_error(message(what, " of ", num_rows, ' ', keys, " with ", made.tensors[t].num_rows,
                                         " rows of features \"", this->plan()[t].name,
                                         "\"; share the features that the ranks were given"));
      }
    }
    return made;
  }

  /// Collects the rows of all keys of every list; a `seeds_only` tensor gets the rows of its seeds.
  template <class Vertex>
  void collect_table(std::span<dist::bulk_list<Policy, Vertex, dist::collected_table<Policy>> const> lists,
                     std::int64_t step) {
    auto const prepare = [&] {
      targets_.reserve(lists.size() * this->plan().size());
      for (auto const& list : lists) {
        check_num_first("seeds", list.num_seeds, list.vertices.size());
        reserve(list.vertices.size(), list.num_seeds, *list.out);
      }
    };
    auto const resize = [&] {
      targets_.clear();
      for (auto const& list : lists) {
        this->resize(list.vertices.size(), list.num_seeds, *list.out);
      }
      return std::span<row_target const>(targets_);
    };
    this->template collect_rows<any_conversion>(lists, step, prepare, resize);
  }

  /// Collects one list, as above.
  template <class Vertex>
  void collect_table(row_keys<space, Vertex> const& keys, std::int64_t num_seeds, std::int64_t step,
                     dist::collected_table<Policy>& out) {
    dist::bulk_list<Policy, Vertex, dist::collected_table<Policy>> const list{keys.vertices, keys.edges, num_seeds,
                                                                              &out};
    collect_table(std::span(&list, 1), step);
  }

private:
  [[nodiscard]] static std::int64_t rows_of(planned_tensor<space> const& tensor, std::int64_t size,
                                            std::int64_t num_seeds) noexcept {
    return tensor.seeds_only ? num_seeds : size;
  }

  // Reserves memory for the rows of a batch; the contents of `out` stay.
  void reserve(std::int64_t size, std::int64_t num_seeds, dist::collected_table<Policy>& out) {
    auto const& plan = this->plan();
    out.tensors.reserve(plan.size());
    while (out.tensors.size() < plan.size()) {
      out.tensors.push_back({.name = plan[out.tensors.size()].name, .bytes = {}});
    }
    for (std::size_t t = 0; t < plan.size(); ++t) {
      out.tensors[t].name.reserve(plan[t].name.size());
      adopt_policy(this->policy(), out.tensors[t].bytes);
      out.tensors[t].bytes.reserve(rows_of(plan[t], size, num_seeds) * plan[t].local.num_columns *
                                   size_of(plan[t].result));
    }
  }

  // Sets every tensor's name, type and number of rows, and adds its target; does not fail after `reserve`.
  void resize(std::int64_t size, std::int64_t num_seeds, dist::collected_table<Policy>& out) {
    auto const& plan = this->plan();
    out.tensors.erase(out.tensors.begin() + std::ssize(plan), out.tensors.end());
    for (std::size_t t = 0; t < plan.size(); ++t) {
      auto& tensor = out.tensors[t];
      tensor.name = plan[t].name;
      tensor.type = plan[t].result;
      tensor.num_rows = rows_of(plan[t], size, num_seeds);
      tensor.num_columns = plan[t].local.num_columns;
      tensor.bytes.clear();
      tensor.bytes.resize(tensor.num_rows * tensor.num_columns * size_of(tensor.type));
      targets_.push_back({tensor.type, tensor.bytes.data()});
    }
  }

  std::vector<row_target> targets_; // [lists, tensors]
};

} // namespace glt::detail

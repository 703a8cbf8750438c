// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Operations of passes on rows of a fixed number of columns: clear, move and sum up, by the policy's executor.
template <device_policy Policy, class T>
class row_sums {
  static constexpr memory_space space = Policy::space;

public:
  row_sums(Policy const& policy, std::int64_t columns)
      : policy_(&policy), columns_(columns), pieces_(sliced_rows::of<Policy>(columns)) {}

  [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::int64_t bytes(std::int64_t rows) const noexcept {
    return rows * columns_ * static_cast<std::int64_t>(sizeof(T));
  }

  void clear(T* values, std::int64_t rows) const {
    policy_->executor().for_each(rows * columns_, fill_value<T>{values, T(0)});
  }

  /// Copies or adds from.row(i) to to.row(i) for i in [0, rows). Lists give the places of rows; null means place i.
  template <bool Add>
  void move(std::int64_t rows, T const* from, local_id const* from_places, T* to, local_id const* to_places) const {
    policy_->executor().for_each(
        pieces_.count(rows),
        move_rows<Add, T>{{from, columns_, from_places}, {to, columns_, to_places}, pieces_, rows});
  }

  /// Adds the sums of x over a shard to y; `degrees` of the shard's columns, if any, divide the rows of x.
  ///
  /// @param  is_fresh  true if y holds no values yet: sums start from 0
  void add(shard_view<space> shard, T const* x, T* y, bool is_fresh,
           array_view<space, local_id const> degrees = {}) const {
    if (degrees.empty()) {
      add_edges(shard, x, y, plain_edges{}, columns_, is_fresh);
    } else {
      add_edges(shard, x, y, weighted_edges<space, T>{{}, 1, degrees}, columns_, is_fresh);
    }
  }

  /// Adds sums over a shard with the factors `edges`, for each head's columns.
  template <class Edges>
  void add_edges(shard_view<space> shard, T const* x, T* y, Edges edges, std::int64_t head_columns,
                 bool is_fresh) const {
    bool const clears_listed = is_fresh && host_policy<Policy>; // the kernel clears listed rows itself
    if (clears_listed) {
      clear_unlisted(shard, y);
    } else if (is_fresh) {
      clear(y, shard.num_rows);
    }
    policy_->executor().for_each(
        pieces_.count(shard.rows.size()),
        wide_kernel{add_rows<space, T, Edges>{shard, x, y, pieces_, head_columns, edges, {}, clears_listed}});
  }

  /// Divides sums over edges by the degrees, for means.
  void divide(array_view<space, local_id const> degrees, T* y) const {
    policy_->executor().for_each(pieces_.count(degrees.size()), divide_by_degree<space, T>{degrees, y, pieces_});
  }

private:
  void clear_unlisted(shard_view<space> shard, T* y) const {
    if constexpr (host_policy<Policy>) {
      policy_->executor().for_ranges(shard.num_rows, 4096, [=, *this](std::int64_t first, std::int64_t last) {
        auto listed = std::lower_bound(shard.rows.begin(), shard.rows.end(), first);
        for (auto row = first; row < last; ++row) {
          if (listed != shard.rows.end() && std::int64_t{*listed} == row) {
            ++listed;
          } else {
            std::fill_n(y + row * columns_, columns_, T(0));
          }
        }
      });
    }
  }

  Policy const* policy_;
  std::int64_t columns_;
  sliced_rows pieces_;
};

} // namespace glt::detail

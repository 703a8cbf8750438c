// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/wide_registers.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/full_batch/detail/row_kernels.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/shard.hpp>
#include <glt/memory/policy.hpp>

#include <cstdint>

namespace glt::detail {

/// What passes do with rows of so many columns: clear, move and sum them up, by the policy's executor.
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

  /// to.row(i) = (or +=) from.row(i) for i in [0, rows); a list gives the places of one's own rows, null has them in order.
  template <bool Add>
  void move(std::int64_t rows, T const* from, local_id const* from_places, T* to,
            local_id const* to_places) const {
    policy_->executor().for_each(
        pieces_.count(rows),
        move_rows<Add, T>{{from, columns_, from_places}, {to, columns_, to_places}, pieces_, rows});
  }

  /// y += the sums of x over a shard; with degrees, those of its columns divide the rows of x.
  void add(dist::shard_view<space> shard, T const* x, T* y,
           array_view<space, local_id const> degrees = {}) const {
    auto const count = pieces_.count(shard.rows.size());
    if (degrees.empty()) {
      policy_->executor().for_each(
          count, wide_kernel{add_rows<space, T, plain_edges>{shard, x, y, pieces_, columns_, plain_edges{}}});
    } else {
      policy_->executor().for_each(count, wide_kernel{add_rows<space, T, weighted_edges<space, T>>{
                                              shard, x, y, pieces_, columns_, {{}, 1, degrees}}});
    }
  }

  /// Sums over edges become means.
  void divide(array_view<space, local_id const> degrees, T* y) const {
    policy_->executor().for_each(pieces_.count(degrees.size()),
                                 divide_by_degree<space, T>{degrees, y, pieces_});
  }

private:
  Policy const* policy_;
  std::int64_t columns_;
  sliced_rows pieces_;
};

} // namespace glt::detail

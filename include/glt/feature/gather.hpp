// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

namespace detail {

inline void check_gather(std::int64_t ids, std::int64_t columns, std::int64_t out_rows, std::int64_t out_columns) {
  if (out_rows != ids || out_columns != columns) {
    throw precondition_error(message("gather of ", ids, " rows of ", columns, " columns into [", out_rows, ", ",
                                     out_columns, "]; the shapes must be equal"));
  }
}

} // namespace detail

/// Copies the rows `ids` of features, in that order; an id may occur more than once. Elements are converted to the type
/// of the result, with the scale of their column if there are scales.
///
/// The bits are the same on every executor, except the bits of NaN.
///
/// @shape  in [V, F] · ids [S] · out [S, F], written
/// @where  memory that the executor reaches, each view in any such space; enqueues on `ex` and does not synchronise
/// @pre    every id is in [0, V); not checked
/// @throws precondition_error  if out is not [S, F]
/// @cost   O(S · F)
template <executor Executor, memory_space Space, class In, memory_space IdSpace, class Id, memory_space OutSpace,
          bytes_copyable T>
  requires(reaches<Executor, Space> && reaches<Executor, IdSpace> && reaches<Executor, OutSpace> &&
           detail::gathers_as<In, T>)
void gather_rows(Executor const& ex, feature_view<Space, In> in, array_view<IdSpace, Id> ids,
                 matrix_view<OutSpace, T> out) {
  detail::check_gather(ids.size(), in.num_columns(), out.rows(), out.columns());
  detail::transfer_rows(ex, ids.size(), in, detail::rows_listed<std::remove_const_t<Id>>{ids.data()},
                        detail::rows_in_order{}, out.data());
}

/// Copies the rows `ids` of a matrix.
template <executor Executor, memory_space Space, class In, memory_space IdSpace, class Id, memory_space OutSpace,
          bytes_copyable T>
  requires(reaches<Executor, Space> && reaches<Executor, IdSpace> && reaches<Executor, OutSpace> &&
           detail::gathers_as<std::remove_const_t<In>, T>)
void gather_rows(Executor const& ex, matrix_view<Space, In> in, array_view<IdSpace, Id> ids,
                 matrix_view<OutSpace, T> out) {
  gather_rows(ex, feature_view<Space, std::remove_const_t<In>>{.features = in}, ids, out);
}

} // namespace glt

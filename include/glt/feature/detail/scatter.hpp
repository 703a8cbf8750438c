// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Copies row i of features to row ids[i] of a result, for every i; the other rows of the result stay. Elements are
/// converted to the type of the result as by `gather_rows`.
///
/// @shape  in [S, F] · ids [S] · out [V, F], S rows of it written
/// @where  memory that the executor reaches, each view in any such space; enqueues on `ex` and does not synchronise
/// @pre    every id is in [0, V), and no two are equal; not checked
/// @throws precondition_error  if in and ids differ in rows, or in and out in columns
/// @cost   O(S · F)
template <executor Executor, memory_space Space, class In, memory_space IdSpace, class Id, memory_space OutSpace,
          bytes_copyable T>
  requires(reaches<Executor, Space> && reaches<Executor, IdSpace> && reaches<Executor, OutSpace> && gathers_as<In, T>)
void scatter_rows(Executor const& ex, feature_view<Space, In> in, array_view<IdSpace, Id> ids,
                  matrix_view<OutSpace, T> out) {
  if (in.num_vertices() != ids.size() || in.num_columns() != out.columns()) {
    throw precondition_error(message("scatter of [", in.num_vertices(), ", ", in.num_columns(), "] to ", ids.size(),
                                     " rows of ", out.columns(), " columns; give one id per row, and as many columns"));
  }
  transfer_rows(ex, ids.size(), in, rows_in_order{}, rows_listed<std::remove_const_t<Id>>{ids.data()}, out.data());
}

/// Copies row i of a matrix to row ids[i] of a result, for every i.
template <executor Executor, memory_space Space, class In, memory_space IdSpace, class Id, memory_space OutSpace,
          bytes_copyable T>
  requires(reaches<Executor, Space> && reaches<Executor, IdSpace> && reaches<Executor, OutSpace> &&
           gathers_as<std::remove_const_t<In>, T>)
void scatter_rows(Executor const& ex, matrix_view<Space, In> in, array_view<IdSpace, Id> ids,
                  matrix_view<OutSpace, T> out) {
  scatter_rows(ex, feature_view<Space, std::remove_const_t<In>>{.features = in}, ids, out);
}

} // namespace glt::detail

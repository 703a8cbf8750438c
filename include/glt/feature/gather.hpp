// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/feature/convert_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/prefetch_rows.hpp>
#include <glt/feature/put_rows.hpp>

#include <type_traits>

namespace glt {

/// Copies the rows `ids` of features, in that order; an id may come more than once. Elements of another type
/// than the result's are converted on the way, with the scale of their column if there are scales.
///
/// @shape  in [V, F] · ids [S] · out [S, F], written
/// @where  memory of `Space`; enqueues on `ex` and does not synchronise
/// @pre    every id is in [0, V); not checked
/// @throws precondition_error  if out is not [S, F]
/// @cost   O(S · F)
template <executor Executor, memory_space Space, class In, class Id, bytes_copyable T>
  requires(reaches<Executor, Space> && gathers_as<In, T>)
void gather_rows(Executor const& ex, feature_view<Space, In> in, array_view<Space, Id> ids, matrix_view<Space, T> out) {
  if (out.rows() != ids.size() || out.columns() != in.num_columns()) {
    throw precondition_error(detail::message("gather of ", ids.size(), " rows of ", in.num_columns(), " columns into [",
                                             out.rows(), ", ", out.columns(), "]; the shapes must be equal"));
  }
  detail::put_rows(ex, ids.size(), in, detail::rows_listed<std::remove_const_t<Id>>{ids.data()},
                   detail::rows_in_order{}, out.data());
}

/// The same for the rows of a matrix.
template <executor Executor, memory_space Space, class In, class Id, bytes_copyable T>
  requires(reaches<Executor, Space> && gathers_as<std::remove_const_t<In>, T>)
void gather_rows(Executor const& ex, matrix_view<Space, In> in, array_view<Space, Id> ids, matrix_view<Space, T> out) {
  gather_rows(ex, feature_view<Space, std::remove_const_t<In>>{.features = in}, ids, out);
}

} // namespace glt

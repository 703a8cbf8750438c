// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/exec/executor.hpp>
#include <glt/feature/copy_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace glt {

/// Copies the rows `ids` of a matrix, in that order; an id may come more than once.
///
/// @shape  in [V, F] · ids [S] · out [S, F], written
/// @where  memory of `Space`; enqueues on `ex` and does not synchronise
/// @pre    every id is in [0, V); not checked
/// @throws precondition_error  if out is not [S, F]
/// @cost   O(S · F)
template <executor Executor, memory_space Space, class In, class Id, bytes_copyable T>
  requires(reaches<Executor, Space> && std::is_same_v<std::remove_const_t<In>, T>)
void gather_rows(Executor const& ex, matrix_view<Space, In> in, array_view<Space, Id> ids, matrix_view<Space, T> out) {
  if (out.rows() != ids.size() || out.columns() != in.columns()) {
    throw precondition_error(detail::message("gather of ", ids.size(), " rows of ", in.columns(), " columns into [",
                                             out.rows(), ", ", out.columns(), "]; the shapes must be equal"));
  }
  using listed = detail::rows_listed<std::remove_const_t<Id>>;
  ex.for_ranges(ids.size(), detail::copied_rows_per_range,
                detail::copy_rows<listed, detail::rows_in_order>{
                    .in = reinterpret_cast<std::byte const*>(in.data()),
                    .out = reinterpret_cast<std::byte*>(out.data()),
                    .row_bytes = in.columns() * static_cast<std::int64_t>(sizeof(T)),
                    .from = {ids.data()},
                    .to = {}});
}

} // namespace glt

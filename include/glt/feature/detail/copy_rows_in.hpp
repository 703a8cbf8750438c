// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/gather.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>

namespace glt::detail {

/// Copies the rows `ids` of ordinary memory into memory of a policy.
///
/// @shape  rows [V, F] · ids [S] → [S, F]
/// @pre    every id is in [0, V); not checked
/// @cost   for policies of GPUs the rows pass through `staged_bytes` of ordinary memory
template <device_policy Policy, bytes_copyable T>
[[nodiscard]] buffer<Policy, T> copy_rows_in(Policy const& policy, host_matrix<T const> rows,
                                             host_view<local_id const> ids, std::int64_t staged_bytes = 1 << 22) {
  auto const columns = rows.columns();
  buffer<Policy, T> made(ids.size() * columns, policy);
  if constexpr (host_policy<Policy>) {
    gather_rows(policy.executor(), rows, ids, matrix_view<Policy::space, T>(made.data(), ids.size(), columns));
  } else {
    device::cpu const host;
    auto const row_bytes = std::max<std::int64_t>(columns * static_cast<std::int64_t>(sizeof(T)), 1);
    auto const at_a_time = std::clamp<std::int64_t>(staged_bytes / row_bytes, 1, std::max<std::int64_t>(ids.size(), 1));
    buffer<device::cpu, T> staged(at_a_time * columns);
    for (std::int64_t first = 0; first < ids.size(); first += at_a_time) {
      auto const count = std::min(at_a_time, ids.size() - first);
      host_matrix<T> const part(staged.data(), count, columns);
      gather_rows(host.executor(), rows, ids.subview(first, count), part);
      copy_in(policy, host_view<T const>(part.flat()), made.view().subview(first * columns, count * columns));
    }
  }
  return made;
}

} // namespace glt::detail

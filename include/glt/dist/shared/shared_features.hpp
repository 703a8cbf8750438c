// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/shared/detail/shared_tensors.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

// Converts a matrix with labels and scales to tensors, and back.
template <bytes_copyable T>
[[nodiscard]] shared_tensors::table tensors_of(feature_view<memory_space::host, T> rows) {
  return {{"features", without_type(rows)}, {"labels", array_rows(rows.labels)}, {"scales", array_rows(rows.scales)}};
}
template <bytes_copyable T>
[[nodiscard]] feature_view<memory_space::host, T> matrix_of(shared_tensors::table const& tensors) {
  auto const& rows = tensors[0].rows;
  return {{reinterpret_cast<T const*>(rows.data), rows.num_rows, rows.num_columns / stored_elements<T>},
          array_of<label_type>(tensors[1].rows),
          array_of<float>(tensors[2].rows)};
}
template <bytes_copyable T, device_policy Policy>
[[nodiscard]] feature_store<Policy, T> store_of(shared_tensors const& shared, Policy const& policy) {
  auto const rows = matrix_of<T>(shared.own);
  return {rows.num_vertices(), rows.num_columns(), shared.template adopt<T>(0, policy),
          shared.template adopt<label_type>(1, policy), shared.template adopt<float>(2, policy)};
}

} // namespace glt::detail

namespace glt::dist {

/// Copies this rank's features to node-shared memory; the original may be freed afterwards.
///
/// @comm   collective; see `node_memory`
/// @throws collective_error  on every rank, if a rank has neither shared nor private memory for its rows, or
///                           they have no addresses
/// @cost   one copy of the rows
template <host_policy Policy = device::cpu, node_memory Node, bytes_copyable T>
  requires(Policy::space == memory_space::host)
[[nodiscard]] typename node_views<feature_view<memory_space::host, T>>::template shared<glt::feature_store<Policy, T>>
share(Node& node, feature_view<memory_space::host, T> rows, Policy policy = {}) {
  auto const shared = detail::share_tensors(node, detail::tensors_of(rows));
  return {detail::store_of<T>(shared, policy),
          shared.template views<feature_view<memory_space::host, T>>(detail::matrix_of<T>)};
}

} // namespace glt::dist

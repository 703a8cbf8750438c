// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/core/element_type.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/named_collector.hpp>
#include <glt/dist/hotness/detail/hot_table.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/hotness/hottest_vertices.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

// Turns collected rows of all tensors of a table into hot rows.
template <device_policy Policy>
[[nodiscard]] dist::named_hot_rows<Policy>
keep_hot_rows(array_view<Policy::space, global_id const> keys, collected_table<Policy> rows,
              dist::named_features<Policy> const& features, Policy const& policy) {
  feature_table<Policy> table(keys.size(), policy);
  auto const tensors = features.local().tensors();
  for (std::size_t t = 0; t < rows.tensors.size(); ++t) {
    auto& tensor = rows.tensors[t];
    auto const keeper = std::make_shared<buffer<Policy, std::byte>>(std::move(tensor.bytes));
    visit_element(tensor.type, [&]<class T>(std::type_identity<T>) {
      auto values = buffer<Policy, T>::adopt(reinterpret_cast<T*>(keeper->data()), tensor.num_rows * tensor.num_columns,
                                             keeper, policy);
      table.add(tensor.name, feature_store<Policy, T>(tensor.num_rows, tensor.num_columns, std::move(values), {},
                                                      copy_of(tensors[t].rows.scales, policy)));
    });
  }
  return {copy_of(keys, policy), std::move(table), features.book().partitioning()};
}

/// Fetches the rows of some vertices in all tensors and keeps them.
///
/// @shape  vertices [N] distinct global ids; each rank passes its list
/// @comm   collective; as a `named_collector` and one call of its `collect`
/// @throws collective_error  on every rank, if a vertex of a rank is not in [0, V), or memory runs out on a rank
/// @throws precondition_error  on a rank that passes a vertex twice
template <communicator Comm, device_policy Policy>
[[nodiscard]] dist::named_hot_rows<Policy>
fetch_hot_rows(Comm& comm, dist::named_features<Policy> const& features,
               std::type_identity_t<array_view<Policy::space, global_id const>> vertices, Policy policy = {}) {
  dist::named_collector<Comm, Policy> collector(comm, features, {}, policy);
  collected_table<Policy> rows;
  collector.collect(vertices, vertices.size(), 0, rows);
  return detail::keep_hot_rows(vertices, std::move(rows), features, policy);
}

/// Fetches and keeps rows of some edges, given their destinations.
///
/// @shape  ids [N] distinct global edge ids; each rank passes its list · destinations [N] global vertex ids
/// @comm   collective; as a `named_collector` and one call of its `collect`
/// @throws collective_error  on every rank, as `named_collector::collect`
/// @throws precondition_error  on a rank that passes an edge twice
template <communicator Comm, device_policy Policy>
[[nodiscard]] dist::named_hot_rows<Policy>
fetch_hot_rows(Comm& comm, dist::named_features<Policy> const& features,
               std::type_identity_t<array_view<Policy::space, edge_id const>> ids,
               std::type_identity_t<array_view<Policy::space, global_id const>> destinations, Policy policy = {}) {
  dist::named_collector<Comm, Policy> collector(comm, features, {}, policy);
  collected_table<Policy> rows;
  collector.collect(ids, destinations, 0, rows);
  return detail::keep_hot_rows(ids, std::move(rows), features, policy);
}

} // namespace glt::detail

namespace glt::dist {

/// Copies the hottest rows of other ranks in all tensors, as many as fit `budget_bytes` with their look-up table. See
/// `make_hot_rows` of one tensor.
///
/// @shape  hotness [rows of this part], for the batches of all ranks
/// @comm   collective; as `hottest_vertices` and `fetch_hot_rows`. Ranks may have different budgets
/// @throws collective_error  on every rank, as these two functions
template <communicator Comm, device_policy Policy>
[[nodiscard]] named_hot_rows<Policy> make_hot_rows(Comm& comm, named_features<Policy> const& features,
                                                   host_view<double const> hotness, std::int64_t budget_bytes,
                                                   Policy policy = {}) {
  auto const count = detail::hot_capacity(budget_bytes, named_hot_rows<Policy>::row_bytes(features.local()));
  auto const vertices = make_buffer<Policy>(hottest_vertices(comm, features.book(), hotness, count), policy);
  return detail::fetch_hot_rows(comm, features, vertices.view(), std::move(policy));
}

} // namespace glt::dist

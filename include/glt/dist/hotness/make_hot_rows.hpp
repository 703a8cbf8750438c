// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/hotness/detail/hot_table.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/hotness/hottest_vertices.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Fetches the rows of some vertices, and labels if the store has labels, and keeps them.
///
/// @shape  vertices [N] distinct global ids; each rank passes its list
/// @comm   collective; as one `feature_collector::collect`
/// @throws collective_error  on every rank, if a vertex of a rank is not in [0, V), or memory runs out on a rank
/// @throws precondition_error  on a rank that passes a vertex twice
template <communicator Comm, device_policy Policy, bytes_copyable T>
[[nodiscard]] dist::hot_rows<Policy, T>
fetch_hot_rows(Comm& comm, dist::feature_store<Policy, T> const& store,
               std::type_identity_t<array_view<Policy::space, global_id const>> vertices, Policy policy = {}) {
  dist::feature_collector<Comm, Policy, T> collector(comm, store, policy);
  dist::collected_rows<Policy, T> rows;
  collector.collect(vertices, store.has_labels() ? vertices.size() : 0, 0, rows);
  return {detail::copy_of(vertices, policy),
          glt::feature_store<Policy, T>(vertices.size(), store.num_columns(), std::move(rows.features),
                                        std::move(rows.labels)),
          store.book().partitioning()};
}

} // namespace glt::detail

namespace glt::dist {

/// Copies the hottest rows of other ranks, as many as fit `budget_bytes` with their look-up table.
///
///     auto const hot = make_hot_rows(comm, store, estimate_hotness(comm, graph, seeds, options).view(), bytes);
///     feature_collector collector(comm, store, hot);
///
/// @shape  hotness [rows of this part], for the batches of all ranks; see `hottest_vertices` for others
/// @comm   collective; as `hottest_vertices` and one `feature_collector::collect`. Ranks may have different budgets
/// @throws collective_error  on every rank, as these two functions
/// @cost   memory O(rows of the part + budget)
template <communicator Comm, device_policy Policy, bytes_copyable T>
[[nodiscard]] hot_rows<Policy, T> make_hot_rows(Comm& comm, feature_store<Policy, T> const& store,
                                                host_view<double const> hotness, std::int64_t budget_bytes,
                                                Policy policy = {}) {
  auto const count = hot_rows<Policy, T>::capacity(budget_bytes, store.num_columns(), store.has_labels());
  auto const vertices = make_buffer<Policy>(hottest_vertices(comm, store.book(), hotness, count), policy);
  return detail::fetch_hot_rows(comm, store, vertices.view(), std::move(policy));
}

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/shared/detail/shared_tensors.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/id_table.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

// Makes a table from this rank's tensors in shared memory, with the scales of another table.
template <device_policy Policy>
[[nodiscard]] feature_table<Policy> table_of(shared_tensors const& shared, feature_table<Policy> const& scaled,
                                             Policy const& policy) {
  feature_table<Policy> made(scaled.num_rows(), policy);
  auto const tensors = scaled.tensors();
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    auto const& [name, rows] = tensors[t];
    visit_element(rows.type, [&]<class T>(std::type_identity<T>) {
      made.add(name, feature_store<Policy, T>(rows.num_rows, rows.num_columns, shared.template adopt<T>(t, policy), {},
                                              make_buffer<Policy>(rows.scales, policy)));
    });
  }
  return made;
}

} // namespace glt::detail

namespace glt::dist {

/// Copies this rank's table of features of vertices or edges to node-shared memory; the original may be freed
/// afterwards.
///
///     auto shared = glt::dist::share(node, table);
///     glt::dist::named_features const features(comm, book, std::move(shared.own));
///     glt::dist::named_collector collector(comm, features);
///     collector.read_in_place(shared.neighborhood);
///
/// @comm   collective; see `node_memory`
/// @throws collective_error  on every rank, if a rank has neither shared nor private memory for its rows, or
///                           they have no addresses
/// @cost   one copy of the rows; for edges also of their look-up table, plus a second table in `own`
template <host_policy Policy = device::cpu, node_memory Node>
  requires(Policy::space == memory_space::host)
[[nodiscard]] typename node_views<typename feature_table<Policy>::view_type>::template shared<feature_table<Policy>>
share(Node& node, feature_table<Policy> const& table, Policy policy = {}) {
  using view_type = typename feature_table<Policy>::view_type;
  auto view = table.view();
  if (view.of_edges) {
    detail::push_edges(view.rows, view.edges);
  }
  auto const shared = detail::share_tensors(node, view.rows);
  auto own = detail::table_of(shared, table, policy);
  if (view.of_edges) {
    own = feature_table<Policy>(shared.template adopt<edge_id>(view.rows.size() - 2, policy), std::move(own));
  }
  return {std::move(own), shared.template views<view_type>([](detail::shared_tensors::table tensors) {
            auto const edges = detail::take_edges(tensors);
            return view_type{std::move(tensors), edges.value_or(decltype(view_type::edges)()), edges.has_value()};
          })};
}

} // namespace glt::dist

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/shared/detail/shared_tensors.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/split.hpp>

namespace glt::detail {

/// Borrowed rows of a part over every edge type, with the original ids of its vertices; a graph without types has one
/// type of each.
///
/// Data of rules, which `share_rule` adds, are in the same order on every rank; an array without an address is missing.
///
/// @shape  graphs [edge types] · original [node types], [rows of the type] each · data [edge types], or fewer
template <memory_space Space, vertex_id Vertex>
struct part_view {
  static constexpr memory_space space = Space;

  std::vector<csr_view<Space, Vertex>> graphs;
  std::vector<array_view<Space, global_id const>> original;
  std::vector<std::vector<any_rows<Space>>> data{};

  [[nodiscard]] std::span<any_rows<Space> const> data_of(std::size_t edge_type) const noexcept {
    return edge_type < data.size() ? std::span<any_rows<Space> const>(data[edge_type])
                                   : std::span<any_rows<Space> const>();
  }
};

/// Returns the view of a part from the arrays that `share` copied, of as many types as its rank has.
template <memory_space Space, vertex_id Vertex>
[[nodiscard]] part_view<Space, Vertex> view_of_part(shared_tensors::table const& tensors) {
  part_view<Space, Vertex> view;
  for (auto next = tensors.begin(); next != tensors.end();) {
    if (next->name == "original") {
      view.original.push_back(array_of<global_id>(next->rows));
      ++next;
    } else {
      view.graphs.emplace_back(array_of<std::int64_t>(next[0].rows)[0], array_of<edge_offset>(next[1].rows),
                               array_of<Vertex>(next[2].rows), array_of<edge_id>(next[3].rows));
      next += 4;
    }
  }
  return view;
}

// Copy of this rank's rows of all edge types and original ids of all node types in node-shared memory, and views of all
// ranks' copies.
template <device_policy Policy, vertex_id Vertex>
struct shared_arrays_of_part {
  std::vector<csr_graph<Policy, Vertex>> graphs;
  std::vector<buffer<Policy, global_id>> original;
  node_views<part_view<Policy::space, Vertex>> neighborhood;
  std::span<std::byte const> block; // of this rank

  template <node_memory Node>
  shared_arrays_of_part(Node& node, std::span<csr_graph<Policy, Vertex> const> from,
                        std::span<buffer<Policy, global_id> const> original_ids, Policy const& policy) {
    shared_tensors::table arrays;
    std::vector<std::int64_t> columns;
    columns.reserve(from.size()); // arrays borrows its elements
    for (auto const& graph : from) {
      auto const view = graph.view();
      columns.push_back(view.num_columns());
      arrays.push_back({"columns", array_rows(host_view<std::int64_t const>(&columns.back(), 1))});
      arrays.push_back({"offsets", array_rows(view.offsets())});
      arrays.push_back({"sources", array_rows(view.sources())});
      arrays.push_back({"edge ids", array_rows(view.edge_ids())});
    }
    for (auto const& ids : original_ids) {
      arrays.push_back({"original", array_rows(ids.view())});
    }
    auto const shared = share_tensors(node, arrays);
    std::size_t at = 0;
    for (auto const& graph : from) {
      graphs.emplace_back(graph.view().num_columns(), shared.template adopt<edge_offset>(at + 1, policy),
                          shared.template adopt<Vertex>(at + 2, policy),
                          shared.template adopt<edge_id>(at + 3, policy));
      at += 4;
    }
    for (; at < arrays.size(); ++at) {
      original.push_back(shared.template adopt<global_id>(at, policy));
    }
    neighborhood = shared.template views<part_view<Policy::space, Vertex>>(view_of_part<Policy::space, Vertex>);
    block = shared.block;
  }
};

} // namespace glt::detail

namespace glt::dist {

/// Copies this rank's part to node-shared memory; the original may be freed afterwards.
///
/// @comm   collective; see `node_memory`
/// @throws collective_error  on every rank, if a rank has neither shared nor private memory for its part
/// @cost   one copy of the part
template <host_policy Policy, vertex_id Vertex, node_memory Node>
  requires(Policy::space == memory_space::host)
[[nodiscard]] auto share(Node& node, graph_part<Policy, Vertex> const& part, Policy policy = {}) ->
    typename node_views<typename graph_part<Policy, Vertex>::view_type>::template shared<graph_part<Policy, Vertex>> {
  detail::shared_arrays_of_part<Policy, Vertex> made(node, std::span(&part.graph, 1), std::span(&part.original, 1),
                                                     policy);
  return {{part.book, part.part, std::move(made.graphs[0]), std::move(made.original[0])}, std::move(made.neighborhood)};
}

/// Copies this rank's part of a heterogeneous graph to node-shared memory, as above.
template <host_policy Policy, vertex_id Vertex, node_memory Node>
  requires(Policy::space == memory_space::host)
[[nodiscard]] auto share(Node& node, hetero_part<Policy, Vertex> const& part, Policy policy = {}) ->
    typename node_views<typename hetero_part<Policy, Vertex>::view_type>::template shared<hetero_part<Policy, Vertex>> {
  detail::shared_arrays_of_part<Policy, Vertex> made(node, std::span(part.relations), std::span(part.original), policy);
  return {{part.schema, part.books, part.part, std::move(made.graphs), std::move(made.original)},
          std::move(made.neighborhood)};
}

} // namespace glt::dist

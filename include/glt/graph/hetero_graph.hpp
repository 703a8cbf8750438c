// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/graph/validate.hpp>

namespace glt {

/// Borrowed heterogeneous graph: for every edge type, the in-edges of the vertices of its destination type.
///
/// Vertices are numbered from 0 within their type.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  relation(e) has num_vertices(destination_type(e)) rows and num_vertices(source_type(e)) columns
template <memory_space Space, vertex_id Vertex = local_id>
class hetero_view {
public:
  using vertex_type = Vertex;
  static constexpr memory_space space = Space;

  /// Borrows schema and relations, which must outlive the view.
  ///
  /// @shape  relations [edge types]
  /// @throws precondition_error  if there is not one relation per edge type, or naming the first whose rows
  ///                             or columns are not the vertices of its types
  hetero_view(hetero_schema const& schema, std::span<csr_view<Space, Vertex> const> relations)
      : schema_(&schema), relations_(relations) {
    if (std::ssize(relations) != schema.num_edge_types()) {
      throw precondition_error(detail::message(relations.size(), " relations for ", schema.num_edge_types(),
                                               " edge types; give one per type, without edges if need be"));
    }
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      auto const rows = schema.num_vertices(schema.destination_type(e));
      auto const columns = schema.num_vertices(schema.source_type(e));
      if (relation(e).num_rows() != rows || relation(e).num_columns() != columns) {
        throw precondition_error(detail::message(
            "relation ", schema.name_of_edge_type(e), " has ", relation(e).num_rows(), " rows and ",
            relation(e).num_columns(), " columns; it needs ", rows, " rows, the vertices of its destination type, and ",
            columns, " columns, those of its source type"));
      }
    }
  }

  [[nodiscard]] hetero_schema const& schema() const noexcept { return *schema_; }

  /// Returns the edges of a type.
  ///
  /// @pre    edge_type is in [0, schema().num_edge_types()); not checked
  [[nodiscard]] csr_view<Space, Vertex> const& relation(int edge_type) const noexcept {
    return relations_[static_cast<std::size_t>(edge_type)];
  }

private:
  hetero_schema const* schema_;
  std::span<csr_view<Space, Vertex> const> relations_;
};

/// Owner of a heterogeneous graph; move-only. Views stay valid when it moves.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy Policy, vertex_id Vertex = local_id>
class hetero_graph {
public:
  using vertex_type = Vertex;
  using policy_type = Policy;

  /// Takes over one relation per edge type, made by `make_relation`. Checks their shapes; `validate` checks their
  /// values.
  ///
  /// @shape  relations [edge types]
  /// @throws precondition_error  as `hetero_view`
  hetero_graph(hetero_schema schema, std::vector<csr_graph<Policy, Vertex>> relations)
      : schema_(std::make_unique<hetero_schema const>(std::move(schema))), relations_(std::move(relations)) {
    views_.reserve(relations_.size());
    for (auto const& relation : relations_) {
      views_.push_back(relation.view());
    }
    static_cast<void>(view());
  }

  [[nodiscard]] hetero_schema const& schema() const noexcept { return *schema_; }
  [[nodiscard]] hetero_view<Policy::space, Vertex> view() const { return {*schema_, views_}; }

private:
  std::unique_ptr<hetero_schema const> schema_;
  std::vector<csr_graph<Policy, Vertex>> relations_;
  std::vector<csr_view<Policy::space, Vertex>> views_;
};

/// Checks untrusted relations; `examiner` as for the rows of a graph.
///
/// @throws precondition_error  naming the first wrong edge type and the fault that `validate` finds in its rows
/// @cost   O(V + E)
template <memory_space Space, vertex_id Vertex, class Examiner = exec::sequential>
  requires detail::examines<Examiner, Space>
void validate(hetero_view<Space, Vertex> graph, Examiner const& examiner = {}) {
  for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
    try {
      validate(graph.relation(e), examiner);
    } catch (precondition_error const& fault) {
      throw precondition_error(detail::message("relation ", graph.schema().name_of_edge_type(e), ": ", fault.what()));
    }
  }
}

/// Copies a heterogeneous graph from ordinary memory into memory of a policy.
///
/// @where  may only enqueue; `graph` may change afterwards
/// @cost   O(V + E)
template <device_policy Policy, vertex_id Vertex>
[[nodiscard]] hetero_graph<Policy, Vertex> copy(hetero_view<memory_space::host, Vertex> graph, Policy policy = {}) {
  std::vector<csr_graph<Policy, Vertex>> relations;
  for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
    relations.push_back(copy<Policy>(graph.relation(e), policy));
  }
  return {graph.schema(), std::move(relations)};
}

/// Compresses the edges of one type into rows of its destinations, as a `hetero_graph` takes them; the edges of a row
/// keep their order.
///
/// @shape  sources [E], ids of the source type · destinations [E], ids of the destination type → one row per
///         vertex of the destination type, one column per vertex of the source type; with `by_source` the other way
///         round
/// @where  memory of `Policy`; synchronises
/// @throws precondition_error  if there is no such edge type, the lengths differ, or naming the first id that
///                             its type does not have
/// @cost   as `make_csr`
template <device_policy Policy, vertex_id Vertex = local_id>
[[nodiscard]] csr_graph<Policy, Vertex>
make_relation(hetero_schema const& schema, int edge_type,
              std::type_identity_t<array_view<Policy::space, Vertex const>> sources,
              std::type_identity_t<array_view<Policy::space, Vertex const>> destinations, csr_options options = {},
              Policy policy = {}) {
  auto const num_rows = schema.num_vertices(schema.destination_type(edge_type));
  auto const num_columns = schema.num_vertices(schema.source_type(edge_type));
  auto const name = "relation " + schema.name_of_edge_type(edge_type);
  if (sources.size() != destinations.size()) {
    throw precondition_error(detail::message(name, " with ", sources.size(), " sources and ", destinations.size(),
                                             " destinations; every edge needs one of each"));
  }
  detail::validate_ids(policy, sources, num_columns, (name + ": source of edge").c_str());
  detail::validate_ids(policy, destinations, num_rows, (name + ": destination of edge").c_str());
  return options.by_source ? detail::compress_rows<Policy, Vertex>(num_columns, num_rows, sources, destinations,
                                                                   options.edge_ids, policy)
                           : detail::compress_rows<Policy, Vertex>(num_rows, num_columns, destinations, sources,
                                                                   options.edge_ids, policy);
}

} // namespace glt

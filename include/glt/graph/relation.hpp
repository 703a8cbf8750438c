// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Options of `make_relation`.
struct relation_options {
  bool edge_ids = false; ///< keep the position of every edge in the input (8 bytes an edge)
};

/// Compresses the edges of one type into rows of its destinations; the edges of a row keep their order.
///
/// @shape  sources [E], ids of the source type · destinations [E], ids of the destination type → one row per
///         vertex of the destination type, one column per vertex of the source type
/// @where  memory of `Policy`; synchronises
/// @throws precondition_error  if there is no such edge type, the lengths differ, or naming the first id that
///                             its type does not have
/// @cost   as `make_csr`
template <device_policy Policy, vertex_id Vertex = local_id>
[[nodiscard]] csr_graph<Policy, Vertex>
make_relation(hetero_schema const& schema, int edge_type,
              std::type_identity_t<array_view<Policy::space, Vertex const>> sources,
              std::type_identity_t<array_view<Policy::space, Vertex const>> destinations, relation_options options = {},
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
  return detail::compress_rows<Policy, Vertex>(num_rows, num_columns, destinations, sources, options.edge_ids, policy);
}

} // namespace glt

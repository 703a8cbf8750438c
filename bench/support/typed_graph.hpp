// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "workloads.hpp"

#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_bench {

inline constexpr int num_types = 3;

/// The R-MAT graph with its vertices dealt out to three types and its edges to the nine relations between them: vertex
/// v is vertex v / 3 of type v mod 3.
inline glt::hetero_graph<cpu> const& typed_graph() {
  static auto const made = [] {
    auto const whole = rmat_graph().view();
    std::vector<glt::hetero_schema::node_type> nodes;
    std::vector<glt::hetero_schema::edge_type> edges;
    for (int t = 0; t < num_types; ++t) {
      nodes.push_back({std::to_string(t), (whole.num_rows() - t + num_types - 1) / num_types});
    }
    for (int e = 0; e < num_types * num_types; ++e) {
      edges.push_back({std::to_string(e / num_types), "to", std::to_string(e % num_types)});
    }
    glt::hetero_schema schema(std::move(nodes), std::move(edges));
    std::array<std::vector<glt::local_id>, num_types * num_types> sources;
    std::array<std::vector<glt::local_id>, num_types * num_types> destinations;
    for (std::int64_t v = 0; v < whole.num_rows(); ++v) {
      for (auto const u : whole.row(v)) {
        auto const e = static_cast<std::size_t>(u % num_types * num_types + v % num_types);
        sources[e].push_back(u / num_types);
        destinations[e].push_back(static_cast<glt::local_id>(v / num_types));
      }
    }
    std::vector<glt::csr_graph<cpu>> relations;
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      auto const at = static_cast<std::size_t>(e);
      relations.push_back(glt::make_relation<cpu>(schema, e, sources[at], destinations[at]));
      sources[at] = {};
      destinations[at] = {};
    }
    return glt::hetero_graph<cpu>(std::move(schema), std::move(relations));
  }();
  return made;
}

} // namespace glt_bench

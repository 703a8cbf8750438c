// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "workloads.hpp"

#include <glt/core/random.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace glt_bench {

/// A graph with the types and counts of ogbn-mag: 4 types of vertices, 1.94 M in all, and 21 M edges of 4 relations,
/// each of which is followed by its reverse. Ends of edges are drawn so that degrees follow a power law with exponent
/// 3. The scale of the graphs halves or doubles all counts.
inline glt::hetero_graph<cpu> const& citation_graph() {
  static auto const made = [] {
    auto const scaled = [](double count) {
      return static_cast<std::int64_t>(std::max(1.0, std::ldexp(count, graph_scale() - 20)));
    };
    std::vector<glt::hetero_schema::node_type> const nodes{{"paper", scaled(736'389)},
                                                           {"author", scaled(1'134'649)},
                                                           {"institution", scaled(8'740)},
                                                           {"field", scaled(59'965)}};
    std::vector<glt::hetero_schema::edge_type> const edges{{"author", "affiliated_with", "institution"},
                                                           {"institution", "rev_affiliated_with", "author"},
                                                           {"author", "writes", "paper"},
                                                           {"paper", "rev_writes", "author"},
                                                           {"paper", "cites", "paper"},
                                                           {"paper", "rev_cites", "paper"},
                                                           {"paper", "has_topic", "field"},
                                                           {"field", "rev_has_topic", "paper"}};
    double const counts[] = {1'043'998, 7'145'660, 5'416'271, 7'505'078};
    glt::hetero_schema schema(nodes, edges);
    std::vector<glt::csr_graph<cpu>> relations;
    for (int e = 0; e < schema.num_edge_types(); e += 2) {
      auto const ends = [&](int type, std::uint64_t side) {
        auto const n = schema.num_vertices(type);
        std::int64_t stride = n * 5 / 8 + 1; // takes vertices of high degree apart
        while (std::gcd(stride, n) != 1) {
          ++stride;
        }
        std::vector<glt::local_id> drawn(static_cast<std::size_t>(scaled(counts[e / 2])));
        auto const key = glt::random_key(1).fold(static_cast<std::uint64_t>(e)).fold(side);
        for (std::size_t i = 0; i < drawn.size(); ++i) {
          auto const u = glt::random_stream(key, i).next() * 0x1p-32;
          drawn[i] = static_cast<glt::local_id>(static_cast<std::int64_t>(u * u * static_cast<double>(n)) * stride % n);
        }
        return drawn;
      };
      auto const sources = ends(schema.source_type(e), 0);
      auto const destinations = ends(schema.destination_type(e), 1);
      relations.push_back(glt::make_relation<cpu>(schema, e, sources, destinations));
      relations.push_back(glt::make_relation<cpu>(schema, e + 1, destinations, sources));
    }
    return glt::hetero_graph<cpu>(std::move(schema), std::move(relations));
  }();
  return made;
}

} // namespace glt_bench

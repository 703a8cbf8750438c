// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/partitioner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// A data set of one node type and one edge type.
inline glt::io::raw_data plain_set(std::int64_t num_vertices, std::vector<std::int64_t> sources,
                                   std::vector<std::int64_t> destinations, std::vector<std::int64_t> train) {
  glt::io::raw_data made{.name = "plain"};
  made.nodes.push_back({.num_nodes = num_vertices, .train = std::move(train)});
  made.edges.push_back({.sources = std::move(sources), .destinations = std::move(destinations)});
  return made;
}

/// A random data set of three node types, one without vertices, and four edge types, one without edges; with
/// multi-edges, and vertices that no edge touches. Training vertices of two types, some of them listed twice.
inline glt::io::raw_data typed_set(std::int64_t num_vertices, std::int64_t edges_per_type, std::uint64_t seed = 1) {
  glt::random_stream draws(glt::random_key(seed), static_cast<std::uint64_t>(num_vertices));
  auto const below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(bound)));
  };
  glt::io::raw_data made{.name = "typed"};
  auto const others = num_vertices / 2 + 1;
  made.nodes.push_back({.name = "paper", .num_nodes = num_vertices});
  made.nodes.push_back({.name = "nothing", .num_nodes = 0});
  made.nodes.push_back({.name = "author", .num_nodes = others});
  for (std::int64_t v = 0; v < num_vertices; v += 3) {
    made.nodes[0].train.push_back(std::min(v + below(3), num_vertices - 1)); // no vertex twice
  }
  for (std::int64_t v = 0; v < others; v += 7) {
    made.nodes[2].train.push_back(std::min(v + below(7), others - 1));
  }
  auto const add = [&](std::string source, std::string name, std::string destination, std::int64_t num_sources,
                       std::int64_t num_destinations, std::int64_t count) {
    auto& edges = made.edges.emplace_back(glt::io::raw_data::edge_table{
        .source = std::move(source), .name = std::move(name), .destination = std::move(destination)});
    for (std::int64_t e = 0; e < count && num_sources > 0 && num_destinations > 0; ++e) {
      edges.sources.push_back(below(num_sources));
      edges.destinations.push_back(std::min(below(num_destinations), below(num_destinations)));
    }
  };
  add("author", "writes", "paper", others, num_vertices, edges_per_type);
  add("paper", "cites", "paper", num_vertices, num_vertices, edges_per_type);
  add("nothing", "has", "paper", 0, num_vertices, 0);
  add("paper", "by", "author", num_vertices, others, edges_per_type / 2);
  return made;
}

/// The graph of all types that `make_homogeneous` makes in memory.
inline glt::csr_graph<glt::device::cpu, glt::global_id> whole_graph_of(glt::io::raw_data const& data) {
  auto schema = glt::io::detail::schema_of(data.view());
  std::vector<glt::csr_graph<glt::device::cpu, glt::global_id>> relations;
  for (std::size_t e = 0; e < data.edges.size(); ++e) {
    relations.push_back(glt::make_relation<glt::device::cpu, glt::global_id>(
        schema, static_cast<int>(e), glt::host_view<glt::global_id const>(data.edges[e].sources),
        glt::host_view<glt::global_id const>(data.edges[e].destinations)));
  }
  glt::hetero_graph<glt::device::cpu, glt::global_id> const typed(std::move(schema), std::move(relations));
  return glt::detail::make_homogeneous(typed.view());
}

} // namespace glt_test

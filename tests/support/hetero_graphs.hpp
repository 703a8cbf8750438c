// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/policy.hpp>

#include "graphs.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// The edges of one type in plain vectors.
struct relation_list {
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> destinations;

  void add(std::int64_t source, std::int64_t destination) {
    sources.push_back(source);
    destinations.push_back(destination);
  }
};

/// A heterogeneous graph in plain vectors, with a name for the test's report.
struct hetero_list {
  std::string name;
  glt::hetero_schema schema;
  std::vector<relation_list> relations; ///< by edge type

  template <class Vertex = glt::local_id>
  [[nodiscard]] glt::hetero_graph<glt::device::cpu, Vertex> graph() const {
    std::vector<glt::csr_graph<glt::device::cpu, Vertex>> made;
    for (std::size_t e = 0; e < relations.size(); ++e) {
      std::vector<Vertex> const sources(relations[e].sources.begin(), relations[e].sources.end());
      std::vector<Vertex> const destinations(relations[e].destinations.begin(), relations[e].destinations.end());
      made.push_back(glt::make_relation<glt::device::cpu, Vertex>(schema, static_cast<int>(e), sources, destinations,
                                                                  {.edge_ids = true}));
    }
    return {schema, std::move(made)};
  }
};

/// The naive rows of a relation: for every vertex of the destination type its in-edges in the order of the
/// list.
inline std::vector<std::vector<in_edge>> naive_rows(hetero_list const& graph, int edge_type) {
  auto const& edges = graph.relations[static_cast<std::size_t>(edge_type)];
  std::vector<std::vector<in_edge>> rows(
      static_cast<std::size_t>(graph.schema.num_vertices(graph.schema.destination_type(edge_type))));
  for (std::size_t i = 0; i < edges.sources.size(); ++i) {
    rows[static_cast<std::size_t>(edges.destinations[i])].emplace_back(edges.sources[i], static_cast<glt::edge_id>(i));
  }
  return rows;
}

/// A graph with random edges of every type, multi-edges included; some rows are much longer than others.
inline hetero_list random_hetero_graph(std::vector<glt::hetero_schema::node_type> nodes,
                                       std::vector<glt::hetero_schema::edge_type> edges, std::int64_t edges_per_type,
                                       std::uint64_t seed = 1) {
  hetero_list made{"random of " + std::to_string(edges_per_type), {std::move(nodes), std::move(edges)}, {}};
  for (int e = 0; e < made.schema.num_edge_types(); ++e) {
    auto const sources = static_cast<std::uint64_t>(made.schema.num_vertices(made.schema.source_type(e)));
    auto const destinations = static_cast<std::uint64_t>(made.schema.num_vertices(made.schema.destination_type(e)));
    auto& list = made.relations.emplace_back();
    glt::random_stream draws(glt::random_key(seed), static_cast<std::uint64_t>(e));
    for (std::int64_t i = 0; i < edges_per_type && sources > 0 && destinations > 0; ++i) {
      auto const source = static_cast<std::int64_t>(draws.below(sources));
      list.add(source, static_cast<std::int64_t>(draws.below(i % 4 == 0 ? 1 + destinations / 20 : destinations)));
    }
  }
  return made;
}

/// Papers, authors, institutions and topics, with relations in both directions, within a type, and two
/// between the same types.
inline hetero_list academic_graph(std::int64_t size, std::uint64_t seed = 1) {
  return random_hetero_graph({{"paper", size}, {"author", size / 2 + 1}, {"institution", size / 16 + 1}, {"topic", 3}},
                             {{"author", "writes", "paper"},
                              {"paper", "rev_writes", "author"},
                              {"paper", "cites", "paper"},
                              {"institution", "employs", "author"},
                              {"author", "reviews", "paper"},
                              {"topic", "of", "paper"},
                              {"paper", "rev_of", "topic"}},
                             6 * size, seed);
}

/// Small heterogeneous graphs that break careless code.
inline std::vector<hetero_list> adversarial_hetero_graphs() {
  std::vector<hetero_list> graphs;
  graphs.push_back({"no types", {}, {}});
  graphs.push_back({"one type without vertices", {{{"a", 0}}, {}}, {}});
  graphs.push_back({"no edge types", {{{"a", 3}, {"b", 2}}, {}}, {}});
  graphs.push_back({"empty types",
                    {{{"a", 0}, {"b", 4}, {"c", 0}}, {{"a", "x", "b"}, {"b", "x", "a"}, {"c", "x", "c"}}},
                    {{}, {}, {}}});
  graphs.push_back({"a relation without edges",
                    {{{"a", 3}, {"b", 5}}, {{"a", "x", "b"}, {"b", "y", "a"}, {"b", "z", "b"}}},
                    {{{0, 1, 2, 0}, {4, 4, 0, 1}}, {}, {{3, 4}, {4, 4}}}});
  graphs.push_back({"one vertex each",
                    {{{"a", 1}, {"b", 1}}, {{"a", "x", "b"}, {"b", "y", "a"}, {"a", "s", "a"}}},
                    {{{0}, {0}}, {{0, 0, 0}, {0, 0, 0}}, {{0}, {0}}}});
  graphs.push_back({"a chain of types",
                    {{{"a", 2}, {"b", 2}, {"c", 2}}, {{"a", "x", "b"}, {"b", "x", "c"}}},
                    {{{0, 1}, {1, 0}}, {{1, 0}, {1, 1}}}});
  graphs.push_back(random_hetero_graph({{"a", 257}}, {{"a", "x", "a"}, {"a", "y", "a"}}, 999));
  graphs.push_back(random_hetero_graph({{"a", 3}, {"b", 301}}, {{"a", "x", "b"}, {"b", "x", "a"}}, 1501));
  graphs.push_back(academic_graph(301));
  return graphs;
}

/// Seeds of every type for a rank at a step, in original ids: uneven lists, many of them empty.
inline std::vector<std::vector<std::int64_t>> hetero_seeds_of(hetero_list const& graph, int rank, std::int64_t step) {
  std::vector<std::vector<std::int64_t>> seeds(static_cast<std::size_t>(graph.schema.num_node_types()));
  for (int t = 0; t < graph.schema.num_node_types(); ++t) {
    auto const vertices = graph.schema.num_vertices(t);
    auto const count = vertices == 0 ? 0 : (5 * rank + 7 * step + 3 * t) % 9;
    for (std::int64_t i = 0; i < count; ++i) {
      seeds[static_cast<std::size_t>(t)].push_back((i * 31 + rank * 17 + step * 5 + t) % vertices);
    }
  }
  return seeds;
}

} // namespace glt_test

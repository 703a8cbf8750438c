// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// An edge list in plain vectors, with a name for the test's report.
struct edge_list {
  std::string name;
  std::int64_t num_vertices = 0;
  std::vector<glt::local_id> sources;
  std::vector<glt::local_id> destinations;

  [[nodiscard]] std::int64_t num_edges() const { return static_cast<std::int64_t>(sources.size()); }
  [[nodiscard]] glt::coo_view<glt::memory_space::host> view() const { return {num_vertices, sources, destinations}; }
  void add(std::int64_t source, std::int64_t destination) {
    sources.push_back(static_cast<glt::local_id>(source));
    destinations.push_back(static_cast<glt::local_id>(destination));
  }
};

/// Random edges, multi-edges and self-loops included; the last tenth of the vertices stays isolated.
inline edge_list random_graph(std::int64_t num_vertices, std::int64_t num_edges, std::uint64_t seed = 1) {
  edge_list made{"random " + std::to_string(num_vertices) + "/" + std::to_string(num_edges), num_vertices, {}, {}};
  auto const used = static_cast<std::uint64_t>(num_vertices - num_vertices / 10);
  glt::random_stream draws(glt::random_key(seed), 0);
  for (std::int64_t i = 0; i < num_edges; ++i) {
    auto const source = static_cast<std::int64_t>(draws.below(used));
    // Every fourth edge has a low destination: rows of very different length.
    auto const destination = static_cast<std::int64_t>(draws.below(i % 4 == 0 ? 1 + used / 20 : used));
    made.add(source, destination);
  }
  return made;
}

/// Small graphs that break careless code.
inline std::vector<edge_list> adversarial_graphs() {
  std::vector<edge_list> graphs;
  graphs.push_back({"empty", 0, {}, {}});
  graphs.push_back({"one vertex", 1, {}, {}});
  graphs.push_back({"one vertex, one self-loop", 1, {0}, {0}});
  graphs.push_back({"isolated vertices", 7, {}, {}});
  graphs.push_back({"one edge", 2, {0}, {1}});
  graphs.push_back({"both ways", 2, {0, 1}, {1, 0}});
  graphs.push_back({"self-loops", 5, {0, 1, 1, 4}, {0, 1, 1, 4}});
  graphs.push_back({"multi-edges", 4, {3, 3, 0, 3, 0, 2, 3}, {1, 1, 1, 1, 1, 1, 1}});
  graphs.push_back({"edges only at the ends", 9, {8, 0, 8, 0, 8}, {0, 8, 0, 0, 8}});
  edge_list path{"path, backwards", 13, {}, {}};
  edge_list inward{"star, inward", 65, {}, {}};
  edge_list outward{"star, outward", 65, {}, {}};
  edge_list complete{"complete with self-loops", 6, {}, {}};
  for (int v = 12; v > 0; --v) {
    path.add(v - 1, v);
  }
  for (int v = 64; v > 0; --v) {
    inward.add(v, 0);
    outward.add(0, v);
  }
  for (int v = 0; v < 36; ++v) {
    complete.add(v % 6, v / 6);
  }
  for (auto* graph : {&path, &inward, &outward, &complete}) {
    graphs.push_back(std::move(*graph));
  }
  graphs.push_back(random_graph(3, 50));
  graphs.push_back(random_graph(101, 37));
  graphs.push_back(random_graph(257, 4099));
  graphs.push_back(random_graph(3001, 20011));
  return graphs;
}

/// One in-edge of a row: where it comes from and its position in the edge list.
using in_edge = std::pair<std::int64_t, glt::edge_id>;

/// The naive rows: for every vertex its in-edges in the order of the list.
inline std::vector<std::vector<in_edge>> naive_rows(edge_list const& graph) {
  std::vector<std::vector<in_edge>> rows(static_cast<std::size_t>(graph.num_vertices));
  for (std::size_t i = 0; i < graph.sources.size(); ++i) {
    rows[static_cast<std::size_t>(graph.destinations[i])].emplace_back(graph.sources[i], static_cast<glt::edge_id>(i));
  }
  return rows;
}

/// What the rows of a CSR hold, for comparison with `naive_rows`.
template <class Vertex>
std::vector<std::vector<in_edge>> rows_of(glt::csr_view<glt::memory_space::host, Vertex> graph) {
  std::vector<std::vector<in_edge>> rows(static_cast<std::size_t>(graph.num_rows()));
  for (std::int64_t r = 0; r < graph.num_rows(); ++r) {
    for (auto e = graph.offset(r); e < graph.offset(r + 1); ++e) {
      rows[static_cast<std::size_t>(r)].emplace_back(graph.source(e), graph.id_of_edge(e));
    }
  }
  return rows;
}

/// The elements of a buffer or host view as a vector, for comparison and printing.
template <class Range>
auto to_vector(Range const& range) {
  return std::vector(range.begin(), range.end());
}

/// The edges of a list as pairs (source, destination), in order.
template <class Vertex>
std::vector<std::pair<std::int64_t, std::int64_t>> pairs_of(glt::coo_view<glt::memory_space::host, Vertex> graph) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t i = 0; i < graph.num_edges(); ++i) {
    pairs.emplace_back(graph.sources()[i], graph.destinations()[i]);
  }
  return pairs;
}

} // namespace glt_test

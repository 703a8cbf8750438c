// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over one graph, uniform, with restart and node2vec, and along a meta-path of another.
#include <glt/glt.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

using glt::device::cpu;

namespace {

// Share of steps that lead back to where the walk came from.
double share_of_returns(glt::walks<cpu> const& walks) {
  auto const vertices = walks.vertices();
  std::int64_t back = 0;
  for (std::int64_t w = 0; w < walks.num_walks(); ++w) {
    for (std::int64_t s = 2; s <= walks.length(); ++s) {
      back += vertices(w, s) >= 0 && vertices(w, s) == vertices(w, s - 2) ? 1 : 0;
    }
  }
  return static_cast<double>(back) / static_cast<double>(walks.num_walks() * (walks.length() - 1));
}

} // namespace

int main() {
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 12, .edge_factor = 8});
  auto const simple = glt::remove_duplicates<cpu>(glt::symmetrize<cpu>(edges.view()).view());
  auto const graph = glt::make_csr<cpu>(simple.view());

  std::vector<glt::local_id> starts;
  for (glt::local_id v = 0; v < graph.view().num_rows() && starts.size() < 100; ++v) {
    if (graph.view().degree(v) > 0) {
      starts.push_back(v);
    }
  }

  // DeepWalk: ten walks of 20 steps from every start.
  glt::walks<cpu> walks;
  glt::random_walker<cpu>(graph.view(), {.length = 20, .walks_per_start = 10}).walk(starts, {.seed = 42}, walks);
  auto const uniform = share_of_returns(walks);
  std::cout << walks.num_walks() << " walks; the first goes";
  for (auto const vertex : std::as_const(walks).vertices().row(0)) {
    std::cout << ' ' << vertex;
  }
  std::cout << '\n';

  // Random walk with restart: how often the vertices around one start are visited.
  glt::random_walker<cpu> const restarting(graph.view(), {.length = 50, .walks_per_start = 100, .restart = 0.15});
  restarting.walk(std::vector{starts[0]}, {.seed = 42}, walks);
  std::int64_t at_start = 0;
  for (auto const vertex : std::as_const(walks).vertices().flat()) {
    at_start += vertex == starts[0] ? 1 : 0;
  }
  std::cout << "with restart, " << at_start << " of " << walks.vertices().flat().size() << " visits are to the start\n";

  // node2vec: a high p keeps walks from turning back.
  glt::node2vec_options const forward{.length = 20, .walks_per_start = 10, .p = 100, .q = 1};
  glt::node2vec_walker<cpu>(graph.view(), forward).walk(starts, {.seed = 42}, walks);
  auto const avoiding = share_of_returns(walks);
  std::cout << "steps back: " << uniform << " uniform, " << avoiding << " with p = 100\n";

  // A meta-path: paper, author, paper, author, …
  glt::hetero_schema const schema({{"paper", 3}, {"author", 2}},
                                  {{"author", "writes", "paper"}, {"paper", "by", "author"}});
  std::vector<glt::local_id> const papers{0, 1, 1, 2};
  std::vector<glt::local_id> const authors{0, 0, 1, 1};
  std::vector<glt::csr_graph<cpu>> relations;
  relations.push_back(glt::make_relation<cpu>(schema, 0, authors, papers));
  relations.push_back(glt::make_relation<cpu>(schema, 1, papers, authors));
  glt::hetero_graph<cpu> const library(schema, std::move(relations));
  std::array<int, 2> const path{0, 1};
  glt::metapath_walker<cpu>(library.view(), path, {.length = 4})
      .walk(std::vector<glt::local_id>{0}, {.seed = 42}, walks);
  auto const met = std::as_const(walks).vertices().row(0);
  std::cout << "paper " << met[0] << ", author " << met[1] << ", paper " << met[2] << ", author " << met[3]
            << ", paper " << met[4] << '\n';

  // Paper 0 has one author; walks with restart are at home in more than 15 % of their visits.
  return met[1] == 0 && at_start * 100 > 15 * 51 * 100 && avoiding < uniform / 2 ? 0 : 1;
}

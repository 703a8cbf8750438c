// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/graphs.hpp"

#include <glt/graph/convert.hpp>
#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using edge_pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

edge_pairs naive(coo_view<memory_space::host> graph, bool self_loops) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  edge_pairs kept;
  for (auto const& edge : pairs_of(graph)) {
    if (seen.insert(edge).second && (self_loops || edge.first != edge.second)) {
      kept.push_back(edge);
    }
  }
  return kept;
}

} // namespace

TEST_CASE("the first of every edge stays, in the order of the list") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    for (int const threads : {1, 3}) {
      auto const policy = device::cpu(threads);
      CHECK(pairs_of(remove_duplicates(graph.view(), {}, policy).view()) == naive(graph.view(), true));
      CHECK(pairs_of(remove_duplicates(graph.view(), self_loop_handling::remove, policy).view()) ==
            naive(graph.view(), false));
    }
    CHECK(remove_duplicates(graph.view()).view().num_vertices() == graph.num_vertices);
  }
}

TEST_CASE("duplicates across large ids are told apart") {
  edge_list graph{"wide", 3'000'000, {}, {}};
  for (int i = 0; i < 3; ++i) {
    graph.add(2'999'999, 5);
    graph.add(5, 2'999'999);
    graph.add(2'999'999 - 2048, 5);
    graph.add(5 + 2048 * 2048 / 4, 5);
  }
  CHECK(pairs_of(remove_duplicates(graph.view()).view()) == naive(graph.view(), true));
  CHECK(remove_duplicates(graph.view()).view().num_edges() == 4);
}

TEST_CASE("removing twice changes nothing more, and a symmetric simple graph has every edge both ways") {
  auto const both = symmetrize(random_graph(211, 6007).view());
  auto const simple = remove_duplicates(both.view(), self_loop_handling::remove);
  CHECK(pairs_of(remove_duplicates(simple.view()).view()) == pairs_of(simple.view()));
  std::set<std::pair<std::int64_t, std::int64_t>> edges;
  for (auto const& edge : pairs_of(simple.view())) {
    CHECK(edges.insert(edge).second);
  }
  for (auto const& [source, destination] : edges) {
    CHECK(source != destination);
    CHECK(edges.contains({destination, source}));
  }
}

TEST_CASE("a minimal policy gives the same") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    coo_graph<minimal_policy> const pinned(graph.num_vertices, make_buffer<minimal_policy>(graph.sources),
                                           make_buffer<minimal_policy>(graph.destinations));
    auto const simple = remove_duplicates<minimal_policy>(pinned.view());
    coo_view<memory_space::host> const host(simple.view().num_vertices(),
                                            {simple.view().sources().data(), simple.view().num_edges()},
                                            {simple.view().destinations().data(), simple.view().num_edges()});
    CHECK(pairs_of(host) == naive(graph.view(), true));
  }
}

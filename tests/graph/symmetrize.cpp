// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/graphs.hpp"

#include <glt/graph/convert.hpp>
#include <glt/memory/buffer.hpp>

#include <cstddef>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> naive(edge_list const& graph) {
  auto pairs = pairs_of(graph.view());
  for (std::size_t i = 0; i < graph.sources.size(); ++i) {
    if (graph.sources[i] != graph.destinations[i]) {
      pairs.emplace_back(graph.destinations[i], graph.sources[i]);
    }
  }
  return pairs;
}

} // namespace

TEST_CASE("the edges come first, then their reverses, self-loops once") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const both = symmetrize(graph.view());
    CHECK(both.view().num_vertices() == graph.num_vertices);
    CHECK(pairs_of(both.view()) == naive(graph));
    CHECK(pairs_of(symmetrize(graph.view(), device::cpu(3)).view()) == naive(graph));
  }
}

TEST_CASE("a minimal policy gives the same") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    coo_graph<minimal_policy> const pinned(graph.num_vertices, make_buffer<minimal_policy>(graph.sources),
                                           make_buffer<minimal_policy>(graph.destinations));
    auto const both = symmetrize<minimal_policy>(pinned.view());
    coo_view<memory_space::host> const host(both.view().num_vertices(),
                                            {both.view().sources().data(), both.view().num_edges()},
                                            {both.view().destinations().data(), both.view().num_edges()});
    CHECK(pairs_of(host) == naive(graph));
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/options.hpp>

#include <glt/core/error.hpp>
#include <glt/graph/convert.hpp>
#include <glt/sample/full_neighborhoods.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/induced_subgraph.hpp>
#include <glt/sample/link/link_sampler.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/sample/walk/metapath.hpp>
#include <glt/sample/walk/node2vec.hpp>
#include <glt/sample/walk/random_walk.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/hetero_graphs.hpp"

#include <cstdint>
#include <string>
#include <vector>

using cpu = glt::device::cpu;

namespace {

// What every sampler says of a graph and a choice.
std::vector<std::string> refusals(glt::csr_view<glt::memory_space::host> graph, glt::detail::edge_id_choice choice) {
  std::vector<std::string> texts;
  auto const say = [&](auto make) {
    try {
      make();
      texts.emplace_back();
    } catch (glt::precondition_error const& error) {
      texts.emplace_back(error.what());
    }
  };
  say([&] { glt::neighbor_sampler<cpu>(graph, {.fanouts = {2}, .edge_ids = choice}); });
  say([&] { glt::link_sampler<cpu>(graph, {.neighbors = {.fanouts = {2}, .edge_ids = choice}}); });
  say([&] { glt::induced_sampler<cpu>(graph, {.edge_ids = choice}); });
  say([&] { glt::full_neighborhoods<cpu>(graph, {.limits = {}, .edge_ids = choice}); });
  say([&] { glt::random_walker<cpu>(graph, {.length = 2, .edge_ids = choice}); });
  say([&] { glt::node2vec_walker<cpu>(graph, {.length = 2, .edge_ids = choice}); });
  say([&] { glt::metapath_walker<cpu>({graph}, {.length = 2, .edge_ids = choice}); });
  return texts;
}

} // namespace

TEST_CASE("edge ids are those of a graph, and positions are asked for by name") {
  auto const list = glt_test::random_graph(101, 500);
  auto const with_ids = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const without = glt::make_csr<cpu>(list.view());
  for (auto const& text : refusals(without.view(), true)) {
    CHECK(glt_test::names(text, "without edge ids", "csr_options", "edge_positions"));
  }
  for (auto const& text : refusals(with_ids.view(), glt::edge_positions)) {
    CHECK(glt_test::names(text, "has edge ids", "edge_ids = true"));
  }
  for (auto const& texts : {refusals(without.view(), glt::edge_positions), refusals(with_ids.view(), true),
                            refusals(without.view(), false), refusals(with_ids.view(), false)}) {
    CHECK(texts == std::vector<std::string>(texts.size()));
  }
  auto const typed = glt_test::academic_graph(30).graph();
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          glt::hetero_neighbor_sampler<cpu>(
                              typed.view(),
                              {.fanouts = glt::same_fanouts(typed.schema(), {2}), .edge_ids = glt::edge_positions});
                        }),
                        "has edge ids"));
}

TEST_CASE("positions are those of the rows, and a graph without edges has either") {
  auto const list = glt_test::random_graph(101, 500);
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::neighbor_sampler<cpu> sampler(graph.view(), {.fanouts = {-1}, .edge_ids = glt::edge_positions});
  glt::sampled_subgraph<cpu> out;
  std::vector<glt::local_id> const seeds{7};
  sampler.sample(seeds, {}, out);
  REQUIRE(out.edge_ids().size() == graph.view().degree(7));
  for (std::int64_t i = 0; i < out.edge_ids().size(); ++i) {
    CHECK(out.edge_ids()[i] == graph.view().offset(7) + i);
  }
  auto const empty = glt::make_csr<cpu>(glt_test::edge_list{"no edges", 3, {}, {}}.view());
  CHECK_NOTHROW(glt::neighbor_sampler<cpu>(empty.view(), {.fanouts = {2}, .edge_ids = true}));
}

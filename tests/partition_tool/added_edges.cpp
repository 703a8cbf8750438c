// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "partition/added_edges.hpp"

#include "support/errors.hpp"
#include "support/raw_data.hpp"

#include <glt/core/random.hpp>
#include <glt/io/raw_data.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using glt_partition::options;

namespace {

// Authors write papers, papers cite papers.
io::raw_data typed_set() {
  random_stream draws(random_key(5), 1);
  io::raw_data data{.name = "typed", .nodes = {}, .edges = {}};
  data.nodes.push_back(random_nodes(draws, "author", 5));
  data.nodes.push_back(random_nodes(draws, "paper", 9));
  data.edges.push_back(random_edges(draws, data.nodes[0], "writes", data.nodes[1], 14));
  data.edges.push_back(random_edges(draws, data.nodes[1], "cites", data.nodes[1], 40));
  return data;
}

// Everything that an edge is and carries.
using whole_edge = std::tuple<global_id, global_id, float, std::int64_t, std::string>;

std::vector<whole_edge> edges_of(io::raw_data::edge_table const& table, bool reversed = false) {
  std::vector<whole_edge> all;
  auto const& values = table.features[0].values;
  auto const row_bytes = static_cast<std::size_t>(values.bytes().size() / values.rows());
  for (std::size_t e = 0; e < table.sources.size(); ++e) {
    auto const* const row = reinterpret_cast<char const*>(values.bytes().data()) + e * row_bytes;
    auto const [from, to] = std::pair(table.sources[e], table.destinations[e]);
    all.emplace_back(reversed ? to : from, reversed ? from : to, table.weights[e], table.times[e],
                     std::string(row, row_bytes));
  }
  return all;
}

std::string fault_of(io::raw_data data, options const& chosen) {
  return thrown<precondition_error>([&] { glt_partition::add_edges(data, chosen); });
}

} // namespace

TEST_CASE("reverse relations come behind the others and carry what the edges carry") {
  auto const before = typed_set();
  auto data = typed_set();
  glt_partition::add_edges(data, {.add_reverse = true});
  REQUIRE(data.edges.size() == 3);
  CHECK(edges_of(data.edges[0]) == edges_of(before.edges[0]));
  CHECK(data.edges[0].links.size() == 3);
  auto const& reverse = data.edges[2];
  CHECK(reverse.source == "paper");
  CHECK(reverse.name == "rev_writes");
  CHECK(reverse.destination == "author");
  CHECK(reverse.features[0].name == before.edges[0].features[0].name);
  CHECK(reverse.links.empty());
  CHECK(edges_of(reverse) == edges_of(before.edges[0], true));
}

TEST_CASE("within one type of vertices the other directions come behind the edges, self-loops once") {
  auto const before = typed_set();
  auto data = typed_set();
  glt_partition::add_edges(data, {.add_reverse = true});
  auto expected = edges_of(before.edges[1]);
  bool loops = false;
  for (auto const& edge : edges_of(before.edges[1], true)) {
    if (std::get<0>(edge) != std::get<1>(edge)) {
      expected.push_back(edge);
    } else {
      loops = true;
    }
  }
  CHECK(loops);
  CHECK(edges_of(data.edges[1]) == expected);
}

TEST_CASE("edges without values go both ways once, and every vertex gets one self-loop") {
  auto plain = [] {
    io::raw_data data{.name = "plain", .nodes = {}, .edges = {}};
    data.nodes.push_back({.num_nodes = 4});
    data.edges.push_back({.sources = {0, 1, 1, 2, 0}, .destinations = {1, 0, 2, 2, 1}});
    return data;
  };
  using pairs = std::multiset<std::pair<global_id, global_id>>;
  auto const pairs_of = [](io::raw_data::edge_table const& edges) {
    pairs made;
    for (std::size_t e = 0; e < edges.sources.size(); ++e) {
      made.emplace(edges.sources[e], edges.destinations[e]);
    }
    return made;
  };
  for (auto const& chosen : {options{.symmetrize = true}, options{.add_reverse = true}}) {
    auto data = plain();
    glt_partition::add_edges(data, chosen);
    CHECK(pairs_of(data.edges[0]) == pairs{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}});
    glt_partition::add_edges(data, chosen); // nothing is missing any more
    CHECK(data.edges[0].sources.size() == 5);
  }
  auto data = plain();
  data.edges[0].weights = {5, 6, 7, 8, 9};
  glt_partition::add_edges(data, {.add_reverse = true, .add_self_loops = true});
  CHECK(data.edges[0].sources == std::vector<global_id>{0, 1, 1, 2, 0, 1, 0, 2, 1, 0, 1, 3});
  CHECK(data.edges[0].destinations == std::vector<global_id>{1, 0, 2, 2, 1, 0, 1, 1, 0, 0, 1, 3});
  CHECK(data.edges[0].weights == std::vector<float>{5, 6, 7, 8, 9, 5, 6, 7, 9, 1, 1, 1});
}

TEST_CASE("edges that cannot be added are refused, with the way out") {
  CHECK(names(fault_of(typed_set(), {.symmetrize = true}), "--symmetrize of a graph with types", "--add-reverse"));
  CHECK(names(fault_of(typed_set(), {.add_self_loops = true}), "--add-self-loops to edges 'cites', which have times",
              "add the loops to the input"));
  auto there = typed_set();
  there.edges[1] = {.source = "paper", .name = "rev_writes", .destination = "author"};
  CHECK(
      names(fault_of(std::move(there), {.add_reverse = true}), "edges 'writes', whose reverse 'rev_writes' is there"));
  auto apart = typed_set();
  apart.edges.pop_back();
  CHECK(names(fault_of(std::move(apart), {.add_self_loops = true}), "no edges join vertices of one type"));
  io::raw_data odd{.name = "odd", .nodes = {}, .edges = {}};
  odd.nodes.push_back({.num_nodes = 2});
  odd.edges.push_back({.sources = {3}, .destinations = {3}});
  CHECK(names(fault_of(std::move(odd), {.add_self_loops = true}),
              "source of edge 0 is 3, outside [0, 2), the vertices of type"));
}
